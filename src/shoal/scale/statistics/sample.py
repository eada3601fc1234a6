"""A sample of distinct records with their exact counts, independent of the order of records."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.scale.statistics.hashes import Keys, in_sample

MIN_DISTINCT = 5_000  # distinct records that are kept, whatever the share
MIN_SAMPLE = 20_000  # records that a split tree is built on
PER_CELL = 100  # sampled records of a cell

Counts = NDArray[np.int64]


def sampling_share(records: int, cell_size: int) -> float:
    """Return the share of the records to sample so that cells of ``cell_size`` can be found."""
    return min(1.0, max(MIN_SAMPLE, PER_CELL * records // cell_size) / records)


@dataclass(frozen=True, eq=False)
class Sample:
    """The distinct records with the smallest keys, and how often each occurs.

    Equal records have equal keys, so sampling records would take all duplicates of a record or
    none. The samples of two parts contain all records of the sample of both, so merged counts
    stay exact.

    Parameters
    ----------
    table : pyarrow.Table
        The distinct records, in the order of their keys.
    keys : ndarray of shape (n_sampled,)
        Their keys.
    counts : ndarray of shape (n_sampled,)
        Number of records equal to each.
    share : float
        Records with a key below this share of all keys are kept, but at least
        ``MIN_DISTINCT`` of them.
    """

    table: pa.Table
    keys: Keys
    counts: Counts
    share: float

    @classmethod
    def from_records(cls, table: pa.Table, keys: Keys, share: float) -> Self:
        """Return the sample of some records."""
        return cls._smallest_keys(table, keys, np.ones(len(keys), np.int64), share)

    @classmethod
    def merge(cls, samples: Sequence["Sample"]) -> Self:
        """Return the sample of several parts together; their order does not matter."""
        return cls._smallest_keys(
            pa.concat_tables([sample.table for sample in samples]),
            np.concatenate([sample.keys for sample in samples]),
            np.concatenate([sample.counts for sample in samples]),
            samples[0].share,
        )

    @classmethod
    def _smallest_keys(cls, table: pa.Table, keys: Keys, counts: Counts, share: float) -> Self:
        distinct, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        totals = np.zeros(len(distinct), np.int64)
        np.add.at(totals, inverse, counts)
        n_kept = max(int(in_sample(distinct, share).sum()), min(len(distinct), MIN_DISTINCT))
        return cls(table.take(pa.array(first[:n_kept])), distinct[:n_kept], totals[:n_kept], share)

    @property
    def weights(self) -> NDArray[np.float64]:
        """Expected number of records of the whole table that each sampled one stands for."""
        if len(self.keys) < MIN_DISTINCT:
            return self.counts.astype(np.float64)
        share_kept = max(self.share, float(self.keys[-1]) / 2**64)
        return self.counts / min(1.0, share_kept)
