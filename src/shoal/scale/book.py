"""How the columns of a large table are read: the same numbers for every piece of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.frame import tables
from shoal.frame.columns import Column, column_from_counts
from shoal.frame.tables import Frame
from shoal.frame.types import Kind, Type
from shoal.geometry import axes_of, with_confidential, zscore
from shoal.scale.exact import UNIT
from shoal.scale.tally import COUNT, Moments, Tally
from shoal.scale.weights import Units, Weighed

Matrix = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Numbers:
    """A column of numbers with mean and deviation of the whole table, maybe weighted ones too."""

    name: str
    moments: Moments
    units: Units | None = None

    @property
    def flat(self) -> bool:
        """Whether all values are the same."""
        return self.moments.deviation == 0

    @property
    def known(self) -> int:
        """Number of values that are there."""
        return self.moments.known

    @property
    def holes(self) -> int:
        """Number of missing values."""
        return self.moments.holes

    def read(self, table: pa.Table, frame: Frame) -> Column:
        """Return the column of some records."""
        del table
        return Column(self.name, "numeric", tables.numbers(frame, self.name), np.empty(0, np.int64))

    def axes(self, column: Column, standardise: str) -> Matrix:
        """Return the column as an axis; a missing value stands at the mean."""
        mean, deviation = self.moments.mean, self.moments.deviation
        if standardise == "weighted" and self.units is not None:
            mean, deviation = self.units.mean, 0.0 if self.flat else self.units.deviation
        values = np.where(column.is_missing, mean, column.values)
        if standardise != "none":
            values = (values - mean) / (deviation or np.inf)
        return values[:, np.newaxis]


@dataclass(frozen=True, eq=False)
class Words:
    """A column of any other kind, with all its values.

    Parameters
    ----------
    name : str
        Its name.
    kind : str
        What its values are.
    values : pyarrow.Array
        The different values.
    places : ndarray of shape (n_values + 1,)
        The number that stands for each; not a number for what is missing, at the end.
    codes : ndarray of shape (n_values + 1,)
        The code of each; -1 for what is missing.
    points : dict of ndarray of shape (n_codes + 1, n_axes)
        The axes of each code, by the name of the units; what is missing stands at the mean.
    known, holes : int
        Number of values that are there, and of missing ones.
    """

    name: str
    kind: Kind
    values: pa.Array
    places: Matrix
    codes: Codes
    points: Mapping[str, Matrix]
    known: int
    holes: int

    @property
    def flat(self) -> bool:
        """Whether all values are the same."""
        return int(self.codes.max(initial=-1)) < 1

    def read(self, table: pa.Table, frame: Frame) -> Column:
        """Return the column of some records."""
        del frame
        array = table.column(self.name).combine_chunks()
        index = pc.index_in(array, value_set=self.values, skip_nulls=True)
        at = np.asarray(index.fill_null(-1).to_numpy(zero_copy_only=False), np.int64)
        return Column(self.name, self.kind, self.places[at], self.codes[at])

    def axes(self, column: Column, standardise: str) -> Matrix:
        """Return the column as axes; a missing value stands at the mean."""
        return self.points[standardise][column.codes]


Reading = Numbers | Words


@dataclass(frozen=True, eq=False)
class Book:
    """All columns that distances are taken on.

    Parameters
    ----------
    masked : list of Numbers or Words
        The masked columns.
    secret : list of Numbers or Words
        The confidential columns, where they take part.
    dependence : float
        Their share.
    standardise : str
        The units of distances: those of the step, or ``"weighted"`` z-scores.
    """

    masked: Sequence[Reading]
    secret: Sequence[Reading]
    dependence: float
    standardise: str

    @property
    def complete(self) -> list[str]:
        """The masked columns of numbers that miss none."""
        return [r.name for r in self.masked if isinstance(r, Numbers) and not r.holes]

    def read(self, table: pa.Table) -> list[Column]:
        """Return the masked columns of some records."""
        frame = tables.open_frame(table)
        return [reading.read(table, frame) for reading in self.masked]

    def space(self, table: pa.Table, columns: Sequence[Column]) -> Matrix:
        """Return the space in which some records are grouped."""
        Z = self.axes(columns)
        if self.secret:
            frame = tables.open_frame(table)
            hidden = [reading.read(table, frame) for reading in self.secret]
            Y = _side_by_side(self.secret, hidden, self.standardise)
            Z = with_confidential(Z, Y, self.dependence, (len(self.masked), len(self.secret)))
        return np.ascontiguousarray(Z)

    def axes(self, columns: Sequence[Column]) -> Matrix:
        """Return the masked columns in the units of distances."""
        return _side_by_side(self.masked, columns, self.standardise)

    def scores(self, columns: Sequence[Column]) -> Matrix:
        """Return the masked columns as z-scores."""
        return _side_by_side(self.masked, columns, "zscore")

    def loss(self, lost: Mapping[str, int]) -> float:
        """Return the share of the variation that is lost, in per cent.

        In z-scores, the squared distances of all records from the mean are as many as
        there are values; columns count alike, as in `shoal.metrics.information_loss`.
        """
        shares = [lost[r.name] * UNIT / r.known for r in self.masked if not r.flat]
        return float(100 * sum(shares) / len(shares)) if shares else 0.0


def open_book(
    tally: Tally,
    masked: Sequence[str],
    secret: Sequence[str],
    types: Mapping[str, Type],
    dependence: float,
    standardise: str,
) -> Book:
    """Return how columns are read, by what was counted of the whole table."""

    def opened(name: str) -> Reading:
        weighed = tally.weighed.get(name)
        if name in tally.moments:
            units = weighed if isinstance(weighed, Units) else None
            return Numbers(name, tally.moments[name], units)
        weights = weighed if isinstance(weighed, Weighed) else None
        return _words(name, tally.values[name], types.get(name), weights)

    return Book(
        [opened(name) for name in masked],
        [opened(name) for name in secret],
        dependence,
        standardise,
    )


def _words(name: str, counted: pa.Table, declared: Type | None, weighed: Weighed | None) -> Words:
    counted = counted.sort_by([(name, "ascending")])
    values, counts = (counted.column(one).combine_chunks() for one in (name, COUNT))
    number = counts.to_numpy().astype(np.int64)
    column = column_from_counts(name, values, number, declared)
    there = ~column.is_missing
    A = axes_of(column.values, column.codes, column.kind, column.distances, name)[there]
    weights = number[there].astype(np.float64)
    code = column.codes[there]
    mean = (A * weights[:, np.newaxis]).sum(axis=0) / max(1.0, weights.sum())
    spaces = {"zscore": (_scores(A, weights), 0 * mean), "none": (A, mean)}
    if weighed is not None:
        spaces["weighted"] = _scores(A, weighed.of_each(values)[there]), 0 * mean
    points = {}
    for units, (found, centre) in spaces.items():
        points[units] = np.vstack([np.zeros((int(code.max(initial=-1)) + 1, A.shape[1])), centre])
        points[units][code] = found
    return Words(
        name,
        column.kind,
        values.filter(pa.array(there)),
        np.append(column.values[there], np.nan),
        np.append(code, -1),
        points,
        int(weights.sum()),
        int(number[~there].sum()),
    )


def _scores(A: Matrix, weights: Matrix) -> Matrix:
    """Return axes that share a unit as z-scores, where each row counts as its weight says."""
    return zscore(A, np.zeros(A.shape[1], np.int64), weights) if len(A) else A


def _side_by_side(
    readings: Sequence[Reading], columns: Sequence[Column], standardise: str
) -> Matrix:
    pairs = zip(readings, columns, strict=True)
    return np.hstack([reading.axes(column, standardise) for reading, column in pairs])
