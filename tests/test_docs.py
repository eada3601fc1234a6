"""The pages of the documentation are true."""

import doctest
import re
import warnings
from pathlib import Path

import pytest

from shoal.errors import ShoalWarning

DOCS = Path(__file__).parents[1] / "docs"


@pytest.mark.parametrize("page", ["real-tables.md"])
def test_the_examples_run_and_show_what_the_page_says(page):
    text = re.sub(r"(?m)^```.*$", "", (DOCS / page).read_text(encoding="utf-8"))
    examples = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    assert examples.examples
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        assert doctest.DocTestRunner(optionflags=flags).run(examples).failed == 0
