"""Confidential values of a large table, coded alike in every part of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.frame import tables
from shoal.frame.columns import rank_or_category_codes
from shoal.frame.tables import Frame, arrow
from shoal.frame.types import Type
from shoal.metrics.class_tallies import Tally, count_pairs, weights_in_class
from shoal.metrics.equivalence_classes import sizes_per_class
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
        How often each code occurs in the table: in records or, where units count, in units, each
        divided among its records.
    is_ordered : bool
        Whether the order of the codes is meaningful.
    """

    name: str
    values: pa.Array
    codes: Codes
    totals: NDArray[Any]
    is_ordered: bool

    @classmethod
    def from_counts(
        cls, name: str, counts: pa.Table, types: Mapping[str, Type]
    ) -> "ConfidentialColumn":
        """Return the column whose values and frequencies are ``counts``."""
        counts = counts.sort_by([(name, "ascending")])
        frame = tables.open_frame(counts.select([name]))
        return cls.from_distinct_records(name, frame, counts.column(COUNT).to_numpy(), types)

    @classmethod
    def from_distinct_records(
        cls,
        name: str,
        frame: Frame,
        record_counts: Codes,
        types: Mapping[str, Type],
        units: Codes | None = None,
    ) -> "ConfidentialColumn":
        """Return a column of a table whose distinct records are known.

        Parameters
        ----------
        name : str
            The name of the column.
        frame : Frame
            The distinct records; the codes of categories follow their order.
        record_counts : ndarray of shape (n_rows,)
            How often each of them occurs in the table.
        types : mapping of str to Type
            Declared types of columns.
        units : ndarray of shape (n_rows,), optional
            The unit of each record, if k counts units.

        Returns
        -------
        ConfidentialColumn
            The column, with frequencies in units if these are given.
        """
        code_matrix, is_rank = rank_or_category_codes(frame, [name], types)
        codes = code_matrix[:, 0]
        if units is None:
            totals: NDArray[Any] = np.bincount(codes, record_counts).astype(np.int64)
        else:
            one_class = np.zeros(len(codes), np.int64)
            totals = np.bincount(codes, weights_in_class(one_class, units, record_counts))
        coded = pa.table({"value": arrow(frame, name), "code": codes})
        distinct = coded.group_by(["value"]).aggregate([("code", "min")]).combine_chunks()
        values = distinct.column("value").combine_chunks()
        return cls(name, values, distinct.column("code_min").to_numpy(), totals, bool(is_rank[0]))

    def read(self, table: pa.Table) -> Codes:
        """Return the codes of the given records."""
        array = table.column(self.name).combine_chunks().cast(self.values.type)
        position = pc.index_in(array, value_set=self.values, skip_nulls=False)
        codes: Codes = self.codes[position.to_numpy(zero_copy_only=False)]
        return codes

    def distances(
        self, labels: Codes, codes: Codes, units: Codes | None = None
    ) -> NDArray[np.float64]:
        """Return the distance of each class of records from the table.

        Parameters
        ----------
        labels : ndarray of shape (n_records,)
            The class of each record, numbered from 0.
        codes : ndarray of shape (n_records,)
            The code of each record's value.
        units : ndarray of shape (n_records,), optional
            The unit of each record, if the frequencies of the table are in units. All records that
            a unit has in a class must be given.

        Returns
        -------
        ndarray of shape (n_classes,)
            Distances in [0, 1], as `shoal.metrics.t_closeness` computes it.
        """
        weights = None if units is None else weights_in_class(labels, units)
        pairs = count_pairs(labels, codes, len(self.totals), weights)
        tally = Tally(*pairs, sizes_per_class(labels, units), self.totals)
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
