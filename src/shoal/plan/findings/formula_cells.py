"""Cells of a text file that a spreadsheet program would run as formulas."""

from collections.abc import Mapping

from shoal.frame.roles import name_columns
from shoal.plan.verdict import Finding


def formula_cell_findings(counts: Mapping[str, int]) -> list[Finding]:
    """Return the finding on cells that would be run as formulas, given their number by column."""
    if not counts:
        return []
    cells = sum(counts.values())
    cells_begin = "1 cell begins" if cells == 1 else f"{cells:,} cells begin"
    return [
        Finding(
            "formula-cells",
            "informs",
            f"{cells_begin} with a character that makes a spreadsheet program run a formula when it"
            f" opens the file: {name_columns(list(counts))}.",
            {"cells": cells},
            tuple(counts),
            "Check these cells, or use `mark_formulas=True` to put an apostrophe in front of them.",
        )
    ]
