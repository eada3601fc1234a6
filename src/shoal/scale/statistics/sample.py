"""A sample of distinct records with their exact counts, independent of the order of records."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.scale.statistics.hashes import Hashes, in_sample

MIN_DISTINCT = 5_000  # distinct records that are kept, whatever the share
MIN_SAMPLE = 20_000  # minimum number of records from which a split tree is built
PER_CELL = 100  # sampled records per cell

Counts = NDArray[np.int64]


def sampling_share(n_records: int, cell_size: int) -> float:
    """Return the share of the records to sample for splitting them into cells of ``cell_size``."""
    return min(1.0, max(MIN_SAMPLE, PER_CELL * n_records // cell_size) / n_records)


@dataclass(frozen=True, eq=False)
class Sample:
    """The distinct records with the smallest hashes, and how often each occurs.

    Equal records have equal hashes, so a sample of single records would contain all duplicates of
    a record or none; a sample of distinct records with counts represents them all. Every record in
    the sample of two parts together is in the sample of each part in which it occurs, so merged
    counts are exact.

    Parameters
    ----------
    table : pyarrow.Table
        The distinct records, in ascending order of their hashes.
    hashes : ndarray of shape (n_sampled,)
        The hash of each distinct record.
    counts : ndarray of shape (n_sampled,)
        Number of records equal to each.
    share : float
        Share of the range of hashes whose records are kept; at least ``MIN_DISTINCT``
        distinct records are kept.
    """

    table: pa.Table
    hashes: Hashes
    counts: Counts
    share: float

    @classmethod
    def from_records(cls, table: pa.Table, hashes: Hashes, share: float) -> Self:
        """Return the sample of the given records."""
        return cls._smallest_hashes(table, hashes, np.ones(len(hashes), np.int64), share)

    @classmethod
    def merge(cls, samples: Sequence["Sample"]) -> Self:
        """Return the sample of several parts together; their order does not matter."""
        return cls._smallest_hashes(
            pa.concat_tables([sample.table for sample in samples]),
            np.concatenate([sample.hashes for sample in samples]),
            np.concatenate([sample.counts for sample in samples]),
            samples[0].share,
        )

    @classmethod
    def _smallest_hashes(
        cls, table: pa.Table, hashes: Hashes, counts: Counts, share: float
    ) -> Self:
        distinct, first, inverse = np.unique(hashes, return_index=True, return_inverse=True)
        totals = np.zeros(len(distinct), np.int64)
        np.add.at(totals, inverse, counts)
        n_kept = max(int(in_sample(distinct, share).sum()), min(len(distinct), MIN_DISTINCT))
        return cls(table.take(pa.array(first[:n_kept])), distinct[:n_kept], totals[:n_kept], share)

    @property
    def weights(self) -> NDArray[np.float64]:
        """Expected number of records of the whole table that each sampled record stands for."""
        if len(self.hashes) < MIN_DISTINCT:
            return self.counts.astype(np.float64)
        share_kept = max(self.share, float(self.hashes[-1]) / 2**64)
        return self.counts / min(1.0, share_kept)
