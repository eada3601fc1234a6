"""The input of all attacks: tables, targets and options, with shared classes and neighbours."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal
from zlib import crc32

import numpy as np

from shoal._kernels.mixed_search import MixedIndex, MixedTable, build_index
from shoal.metrics._array_types import Codes, Labels, Matrix, Rows, Values
from shoal.metrics._ranks import mean_ranks
from shoal.metrics.attacks._neighbours import Neighbours, search_neighbours
from shoal.metrics.attacks._released_classes import ReleasedClasses
from shoal.metrics.attacks._tables import AttackTables, Column
from shoal.metrics.equivalence_classes import classes

TargetTable = Literal["original", "control"]
Scale = Literal["values", "ranks"]


@dataclass(frozen=True, kw_only=True)
class AttackOptions:
    """Options of a run of attacks.

    Parameters
    ----------
    n_attacks : int
        Maximum number of targets, or of predicates.
    tolerance : float
        Relative error within which a guessed number is right.
    predicate_columns : int
        Number of columns in a multivariate predicate.
    halves : pair of tuples of str, optional
        Columns of both sources for linkability.
    seed : int
        Seed of all random numbers.
    n_jobs : int
        Number of threads.
    """

    n_attacks: int
    tolerance: float
    predicate_columns: int
    halves: tuple[tuple[str, ...], tuple[str, ...]] | None
    seed: int
    n_jobs: int


@dataclass(eq=False)
class AttackSetting:
    """Tables and options of a run of attacks; classes and neighbours are computed once.

    Parameters
    ----------
    tables : AttackTables
        The columns of all tables.
    quasi_identifiers : tuple of str
        Columns that the attacker knows of a target, among those that can be compared.
    confidential : tuple of str
        Columns that the attacker wants to learn.
    k : int
        Size of the smallest class on all released quasi-identifiers, in units.
    smallest_class : int
        Size of the smallest class, in records.
    unit_share : float
        Largest share of one unit among the records of a class; 1/k if units are records.
    units : ndarray of shape (n_records,), optional
        Unit of each original record.
    aligned : bool
        Whether the records of both tables are in the same order.
    options : AttackOptions
        Options of the attacks.
    eligible_rows : ndarray, optional
        Original records that may be targets; all by default.
    eligible_control_rows : ndarray, optional
        Records of the control table that may be targets; all by default.
    """

    tables: AttackTables
    quasi_identifiers: tuple[str, ...]
    confidential: tuple[str, ...]
    k: int
    smallest_class: int
    unit_share: float
    units: Labels | None
    aligned: bool
    options: AttackOptions
    eligible_rows: Rows | None = None
    eligible_control_rows: Rows | None = None
    _classes: dict[tuple[str, ...], ReleasedClasses] = field(default_factory=dict)
    _neighbours: dict[object, Neighbours] = field(default_factory=dict)
    _indexes: dict[object, MixedIndex] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.n_released = len(next(iter(self.tables.released.values())))
        self.n_original = len(next(iter(self.tables.original.values())))
        self.targets = self._sample("targets", self.n_original, self.eligible_rows)
        control = self.tables.control
        n_control = 0 if control is None else len(next(iter(control.values())))
        self.control_targets = self._sample("control", n_control, self.eligible_control_rows)
        # No more control records than original ones, so that counts in both can be compared.
        self.control_rows = np.arange(n_control)
        if n_control > self.n_original:
            rows = self.rng("control rows").choice(n_control, self.n_original, replace=False)
            self.control_rows = np.sort(rows)

    def rng(self, purpose: str) -> np.random.Generator:
        """Return a separate generator for each purpose, so that attacks are independent."""
        return np.random.default_rng([self.options.seed, crc32(purpose.encode())])

    def _sample(self, purpose: str, n_records: int, eligible_rows: Rows | None) -> Rows:
        """Return at most ``n_attacks`` random rows of a table."""
        rows = np.arange(n_records) if eligible_rows is None else eligible_rows
        if len(rows) <= self.options.n_attacks:
            return rows
        sampled = self.rng(purpose).choice(len(rows), self.options.n_attacks, replace=False)
        return rows[np.sort(sampled)]

    def with_targets_of(
        self, eligible_rows: Rows, eligible_control_rows: Rows | None
    ) -> "AttackSetting":
        """Return the setting with the targets of a group; classes and indexes are shared."""
        return replace(
            self,
            eligible_rows=eligible_rows,
            eligible_control_rows=eligible_control_rows,
            _neighbours={},
        )

    def classes(self, names: Sequence[str]) -> ReleasedClasses:
        """Return the classes of released records that are equal on the given columns."""
        key = tuple(sorted(names))
        if key not in self._classes:
            labels = classes(np.column_stack([self.tables.released[name] for name in key]))
            _, representatives, sizes = np.unique(labels, return_index=True, return_counts=True)
            self._classes[key] = ReleasedClasses(labels, representatives, sizes)
        return self._classes[key]

    def points(
        self, names: Sequence[str], rows: Rows, target_table: TargetTable, scale: Scale
    ) -> tuple[MixedTable, MixedTable]:
        """Return the released classes and the targets in ``rows`` as points on a common scale.

        On this scale, the numbers of the release, which an attacker has, have mean 0 and standard
        deviation 1. On the scale of ranks, numbers are first replaced by their ranks in their own
        table.
        """
        representatives = self.classes(names).representatives
        source = self.tables.control if target_table == "control" else self.tables.original
        assert source is not None
        class_columns, target_columns = [], []
        for name in (name for name in names if self.tables.is_quantitative(name)):
            released_values, target_values = self.tables.released[name], source[name]
            if scale == "ranks":
                released_values = _rank_shares(released_values)
                target_values = _rank_shares(target_values)
            present_values = released_values[~np.isnan(released_values)]
            centre = present_values.mean() if len(present_values) else 0.0
            std = _standard_deviation(present_values, centre) if len(present_values) else 0.0
            std = std if std > 0 else 1.0
            class_columns.append((released_values[representatives] - centre) / std)
            target_columns.append((target_values[rows] - centre) / std)
        category_names = [name for name in names if not self.tables.is_quantitative(name)]
        released_classes = MixedTable(
            _stack_numbers(class_columns, len(representatives)),
            _stack_codes(self.tables.released, category_names, representatives),
        )
        targets = MixedTable(
            _stack_numbers(target_columns, len(rows)), _stack_codes(source, category_names, rows)
        )
        return released_classes, targets

    def neighbours(
        self, names: Sequence[str], target_table: TargetTable = "original", scale: Scale = "values"
    ) -> Neighbours:
        """Return the released classes that are nearest to each target on the given columns."""
        names = tuple(sorted(names))
        key = (names, target_table, scale)
        if key not in self._neighbours:
            rows = self.targets if target_table == "original" else self.control_targets
            released_classes, targets = self.points(names, rows, target_table, scale)
            if (names, scale) not in self._indexes:
                self._indexes[names, scale] = build_index(released_classes)
            index = self._indexes[names, scale]
            self._neighbours[key] = search_neighbours(index, targets, self.options.n_jobs)
        return self._neighbours[key]


def _standard_deviation(values: Values, centre: float) -> float:
    """Return the standard deviation, even if squares of the values are too large for a float."""
    with np.errstate(over="ignore"):
        std = float(values.std())
    if np.isfinite(std):
        return std
    largest = float(np.abs(values - centre).max())
    return largest * float((values / largest).std())


def _rank_shares(values: Values) -> Values:
    """Return the mean rank of each value divided by the number of values; NaN stays NaN."""
    is_present = ~np.isnan(values)
    rank_shares = np.full(len(values), np.nan)
    if is_present.any():
        rank_shares[is_present] = mean_ranks(values[is_present]) / is_present.sum()
    return rank_shares


def _stack_numbers(columns: list[Values], n_rows: int) -> Matrix:
    return np.ascontiguousarray(np.array(columns).reshape(len(columns), n_rows).T)


def _stack_codes(table: dict[str, Column], names: list[str], rows: Rows) -> Codes:
    columns = np.array([table[name][rows] for name in names], np.int64)
    return np.ascontiguousarray(columns.reshape(len(names), len(rows)).T)
