"""Every figure that users meet has a formula, a range and a reading in the documentation."""

import re

import pytest

import pages
from making import docstrings, formulas, measures
from shoal.metrics import MEASURES
from shoal.metrics.analyses.result import FIGURES as ANALYSES
from shoal.metrics.attacks.run import ATTACKS
from shoal.metrics.survey import FIGURES as SURVEY

FUNCTIONS = ("dominance.dominated_groups", "neighbour_intervals", "sdc_score")  # not in MEASURES


def rows_of(page):
    """Return the other cells of each row of the tables of a page, by the names in its first."""
    rows = {}
    for line in (pages.ROOT / "docs" / page).read_text(encoding="utf-8").splitlines():
        if line.startswith("| "):
            first, *others = (cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1])
            rows |= dict.fromkeys(re.findall(r"`([^`]+)`", first), others)
    return rows


@pytest.mark.parametrize("measure", MEASURES)
def test_every_measure_has_a_formula_and_a_reading(measure):
    assert docstrings.formula(MEASURES[measure])
    parts = re.findall(r"\{math\}`([^`]*)`", measures.formula(measure))
    assert parts
    for part in parts:
        assert "quad" not in part
        assert "\\" not in formulas.to_mathml(part)  # every command was understood
    row = next(line for line in measures.index().splitlines() if f"| [`{measure}`]" in line)
    assert measures.formula(measure).replace("|", "\\|") in row
    assert measures.reading(measure).replace("|", "\\|") in row


@pytest.mark.parametrize(
    ("formula", "letters"),
    [("V'", "<mi>V</mi>"), ("x'_j", "<msub><mi>x</mi><mi>j</mi></msub>")],
)
def test_a_prime_is_as_large_as_its_letter(formula, letters):
    shown = formulas.to_mathml(rf"\frac{{1}}{{2}} {formula} + {formula} + y_j^2")
    assert shown.count(f"<mrow>{letters}{formulas.PRIME}</mrow>") == 2
    assert "<msubsup><mi>y</mi>" in shown


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("risk.md", [name if name != "inference" else "inference:column" for name in ATTACKS]),
        ("risk.md", [*SURVEY, *FUNCTIONS]),
        ("utility.md", list(ANALYSES)),
    ],
)
def test_every_attack_and_figure_has_a_formula(page, names):
    rows = rows_of(page)
    assert [name for name in names if name not in rows] == []
    assert [name for name in names if not rows[name][0]] == []
