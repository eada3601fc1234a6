"""The committed figures of the chapters equal those that the code draws."""

import importlib.util
import re
from pathlib import Path

import matplotlib
import pytest

from skipping import skip_or_fail_in_ci

DOCS = Path(__file__).parents[1] / "docs"
_spec = importlib.util.spec_from_file_location("figures", DOCS / "figures.py")
figures = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(figures)


@pytest.mark.parametrize("name", figures.FIGURES)
def test_the_committed_figure_is_what_the_code_draws(name):
    committed = (DOCS / "pictures" / f"understand-{name}.svg").read_bytes()
    assert len(committed) < 200_000
    version = re.search(rb"Matplotlib v([\w.]+)", committed)[1].decode()
    if version != matplotlib.__version__:
        skip_or_fail_in_ci(
            f"The figures are drawn by matplotlib {version}: take that, or run docs/figures.py."
        )
    assert figures.draw(name) == committed, "run docs/figures.py"


def test_every_figure_is_shown_in_a_chapter():
    text = "".join(page.read_text(encoding="utf-8") for page in (DOCS / "understand").glob("*.md"))
    shown = re.findall(r"pictures/understand-(\w+)\.svg", text)
    assert sorted(shown) == sorted(figures.FIGURES)
