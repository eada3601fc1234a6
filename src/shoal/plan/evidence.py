"""What a verdict is computed from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.frame import tables
from shoal.frame.tables import Frame
from shoal.metrics import classes
from shoal.partitioners import Partition

if TYPE_CHECKING:
    from shoal.plan.plan import Plan

Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Evidence:
    """A released table and what else is at hand to judge it.

    Parameters
    ----------
    plan : Plan
        What was promised.
    released : Frame
        The table as it leaves; for a file, read back from that file.
    original : Frame, optional
        The records of the release before masking, in the same order, with every column that
        came; None where the original is not at hand.
    units : ndarray of shape (n_records,), optional
        The unit of each released record as a number, where the plan counts units; None where
        records are counted, or where the column was dropped and the original is not at hand.
    partitions : tuple of Partition
        The groups of each step and block, where they are known.
    measures : mapping
        Measures of the release by name, as far as they are known.
    """

    plan: "Plan"
    released: Frame
    original: Frame | None = None
    units: Codes | None = None
    partitions: Sequence[Partition] = ()
    measures: Mapping[str, Any] | None = None

    @cached_property
    def joint_classes(self) -> Codes:
        """The class of each record on all columns that an attacker may know."""
        return self.classes_on(self.plan.known)

    def classes_on(self, columns: Sequence[str]) -> Codes:
        """Return the class of each released record on some columns."""
        return classes(tables.codes(self.released, columns))

    def smallest(self, labels: Codes) -> int:
        """Return the size of the smallest class, counted in units where they are known."""
        if self.units is None:
            return int(np.bincount(labels).min())
        pairs = np.unique(np.column_stack([labels, self.units]), axis=0)
        return int(np.bincount(pairs[:, 0]).min())
