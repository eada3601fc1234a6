"""How much the losses of Table 1 depend on the order of the records in the file."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from reproduction.page import TextTable
from reproduction.runs import group_labels, loss, reference_table
from reproduction.stored_results import stored
from reproduction.ward_mwa.published import TABLE_1

N_SHUFFLES, SEED = 100, 1998


@dataclass(frozen=True)
class Case:
    """Cells of Table 1 that differ from ours, and the run that gives ours."""

    rows: tuple[str, ...]
    k: int
    method: str
    options: dict[str, Any]

    @property
    def printed(self) -> list[str]:
        """The cells as the paper prints them."""
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
def loss_ranges() -> list[tuple[float, float]]:
    """Return the least and the greatest loss of each case over shuffled files."""
    ranges = []
    for case in CASES:
        Z, rng = reference_table("tarragona"), np.random.default_rng(SEED)
        losses = []
        for _ in range(N_SHUFFLES):
            shuffled_Z = Z[rng.permutation(len(Z))]
            losses.append(
                round(
                    loss(shuffled_Z, group_labels(shuffled_Z, case.method, case.k, **case.options)),
                    2,
                )
            )
        ranges.append((min(losses), max(losses)))
    return ranges


def shuffle_table() -> TextTable:
    """Return the losses of the same table with its records in other orders."""
    rows = {
        f"{' and '.join(case.rows)}, k = {case.k}": (
            " and ".join(case.printed),
            f"{least:.2f} to {greatest:.2f}",
        )
        for case, (least, greatest) in zip(CASES, loss_ranges(), strict=True)
    }
    about = (
        "Ties, and which of two extreme records comes first, depend on the order of the file. The"
        f" same runs on {N_SHUFFLES} shuffled files show how far."
    )
    return TextTable(
        "Table 1 and the order of the records", about, rows, ("published", "ours, shuffled")
    )
