"""The committed pages say what the code gives."""

import re
from functools import cache
from pathlib import Path

import matplotlib
import pytest

from conftest import reference_matrix
from reproduction import PAPERS, make_page
from reproduction.markdown import index_text, page_text
from reproduction.page import NumberTable
from reproduction.plots import draw
from skipping import skip_or_fail_in_ci

FOLDER = Path(__file__).parents[2] / "docs" / "papers"
TABLES = ("tarragona", "census", "eia")

pytestmark = pytest.mark.slow

every_paper = pytest.mark.parametrize("name", PAPERS)


@cache
def page(name):
    for table in TABLES:
        reference_matrix(table)
    return make_page(name)


@every_paper
def test_the_committed_page_is_what_the_code_gives(name):
    committed = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    assert page_text(page(name)) == committed, "run make papers"


def test_the_committed_index_is_what_the_code_gives():
    committed = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert index_text([page(name) for name in PAPERS]) == committed, "run make papers"


@every_paper
def test_the_committed_figures_are_what_the_code_draws(name):
    for figure in page(name).figures():
        committed = (FOLDER / f"{figure.name}.svg").read_bytes()
        assert len(committed) < 300_000
        maker = re.search(rb"Matplotlib v([\w.]+)", committed)[1].decode()
        if maker != matplotlib.__version__:
            skip_or_fail_in_ci(
                f"The figures are drawn by matplotlib {maker}: take that, or run make papers."
            )
        assert draw(figure) == committed, "run make papers"


@every_paper
def test_every_difference_is_explained(name):
    for cell in page(name).comparisons():
        assert cell.agrees or cell.note, (cell.row, cell.column)
    for claim in page(name).claims():
        assert claim.holds or claim.note, claim.statement


def test_the_folder_contains_nothing_else():
    figures = {f"{figure.name}.svg" for name in PAPERS for figure in page(name).figures()}
    expected = {
        "README.md",
        "contents.md",
        "methods.md",
        *(f"{name}.md" for name in PAPERS),
        *figures,
    }
    assert {path.name for path in FOLDER.iterdir()} == expected


CENSUS_10 = {
    "D_X, k = 10": [
        *(0.0999, 0.1117, 0.1248, 0.1392, 0.1504, 0.1638, 0.1769, 0.1942, 0.2185, 0.2578),
        0.3581,
    ],
    "D_Y, k = 10": [
        *(0.3706, 0.2474, 0.1796, 0.1524, 0.1365, 0.1226, 0.1125, 0.0999, 0.0914, 0.0826),
        0.0734,
    ],
}


def test_the_sweep_of_census_is_that_of_an_independent_run():
    numbers = [
        part for part in page("dependence-preserving").sections if isinstance(part, NumberTable)
    ]
    (census,) = [part for part in numbers if part.title == "Figure 11 in digits"]
    for row, values in CENSUS_10.items():
        assert census.rows[row] == pytest.approx(values, abs=5e-5)
