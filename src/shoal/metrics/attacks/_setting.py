"""What all attacks share: tables, targets, classes, distances and random draws."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Literal
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from shoal import _progress as progress
from shoal._kernels.mixed_search import (
    MixedIndex,
    MixedTable,
    build_index,
    list_within,
    tighten_bounds,
)
from shoal.metrics._base import Labels, Matrix, Values
from shoal.metrics.anonymity import classes
from shoal.metrics.attacks._tables import AttackTables, Column

STRIDE = 50  # targets searched for at a time, in one thread
ROUNDING = 1e-9  # squared distances that differ by a smaller share are equal up to rounding

Which = Literal["original", "control"]
Scale = Literal["values", "ranks"]


@dataclass(frozen=True, eq=False)
class Classes:
    """Released records that are equal on some columns.

    Parameters
    ----------
    labels : ndarray of shape (n_records,)
        Class of each record.
    first : ndarray of shape (n_classes,)
        One record of each class.
    sizes : ndarray of shape (n_classes,)
        Number of records of each class.
    """

    labels: Labels
    first: Labels
    sizes: Labels

    @cached_property
    def _order(self) -> Labels:
        """The records, class by class."""
        return np.argsort(self.labels, kind="stable")

    @cached_property
    def _starts(self) -> Labels:
        """Where the records of each class begin."""
        return np.asarray(np.cumsum(self.sizes) - self.sizes)

    def records(self, chosen: Labels) -> Labels:
        """Return all records of the chosen classes."""
        order, starts = self._order, self._starts
        parts = [order[starts[c] : starts[c] + self.sizes[c]] for c in chosen.tolist()]
        return np.concatenate(parts)


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The nearest classes of each target; several if they are equally near.

    Parameters
    ----------
    squares : ndarray of shape (n_targets,)
        Squared distance to the nearest class.
    starts : ndarray of shape (n_targets + 1,)
        Where the classes of each target begin in ``nearest``.
    nearest : ndarray
        The nearest classes of all targets, one after the other.
    """

    squares: Values
    starts: Labels
    nearest: Labels

    def of(self, target: int) -> Labels:
        """Return the nearest classes of one target."""
        return self.nearest[self.starts[target] : self.starts[target + 1]]


