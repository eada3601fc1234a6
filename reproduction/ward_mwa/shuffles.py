"""How far the order of the records in the file moves the losses of Table 1."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from reproduction.page import Claim, Claims
from reproduction.runs import groups, loss, reference
from reproduction.ward_mwa.published import TABLE_1

SHUFFLES, SEED = 60, 1998


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


def shuffled() -> Claims:
    """Losses of the same table with its records in other orders."""
    return Claims(
        "Table 1 and the order of the records",
        f"Ties, and which of two extreme records comes first, depend on the order of the file."
        f" The same runs on {SHUFFLES} shuffled files show how far.",
        tuple(_claim(case) for case in CASES),
    )


def _claim(case: Case) -> Claim:
    Z, draw = reference("tarragona"), np.random.default_rng(SEED)
    losses = []
    for _ in range(SHUFFLES):
        W = Z[draw.permutation(len(Z))]
        losses.append(round(loss(W, groups(W, case.method, case.k, **case.options)), 2))
    least, greatest = min(losses), max(losses)
    return Claim(
        f"{' and '.join(case.rows)}, k = {case.k}: {' and '.join(case.printed)}.",
        f"From {least:.2f} to {greatest:.2f}.",
        all(least <= float(value) <= greatest for value in case.printed),
    )
