"""How far the order of the records in the file moves the losses of Table 1."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from reproduction.page import TextTable
from reproduction.runs import groups, loss, reference_table
from reproduction.stored_results import stored
from reproduction.ward_mwa.published import TABLE_1

SHUFFLES, SEED = 100, 1998


@dataclass(frozen=True)
class Case:
    """Cells of Table 1 that differ from ours, and the run behind them."""

    rows: tuple[str, ...]
    k: int
    method: str
    options: dict[str, Any]

    @property
    def printed(self) -> list[str]:
        """Return what the paper prints."""
        return [TABLE_1[row, f"k={self.k}"] for row in self.rows]


CASES = (
    Case(("FS_PV, greatest",), 5, "sorted", {"by": 2}),
    Case(("MWA_PV, least",), 4, "mward", {"start": 1}),
    Case(("MWA_PV, greatest",), 4, "mward", {"start": 4}),
    Case(("MWA_PV, least",), 5, "mward", {"start": 8}),
    Case(("MWA_MD, least", "MWA_MD, greatest"), 3, "mward", {}),
    Case(("MWA_MD, least", "MWA_MD, greatest"), 5, "mward", {}),
)


@stored("ward-mwa-shuffles")
def ranges() -> list[tuple[float, float]]:
    """Return the least and the greatest loss of each case over shuffled files."""
    ranges_ = []
    for case in CASES:
        Z, draw = reference_table("tarragona"), np.random.default_rng(SEED)
        losses = []
        for _ in range(SHUFFLES):
            W = Z[draw.permutation(len(Z))]
            losses.append(round(loss(W, groups(W, case.method, case.k, **case.options)), 2))
        ranges_.append((min(losses), max(losses)))
    return ranges_


def shuffled() -> TextTable:
    """Losses of the same table with its records in other orders."""
    rows = {
        f"{' and '.join(case.rows)}, k = {case.k}": (
            " and ".join(case.printed),
            f"{least:.2f} to {greatest:.2f}",
        )
        for case, (least, greatest) in zip(CASES, ranges(), strict=True)
    }
    about = (
        "Ties, and which of two extreme records comes first, depend on the order of the file. The"
        f" same runs on {SHUFFLES} shuffled files show how far."
    )
    return TextTable(
        "Table 1 and the order of the records", about, rows, ("published", "ours, shuffled")
    )