@dataclass(eq=False)
class Setting:
    """Tables, options and shared results of a run of attacks.

    Parameters
    ----------
    tables : AttackTables
        The columns of all tables.
    quasi_identifiers : tuple of str
        Columns that the attacker knows of a target, among those that can be compared.
    confidential : tuple of str
        Columns that the attacker wants to learn.
    k : int
        Smallest class on all released quasi-identifiers, in units.
    smallest_class : int
        The same, in records.
    unit_share : float
        Greatest share of one unit among the records of a class; 1/k where units are records.
    units : ndarray of shape (n_records,), optional
        Unit of each original record.
    aligned : bool
        Whether the records of both tables are in the same order.
    n_attacks : int
        Greatest number of targets.
    seed : int
        Seed of all draws.
    n_jobs : int
        Number of threads.
    tolerance : float
        Relative error within which a guessed number is right.
    predicate_columns : int
        Number of columns in a multivariate predicate.
    halves : pair of tuples of str, optional
        Columns of both sources for linkability.
    rows : ndarray, optional
        Original records that may be targets; all by default.
    control_members : ndarray, optional
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
    n_attacks: int
    seed: int
    n_jobs: int
    tolerance: float
    predicate_columns: int
    halves: tuple[tuple[str, ...], tuple[str, ...]] | None = None
    rows: Labels | None = None
    control_members: Labels | None = None
    _classes: dict[tuple[str, ...], Classes] = field(default_factory=dict)
    _neighbours: dict[object, Neighbours] = field(default_factory=dict)
    _indexes: dict[object, MixedIndex] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.n_released = len(next(iter(self.tables.released.values())))
        self.n_original = len(next(iter(self.tables.original.values())))
        self.targets = self._sample("targets", self.n_original, self.rows)
        control = self.tables.control
        n_control = 0 if control is None else len(next(iter(control.values())))
        self.control_targets = self._sample("control", n_control, self.control_members)
        self.control_rows = np.arange(n_control)  # as many as the original has, if there are
        if n_control > self.n_original:
            rows = self.rng("control rows").choice(n_control, self.n_original, replace=False)
            self.control_rows = np.sort(rows)

    def rng(self, purpose: str) -> np.random.Generator:
        """Return a separate generator for each purpose, so that attacks are independent."""
        return np.random.default_rng([self.seed, crc32(purpose.encode())])

    def _sample(self, purpose: str, n: int, rows: Labels | None) -> Labels:
        rows = np.arange(n) if rows is None else rows
        if len(rows) <= self.n_attacks:
            return rows
        chosen = self.rng(purpose).choice(len(rows), self.n_attacks, replace=False)
        return rows[np.sort(chosen)]

    def of_group(self, rows: Labels, control_members: Labels | None) -> "Setting":
        """Return the same setting with targets of a group only; classes and indexes are shared."""
        return replace(self, rows=rows, control_members=control_members, _neighbours={})

    def classes(self, names: Sequence[str]) -> Classes:
        """Return the classes of released records that are equal on the columns."""
        key = tuple(sorted(names))
        if key not in self._classes:
            labels = classes(np.column_stack([self.tables.released[name] for name in key]))
            _, first, sizes = np.unique(labels, return_index=True, return_counts=True)
            self._classes[key] = Classes(labels, first, sizes)
        return self._classes[key]

    def points(
        self, names: Sequence[str], rows: Labels, which: Which, scale: Scale
    ) -> tuple[MixedTable, MixedTable]:
        """Return the classes on the columns and some records as points on a common scale.

        Numbers have mean 0 and standard deviation 1 in the release, which an attacker has. On the
        scale of ranks, each number is replaced by its rank in its own table before.
        """
        first = self.classes(names).first
        source = self.tables.control if which == "control" else self.tables.original
        assert source is not None
        table, targets = [], []
        for name in (name for name in names if self.tables.is_number(name)):
            after, before = self.tables.released[name], source[name]
            if scale == "ranks":
                after, before = mean_ranks(after), mean_ranks(before)
            known = after[~np.isnan(after)]
            centre = known.mean() if len(known) else 0.0
            unit = _spread(known, centre) if len(known) else 0.0
            unit = unit if unit > 0 else 1.0
            table.append((after[first] - centre) / unit)
            targets.append((before[rows] - centre) / unit)
        kinds = [name for name in names if not self.tables.is_number(name)]
        return (
            MixedTable(_stack(table, len(first)), _stack_codes(self.tables.released, kinds, first)),
            MixedTable(_stack(targets, len(rows)), _stack_codes(source, kinds, rows)),
        )

    def neighbours(
        self, names: Sequence[str], which: Which = "original", scale: Scale = "values"
    ) -> Neighbours:
        """Return the nearest classes of all targets of a table, by their values in the columns."""
        names = tuple(sorted(names))
        key = (names, which, scale)
        if key not in self._neighbours:
            rows = self.targets if which == "original" else self.control_targets
            table, targets = self.points(names, rows, which, scale)
            if (names, scale) not in self._indexes:
                self._indexes[names, scale] = build_index(table)
            search = partial(_search, self._indexes[names, scale], targets)
            self._neighbours[key] = self._in_parallel(search, len(rows), "attacks: nearest records")
        return self._neighbours[key]

    def _in_parallel(self, search: partial[Neighbours], n: int, stage: str) -> Neighbours:
        parts = [slice(start, min(n, start + STRIDE)) for start in range(0, n, STRIDE)]
        results = []
        with ThreadPoolExecutor(self.n_jobs) as pool:
            for part, result in zip(parts, pool.map(search, parts), strict=True):
                results.append(result)
                progress.report(stage, part.stop, n)
        counts = np.concatenate([np.diff(part.starts) for part in results])
        return Neighbours(
            np.concatenate([part.squares for part in results]),
            np.concatenate([[0], np.cumsum(counts)]),
            np.concatenate([part.nearest for part in results]),
        )


def _search(index: MixedIndex, all_targets: MixedTable, part: slice) -> Neighbours:
    """Return the nearest classes of a part of the targets."""
    targets = all_targets.select_rows(part)
    squares = np.full(len(targets.numbers), np.inf)
    tighten_bounds(index, targets, squares)
    bounds = squares * (1 + ROUNDING)
    counts = np.zeros(len(squares), np.int64)
    list_within(index, targets, bounds, counts, np.empty(0, np.int64))
    starts = np.concatenate([[0], np.cumsum(counts)])
    nearest = np.empty(starts[-1], np.int64)
    list_within(index, targets, bounds, starts[:-1].copy(), nearest)
    return Neighbours(squares, starts, nearest)


def _spread(values: Values, centre: float) -> float:
    """Return the standard deviation, also where the squares of the values are too large."""
    with np.errstate(over="ignore"):
        spread = float(values.std())
    if np.isfinite(spread):
        return spread
    greatest = float(np.abs(values - centre).max())
    return greatest * float((values / greatest).std())


def mean_ranks(values: Values) -> Values:
    """Return the rank of each value divided by their number; equal values share the mean rank."""
    known = ~np.isnan(values)
    ranked = np.full(len(values), np.nan)
    if known.any():
        _, place, counts = np.unique(values[known], return_inverse=True, return_counts=True)
        middle = np.cumsum(counts) - (counts - 1) / 2
        ranked[known] = middle[place.ravel()] / known.sum()
    return ranked


def _stack(columns: list[Values], rows: int) -> Matrix:
    return np.ascontiguousarray(np.array(columns).reshape(len(columns), rows).T)


def _stack_codes(table: dict[str, Column], names: list[str], rows: Labels) -> NDArray[np.int64]:
    columns = np.array([table[name][rows] for name in names], np.int64)
    return np.ascontiguousarray(columns.reshape(len(names), len(rows)).T)
