"""Every figure that users meet has a formula, a range and a reading in the documentation."""

import re

import pytest

import markdown_pages
from making import docstrings, formulas, measures, papers
from shoal.metrics import MEASURES
from shoal.metrics.analyses.result import FIGURES as ANALYSES
from shoal.metrics.attacks.run import ATTACKS
from shoal.metrics.survey import FIGURES as SURVEY

FUNCTIONS = ("dominance.dominated_groups", "neighbour_intervals", "sdc_score")  # not in MEASURES


def rows_of(page):
    """Return the other cells of each row of the tables of a page, by the names in its first."""
    rows = {}
    for line in (markdown_pages.ROOT / "docs" / page).read_text(encoding="utf-8").splitlines():
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
    ("formula", "before", "after"),
    [
        ("V'", "<mrow><mi>V</mi>", "</mrow>"),
        ("x'_j", "<msub><mrow><mi>x</mi>", "</mrow><mi>j</mi></msub>"),
        (
            "x'_{ij}",
            "<msub><mrow><mi>x</mi>",
            "</mrow><mrow><mi>i</mi><mi>j</mi></mrow></msub>",
        ),
        (
            r"\bar x'_j",
            '<msub><mrow><mover><mi>x</mi><mo stretchy="true">&#x000AF;</mo></mover>',
            "</mrow><mi>j</mi></msub>",
        ),
    ],
)
def test_a_prime_is_as_large_as_its_letter(formula, before, after):
    shown = formulas.to_mathml(rf"\frac{{1}}{{2}} {formula} + {formula} + y_j^2")
    assert shown.count(f"{before}{formulas.PRIME}{after}") == 2
    assert "<msubsup><mi>y</mi>" in shown


@pytest.mark.parametrize(
    ("formula", "spaced"),
    [
        (r"\sum |p - q|", '<mo stretchy="false" lspace="0" rspace="0">&#x0007C;</mo><mi>p</mi>'),
        (r"\lVert z \rVert", '<mo stretchy="false" lspace="0" rspace="0">&#x02016;</mo>'),
        (r"(\min(r, c) - 1)", '<mo form="prefix" lspace="0" rspace="0">min</mo><mo stretchy'),
        (r"p \ln p", '<mo form="prefix" lspace="0.17em" rspace="0.17em">ln</mo>'),
        (r"\log_2 p", '<msub><mo form="prefix" lspace="0.17em" rspace="0.17em">log</mo>'),
        (r"\exp(-x)", '&#x00028;</mo><mo form="prefix">&#x02212;</mo>'),
        (r"\{c : n_c = s\}", '<mo lspace="0.28em" rspace="0.28em">:</mo>'),
        ("k = n.", '<mo lspace="0" rspace="0">&#x0002E;</mo>'),
    ],
)
def test_signs_have_the_spaces_of_printed_formulas(formula, spaced):
    assert spaced in formulas.to_mathml(formula)


@pytest.mark.parametrize("page", markdown_pages.list_pages(), ids=lambda page: page.name)
def test_formulas_of_a_page_are_no_plain_text(page):
    prose = re.sub(r"(?ms)^( *)(```+).*?^\1\2 *$", "", page.read_text(encoding="utf-8"))
    prose = re.sub(r"`[^`]*`|\$\$[^$]*\$\$", "", prose)
    for formula in re.findall(r"\$([^$]+)\$", prose):
        assert "\\" not in formulas.to_mathml(formula), formula
    assert not re.findall(r"[√∑Σ∏₁₂ᵢᵠ]|\bsqrt\(", re.sub(r"\$[^$]+\$", "", prose))


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


def test_symbols_of_papers_are_formulas():
    page = "# D_X\n\nL_E = 100 SDE / SDT, L_SSE and `D_X`: D_X and D_Y are SSE / SST.\n"
    assert papers.with_formulas(page) == (
        "# D_X\n\n"
        r"$L_E = 100 \cdot \mathrm{SDE} / \mathrm{SDT}$, $L_\mathrm{SSE}$ and `D_X`: $D_X$ and"
        " $D_Y$ are SSE / SST.\n"
    )
    greek = "### λ = 0\n![λ](x.svg)\n| λ | λ = 0.5. | ρ = 0.9 |\n"
    assert papers.with_formulas(greek) == (
        "### λ = 0\n![λ](x.svg)\n" r"| $\lambda$ | $\lambda = 0.5$. | $\rho = 0.9$ |" "\n"
    )
