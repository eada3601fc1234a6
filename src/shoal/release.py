"""What a plan makes of a table, and what it can say about it."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.partitioners import Partition
from shoal.partitioners._base import Labels, in_order

if TYPE_CHECKING:
    from shoal.plan import Plan


@dataclass(frozen=True, eq=False)
class Release:
    """A masked table, with what was done to it and what that cost.

    Parameters
    ----------
    data : pandas, polars or pyarrow table
        The masked table, of the kind that came in.
    plan : Plan
        What was done; running it again gives the same release.
    partitions : tuple of Partition
        The groups of each step and block, in order.
    measures : dict
        Value of each measure by name; those that search for each record among all
        others, as `linkage` does, are left to `shoal.assess`.
    remarks : dict
        What a measure could not see and why, by the name of the measure.
    warnings : tuple of str
        What the person who signs must know.
    unchanged : tuple of str
        Columns that leave as they came.
    provenance : dict
        Method used, number of records and versions of software.
    drawn_seeds : tuple of int
        Seeds that the plan left open and this run drew; they stand in its ``plan``.
    kept : ndarray of bool, optional
        Which records of the table the release holds, where some were dropped because a
        value is missing.
    """

    data: Any
    plan: "Plan"
    partitions: tuple[Partition, ...]
    measures: dict[str, Any]
    remarks: dict[str, str]
    warnings: tuple[str, ...]
    unchanged: tuple[str, ...]
    provenance: dict[str, Any]
    drawn_seeds: tuple[int, ...] = ()
    kept: NDArray[np.bool_] | None = None

    @property
    def labels(self) -> Labels:
        """Group of each record; with several blocks or steps, records that share all groups."""
        joint = self.partitions[0].labels
        for groups in self.partitions[1:]:
            joint = in_order(joint * groups.n_groups + groups.labels)
        return joint

    def report(self, path: str | Path, *, force: bool = False) -> None:
        """Write a self-contained HTML page: what was promised, what was measured."""
        from shoal.report import write_report  # the only look upwards: see docs/architecture.md

        write_report(self, Path(path), force=force)

    def __repr__(self) -> str:
        sizes = np.concatenate([groups.sizes for groups in self.partitions])
        return (
            f"Release({self.provenance['records']} records, groups of {sizes.min()} to"
            f" {sizes.max()}, information loss {self.measures.get('information_loss', 0):.2f}%)"
        )
