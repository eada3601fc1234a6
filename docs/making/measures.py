"""A page for every measure, from its docstring, the registry and what was measured."""

import re
from collections.abc import Iterator
from pathlib import Path

from making import costs, curves, docstrings, figures
from making.grid import grid
from shoal.metrics import MEASURE_INFO, MEASURES, NEEDS

KINDS = {"utility": "what analysts lose", "risk": "what an attacker gains"}
COSTS = {
    "linear": "Time grows about linearly with the number of records.",
    "search": "Each record is searched for among all others.",
}
NO_FIGURES = "The [reproduced papers](../papers/README.md) print no figures of this measure."

GAP = re.compile(r"(,?) *\\q?quad *(?:\\text\{(\w+)\} *\\quad *)?")  # between parts of a formula
NOTATION = (
    "In the formulas, {math}`x_{ij}` is the original value of record {math}`i` in column"
    " {math}`j` and {math}`x'_{ij}` the masked one; {math}`\\bar x_j` and {math}`S_j` are"
    " the mean and the standard deviation of the original column, and {math}`z_i` is a record in"
    " standardised columns. There are {math}`n` records and {math}`p` columns. A class {math}`c` is"
    " a set of {math}`n_c` records that are equal on all released quasi-identifiers. The page of"
    " each measure explains the other symbols."
)


def pages(root: Path) -> Iterator[tuple[str, str]]:
    """Yield name and text of every page."""
    yield "measures/index.md", index()
    for name in MEASURES:
        yield f"measures/{name}.md", page(root, name)


def index() -> str:
    """Return the index of all measures."""
    tables = []
    for kind, words in KINDS.items():
        rows = [
            [
                f"[`{name}`]({name}.md)",
                f"{summary(name)}<br>{formula(name)}",
                reading(name),
                MEASURE_INFO[name].better,
            ]
            for name in MEASURES
            if MEASURE_INFO[name].kind == kind
        ]
        head = ["Measure", "Meaning and formula", "Range and reading", "Better"]
        tables.append(f"## {kind.capitalize()}: {words}\n\n{grid(head, rows)}")
    return "\n\n".join(
        [
            "# Measures",
            "A measure is a pure function of arrays. `shoal.assess` and `shoal assess` compute all"
            " measures whose inputs are available, on any two tables, whoever masked them. The"
            " formulas of attacks and of the risk of samples are in [another chapter](../risk.md),"
            " and so are those of [analyses before and after](../utility.md).",
            NOTATION,
            *tables,
            "```{toctree}\n:hidden:\n\n" + "\n".join(MEASURES) + "\n```\n",
        ]
    )


def summary(name: str) -> str:
    """Return the first line of a measure's docstring, without keys of papers."""
    return docstrings.plain(docstrings.read(MEASURES[name])["Summary"][0])


def formula(name: str) -> str:
    """Return the formula of a measure; lines may end between its parts."""
    text = GAP.sub(_between, docstrings.formula(MEASURES[name]))
    return f"{{math}}`{text}`"


def _between(gap: re.Match[str]) -> str:
    """Return the separator between two parts of a formula: a comma or a word."""
    return f"`{gap[1]} {gap[2] + ' ' if gap[2] else ''}{{math}}`"


def reading(name: str) -> str:
    """Return the range of a measure and the meaning of its ends, from its docstring."""
    (returned,) = docstrings.read(MEASURES[name])["Returns"]
    return docstrings.plain(" ".join(returned.desc))


def page(root: Path, name: str) -> str:
    """Return the page of one measure."""
    info = MEASURE_INFO[name]
    keys = docstrings.keys(MEASURES[name])
    rows = [
        ["Kind", f"{info.kind}: {KINDS[info.kind]}"],
        ["Better", info.better],
        ["Unit", info.unit or "none"],
        ["One number for", f"each {info.per} column" if info.per else "the table"],
        ["Requires", "; ".join(dict.fromkeys(NEEDS[need] for need in curves.wanted(name)))],
    ]
    parts = [
        f"(measure-{name})=\n# {name}",
        f"{summary(name)}",
        grid(["", ""], rows),
        curves.picture(name),
        "## Definition\n\n```{eval-rst}\n.. currentmodule:: shoal.metrics\n\n"
        f".. autofunction:: {name}\n```",
        f"## Cost\n\n{COSTS[info.cost]}\n\n{costs.table(root, 'measure', name)}",
        f"## Published and reproduced\n\n{figures.of_measure(root, name) or NO_FIGURES}",
    ]
    if keys:
        cited = "\n".join(f"- {docstrings.spelled_out(root, key)}" for key in keys)
        parts.append(f"## Paper\n\n{cited}")
    return "\n\n".join(filter(None, parts)) + "\n"
