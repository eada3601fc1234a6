"""Names of received files, and references between the elements of the templates."""

import re
from pathlib import Path

import pytest

from shoal import app
from shoal.app.requests import MAX_NAME, safe_name

TEMPLATES = Path(app.__file__).parent / "templates"


@pytest.mark.parametrize("name", ["nul", "CON.csv", "com1.csv.gz", "Lpt9 .csv", "aux.", "prn..csv"])
def test_names_that_windows_reserves_are_changed(name):
    assert safe_name(name) == f"_{name}"


@pytest.mark.parametrize("name", ["null.csv", "console.csv", "com10.csv", "my con.csv", "a.nul"])
def test_names_that_resemble_reserved_ones_are_kept(name):
    assert safe_name(name) == name


@pytest.mark.parametrize("beginning", ["con.", "x"])
def test_a_long_name_keeps_its_suffix(beginning):
    name = safe_name(f"{beginning}{'a' * (MAX_NAME - 5 - len(beginning))}.csv")
    assert len(name) <= MAX_NAME
    assert name.endswith(".csv")
    assert name.startswith(("_con.", "x"))


def test_elements_are_labelled_by_elements_that_exist():
    text = "".join(path.read_text(encoding="utf-8") for path in TEMPLATES.glob("*.html"))
    labels = set(re.findall(r'aria-labelledby="([^"]+)"', text))
    assert labels <= set(re.findall(r'\bid="([^"]+)"', text))
    assert len(labels) > 3
