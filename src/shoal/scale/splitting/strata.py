"""The strata of a large table, and the cells into which each is divided."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.scale.encoders import Encoders
from shoal.scale.sources.sorting import sort_by
from shoal.scale.splitting.split_tree import SplitTree, build_split_tree
from shoal.scale.statistics.sample import Sample
from shoal.scale.statistics.table_statistics import TableStatistics
from shoal.scale.statistics.value_counts import COUNT

Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class MergedStrata:
    """How strata of fewer than k records were merged.

    Parameters
    ----------
    merged_into : ndarray of shape (n_strata,)
        The number of the merged stratum to which each stratum belongs.
    representative : ndarray of shape (n_strata,)
        The stratum whose values are released for the records of each stratum.
    """

    merged_into: Codes
    representative: Codes


@dataclass(frozen=True, eq=False)
class Strata:
    """The strata of a table, each divided into cells by a split tree.

    Parameters
    ----------
    columns : list of str
        The columns whose values define the strata, or an empty list if there are no strata.
    values : list of pyarrow.Array
        The distinct values of each column.
    codes : ndarray of shape (n_strata,)
        The code of each stratum, see `stratum_codes`; ascending.
    trees : list of SplitTree
        The split tree of each stratum; merged strata share one.
    merged_strata : MergedStrata, optional
        How strata that were too small were merged.
    """

    columns: Sequence[str]
    values: Sequence[pa.Array]
    codes: Codes
    trees: Sequence[SplitTree]
    merged_strata: MergedStrata | None = None

    @property
    def first_cells(self) -> Codes:
        """The number of the first cell of each stratum and, last, the number of all cells.

        The cells of a stratum are the leaves of its tree.
        """
        return np.cumsum([0, *(tree.n_leaves for tree in self.trees)])

    @property
    def cells_by_stratum(self) -> list[list[int]]:
        """The cells of each stratum."""
        first_cells = self.first_cells.tolist()
        return [list(range(start, stop)) for start, stop in pairwise(first_cells)]

    def stratum_of(self, table: pa.Table) -> Codes:
        """Return the number of each record's stratum, after merging."""
        original = self._original_stratum(table)
        return original if self.merged_strata is None else self.merged_strata.merged_into[original]

    def with_released_values(self, table: pa.Table) -> pa.Table:
        """Return the records with the released values in the columns of the strata."""
        if self.merged_strata is None:
            return table
        representative = self.merged_strata.representative[self._original_stratum(table)]
        positions = self._value_positions(self.codes[representative])
        for name, values, position in zip(self.columns, self.values, positions, strict=True):
            field = table.schema.field(name)
            released = values.take(pa.array(position)).cast(field.type)
            table = table.set_column(table.column_names.index(name), field, released)
        return table

    def cell_of(self, table: pa.Table, Z: NDArray[np.float64]) -> Codes:
        """Return the cell of each record."""
        stratum_of, first_cells = self.stratum_of(table), self.first_cells
        cells = np.full(len(Z), -1)
        for stratum in np.unique(stratum_of):
            rows = np.flatnonzero(stratum_of == stratum)
            cells[rows] = first_cells[stratum] + self.trees[stratum].leaves(Z[rows])
        return cells

    def _original_stratum(self, table: pa.Table) -> Codes:
        return np.searchsorted(self.codes, stratum_codes(table, self.columns, self.values))

    def _value_positions(self, codes: Codes) -> list[Codes]:
        """Return the positions of the values that codes of strata stand for, column by column."""
        positions: list[Codes] = []
        for values in reversed(self.values):
            codes, position = np.divmod(codes, len(values) + 1)
            positions.insert(0, position)
        return positions


def stratum_codes(table: pa.Table, columns: Sequence[str], values: Sequence[pa.Array]) -> Codes:
    """Return one code per record, made of the positions of its values among ``values``."""
    codes = np.zeros(len(table), np.int64)
    for name, distinct in zip(columns, values, strict=True):
        array = table.column(name).combine_chunks()
        position = pc.index_in(array, value_set=distinct, skip_nulls=False)
        codes = codes * (len(distinct) + 1) + position.to_numpy(zero_copy_only=False)
    return codes


def find_strata(statistics: TableStatistics, columns: Sequence[str]) -> tuple[Strata, Codes]:
    """Return the strata in the order of their values, not yet divided, and their sizes."""
    if not columns:
        return Strata((), (), np.zeros(1, np.int64), ()), np.array([statistics.n_records])
    strata: pa.Table = statistics.strata
    values = [_distinct_values(strata, name) for name in columns]
    codes = stratum_codes(strata, columns, values)
    order = np.argsort(codes)
    counts = strata.column(COUNT).to_numpy()[order]
    return Strata(list(columns), values, codes[order], ()), counts


def divide_strata(
    sample: Sample, encoders: Encoders, strata: Strata, counts: Codes, cell_size: int
) -> Strata:
    """Divide the strata into cells of about ``cell_size`` records.

    Parameters
    ----------
    sample : Sample
        A sample of the whole table.
    encoders : Encoders
        The encoders of the columns.
    strata : Strata
        The strata; strata that were merged are divided together.
    counts : ndarray of shape (n_strata,)
        Number of records in each stratum, before merging.
    cell_size : int
        Maximum number of records in a cell, as estimated by the sample.

    Returns
    -------
    Strata
        The strata with their split trees.
    """
    Z = encoders.coordinates(sample.table, encoders.read(sample.table))
    weights = sample.weights
    if strata.merged_strata is not None:
        counts = np.bincount(strata.merged_strata.merged_into, counts).astype(np.int64)
    stratum_of = strata.stratum_of(sample.table)
    trees = []
    for stratum, count in enumerate(counts):
        in_stratum = stratum_of == stratum
        stratum_weights = weights[in_stratum] if count > cell_size else None
        trees.append(build_split_tree(Z[in_stratum], cell_size, stratum_weights))
    return replace(strata, trees=trees)


def _distinct_values(strata: pa.Table, name: str) -> pa.Array:
    """Return the distinct values of a column of the strata, sorted."""
    column = strata.select([name]).group_by([name]).aggregate([]).column(name)
    return sort_by(pa.table({name: column}), []).column(name).combine_chunks()
