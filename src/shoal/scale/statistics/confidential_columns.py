"""Confidential values of a large table, coded alike in every part of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.frame import tables
from shoal.frame.columns import rank_or_category_codes
from shoal.frame.types import Type
from shoal.metrics.class_tallies import Tally
from shoal.metrics.risk.closeness import distance_from_table
from shoal.scale.statistics.value_counts import COUNT
from shoal.steps.constraints.privacy_constraint import PrivacyConstraint

Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ConfidentialColumn:
    """A confidential column, all of whose values are known with their frequencies.

    Parameters
    ----------
    name : str
        The name of the column.
    values : pyarrow.Array
        The distinct values.
    codes : ndarray of shape (n_values,)
        The code of each value, the same as `shoal.frame.columns.rank_or_category_codes` returns for
        the whole table.
    totals : ndarray of shape (n_codes,)
        How many records of the table have each code.
    is_ordered : bool
        Whether the order of the codes is meaningful.
    """

    name: str
    values: pa.Array
    codes: Codes
    totals: Codes
    is_ordered: bool

    @classmethod
    def from_counts(
        cls, name: str, counts: pa.Table, types: Mapping[str, Type]
    ) -> "ConfidentialColumn":
        """Return the column whose values and frequencies are ``counts``."""
        counts = counts.sort_by([(name, "ascending")])
        code_matrix, is_rank = rank_or_category_codes(
            tables.open_frame(counts.select([name])), [name], types
        )
        codes = code_matrix[:, 0]
        totals = np.zeros(int(codes.max()) + 1, np.int64)
        np.add.at(totals, codes, counts.column(COUNT).to_numpy())
        values = counts.column(name).combine_chunks()
        return cls(name, values, codes, totals, bool(is_rank[0]))

    def read(self, table: pa.Table) -> Codes:
        """Return the codes of the given records."""
        array = table.column(self.name).combine_chunks().cast(self.values.type)
        position = pc.index_in(array, value_set=self.values, skip_nulls=False)
        codes: Codes = self.codes[position.to_numpy(zero_copy_only=False)]
        return codes

    def distances(self, labels: Codes, codes: Codes) -> NDArray[np.float64]:
        """Return the distance of each class of records from the table.

        Parameters
        ----------
        labels : ndarray of shape (n_records,)
            The class of each record, numbered from 0.
        codes : ndarray of shape (n_records,)
            The code of each record's value.

        Returns
        -------
        ndarray of shape (n_classes,)
            Distances in [0, 1], as `shoal.metrics.t_closeness` computes it.
        """
        n_codes = len(self.totals)
        pairs, count = np.unique(labels * n_codes + codes, return_counts=True)
        tally = Tally(pairs // n_codes, pairs % n_codes, count, np.bincount(labels), self.totals)
        return distance_from_table(tally, self.is_ordered)


@dataclass(frozen=True, eq=False)
class RegionConstraint(PrivacyConstraint):
    """A constraint on a part of a table; distances are from the whole table.

    Parameters
    ----------
    table_totals : list of ndarray
        How often each value occurs in the whole table, by column.
    """

    table_totals: Sequence[Codes] = ()

    @cached_property
    def totals(self) -> list[Codes]:
        """How often each value occurs in the whole table, by column."""
        return list(self.table_totals)
