"""Published figures beside ours, by method and by measure.

The pages of docs/papers hold them; a test keeps these pages true. Here their tables are
read back, so that a page about a method shows what its papers print.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mdit_py_plugins.anchors.index import slugify

from making.grid import grid

# The end of a row's name, on the page of a paper, and the method that it means.
ROWS: Mapping[str, Mapping[str, str]] = {
    "cv-mdav": {
        "MDAV": "mdav-classic",
        "MDAV-1": "mdav1",
        "MDAV-2": "mdav2",
        "DBA-1": "dba1",
        "DBA-2": "dba2",
        "MDAV-generic": "mdav",
        "V-MDAV": "vmdav",
        "CV-MDAV": "cvmdav",
    },
    "mu-approx": {
        "MDAV": "mdav",
        "M-d": "mst",
        "μ-Approx": "mu-approx",
        "optimal": "optimal",
    },
    "two-mu-approx": {
        "MDAV": "centroid-mdav",
        "μ-Approx": "mu-approx",
        "2-μ-Approx": "two-mu-approx",
    },
    "ward-mwa": {
        **dict.fromkeys(["FS_FPC", "FS_SZ", "FS_PV", "FS_I"], "sorted"),
        **dict.fromkeys(["MWA_FPC", "MWA_SZ", "MWA_PV", "MWA_MD", "MWA_I"], "mward"),
    },
}
# Figures that are on no page of a paper; the tests of these methods reproduce them to the digit.
ELSEWHERE: Mapping[str, Mapping[str, Mapping[int, str]]] = {
    "md": {"Tarragona": {3: "15.60", 4: "19.27", 5: "22.67"}},
    "tfrp": {
        "Tarragona, phases=1": {3: "17.228", 4: "19.396", 5: "22.110", 10: "33.186"},
        "Tarragona, phases=2": {3: "16.881", 4: "19.181", 5: "21.847", 10: "33.088"},
    },
}
# Where a paper prints figures of a measure: the page and the beginning of a head.
MEASURED: Mapping[str, tuple[tuple[str, str], ...]] = {
    "information_loss": (
        ("ward-mwa", "Table 1:"),
        ("cv-mdav", "Table 1:"),
        ("cv-mdav", "Table 2:"),
        ("cv-mdav", "Table 3:"),
        ("two-mu-approx", "Table 1:"),
        ("mu-approx", "Table 5:"),
    ),
    "euclidean_loss": (("mu-approx", "Table 5:"),),
    "std_ratio": (("ward-mwa", "Table 2:"),),
    "loadings_change": (("ward-mwa", "Table 3:"),),
    "explained_change": (("ward-mwa", "Table 3:"),),
    "correlation_change": (("ward-mwa", "Table 4:"),),
    "linkage_top2": (("cv-mdav", "Table 4:"),),
    "distortion_x": (("dependence-preserving", "Figure 9"), ("dependence-preserving", "Figure 11")),
    "distortion_y": (
        ("dependence-preserving", "Figure 10"),
        ("dependence-preserving", "Figure 12"),
    ),
    "average_diversity": (("dependence-preserving", "Figure 13"),),
    "linkage": (("dependence-preserving", "Figure 14"),),
}


@dataclass(frozen=True)
class Part:
    """One section of a page about a paper."""

    page: str
    paper: str
    title: str
    text: str

    @property
    def link(self) -> str:
        """A link to it from a page of methods or measures."""
        table = f"[{self.title}](../papers/{self.page}.md#{slugify(self.title)})"
        return f"{table} of *{self.paper}*"

    @property
    def lines(self) -> list[list[str]]:
        """The lines of its table: the name of the row, what it contains, cells."""
        actual = [
            [cell.strip() for cell in line.strip("|").split("|")]
            for line in self.text.splitlines()
            if line.startswith("|")
        ]
        return actual[:1] + actual[2:]

    @property
    def notes(self) -> dict[str, str]:
        """Why a figure differs, by the number in the table."""
        notes = re.findall(r"(?m)^- \[(\d+)\] (.*(?:\n  .*)*)$", self.text)
        return {number: " ".join(note.split()) for number, note in notes}

    @property
    def agreement(self) -> tuple[int, int]:
        """How many printed figures agree with ours, and how many there are."""
        lines = [line[2:] for line in self.lines if "difference" in line]
        cells = [cell for line in lines for cell in line if cell not in ("", "input")]
        return sum(cell.startswith("=") for cell in cells), len(cells)


@cache
def parts(root: Path) -> tuple[Part, ...]:
    """Return every part of the pages about papers."""
    parts_ = []
    for path in sorted((root / "docs" / "papers").glob("*.md")):
        pieces = re.split(r"(?m)^## (.*)$", path.read_text(encoding="utf-8"))
        parts_ += [
            Part(path.stem, pieces[0].split("\n")[0].lstrip("# "), title, text)
            for title, text in zip(pieces[1::2], pieces[2::2], strict=True)
        ]
    return tuple(parts_)


def of_method(root: Path, method: str) -> str:
    """Return the tables of figures of a method."""
    shown = [_rows(part, method) for part in parts(root)]
    shown += [_elsewhere(method)] if method in ELSEWHERE else []
    return "\n\n".join(filter(None, shown))


def _rows(part: Part, method: str) -> str:
    """Return the rows of a part that are about a method, with the notes they need."""
    names, wanted, rows = ROWS.get(part.page, {}), False, []
    if not part.lines or not any("difference" in line for line in part.lines):
        return ""
    for line in part.lines[1:]:
        if line[0]:
            row = re.split(r", (?:ascending|descending|least|greatest)$", line[0])[0]
            wanted = names.get(row.split(", ")[-1]) == method
        if wanted:
            rows.append(line)
    if not rows:
        return ""
    used = sorted(set(re.findall(r"\[(\d+)\]", " ".join(sum(rows, [])))), key=int)
    notes = "\n".join(f"- [{n}] {part.notes[n]}" for n in used)
    table = grid(part.lines[0], rows, len(part.lines[0]) - 2)
    return f"{part.link}:\n\n{table}\n\n{notes}".strip()


def _elsewhere(method: str) -> str:
    """Return figures of other papers that the tests reproduce to the digit."""
    rows = [
        [name, "published and ours", *(figures.get(k, "") for k in (3, 4, 5, 10))]
        for name, figures in ELSEWHERE[method].items()
    ]
    test = f"tests/partitioners/test_{method}.py"
    table = grid(["", "", *(f"k={k}" for k in (3, 4, 5, 10))], rows, 4)
    about = f"Information loss in per cent; `{test}` reproduces every figure to the printed digits"
    return f"{about}:\n\n{table}"


def of_measure(root: Path, measure: str) -> str:
    """Return links to the figures that papers print of a measure, and how many were found."""
    lines = []
    for page, head in MEASURED.get(measure, ()):
        (part,) = [p for p in parts(root) if p.page == page and p.title.startswith(head)]
        same, of = part.agreement
        lines.append(f"- {part.link}" + (f": {same} of {of} reproduced to the digit" if of else ""))
    return "\n".join(lines)
