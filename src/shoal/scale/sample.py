"""A sample of different records with their exact counts, which knows no order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.scale.keys import Keys, chosen

FEWEST = 5_000  # different records that are kept, whatever share is asked for
ENOUGH = 20_000  # records that cuts are found on
PER_CELL = 100  # sampled records of a cell

Counts = NDArray[np.int64]


def share_of(records: int, most: int) -> float:
    """Return the share of the records that is enough to find cells of ``most`` records."""
    return min(1.0, max(ENOUGH, PER_CELL * records // most) / records)


@dataclass(frozen=True, eq=False)
class Sample:
    """The different records with the smallest keys, and how often each occurs.

    Equal records have one key, so to draw records would draw all of a heap or none. What is
    kept of two parts holds all that is kept of both, so counts stay exact.

    Parameters
    ----------
    table : pyarrow.Table
        The different records, in the order of their keys.
    keys : ndarray of shape (n_kept,)
        Their keys.
    counts : ndarray of shape (n_kept,)
        How many records there are of each.
    share : float
        Keys below this share of all keys are kept, and never fewer than ``FEWEST``.
    """

    table: pa.Table
    keys: Keys
    counts: Counts
    share: float

    @classmethod
    def of(cls, table: pa.Table, keys: Keys, share: float) -> Self:
        """Return what is kept of some records."""
        return cls._kept(table, keys, np.ones(len(keys), np.int64), share)

    @classmethod
    def joined(cls, samples: Sequence["Sample"]) -> Self:
        """Return what is kept of several parts together; their order does not matter."""
        return cls._kept(
            pa.concat_tables([one.table for one in samples]),
            np.concatenate([one.keys for one in samples]),
            np.concatenate([one.counts for one in samples]),
            samples[0].share,
        )

    @classmethod
    def _kept(cls, table: pa.Table, keys: Keys, counts: Counts, share: float) -> Self:
        different, first, of = np.unique(keys, return_index=True, return_inverse=True)
        total = np.zeros(len(different), np.int64)
        np.add.at(total, of, counts)
        kept = max(int(chosen(different, share).sum()), min(len(different), FEWEST))
        return cls(table.take(pa.array(first[:kept])), different[:kept], total[:kept], share)

    @property
    def weights(self) -> NDArray[np.float64]:
        """How many records of the whole table each one stands for, by expectation."""
        if len(self.keys) < FEWEST:
            return self.counts.astype(np.float64)
        drawn = max(self.share, float(self.keys[-1]) / 2**64)
        return self.counts / min(1.0, drawn)
