"""Cells that contain a missing code, and so count as missing."""

from collections.abc import Mapping

from shoal.plan.verdict import Finding


def missing_code_findings(cells_by_column: Mapping[str, int]) -> list[Finding]:
    """Return a finding for each column, given the number of its cells with a missing code."""
    findings = []
    for name, cells in cells_by_column.items():
        cells_hold = "cell of column {!r} holds" if cells == 1 else "cells of column {!r} hold"
        findings.append(
            Finding(
                "missing-codes",
                "informs",
                f"{cells:,} {cells_hold.format(name)} a missing code and count as missing.",
                {"cells": cells},
                (name,),
                "Declare other codes with `missing_codes`.",
            )
        )
    return findings
