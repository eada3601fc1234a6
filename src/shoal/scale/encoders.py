"""Encode columns of a large table, so that a value has the same coordinates in every chunk."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.frame import tables
from shoal.frame.columns import Column, column_from_counts
from shoal.frame.tables import Frame
from shoal.frame.types import Kind, Type
from shoal.geometry import axes_of, with_confidential, zscore
from shoal.scale.statistics.exact_sums import UNIT
from shoal.scale.statistics.table_statistics import Moments, TableStatistics
from shoal.scale.statistics.value_counts import COUNT
from shoal.scale.statistics.weights import WeightedMoments, WeightedValues
from shoal.steps.microaggregation.distance_space import DistanceSpace

Matrix = NDArray[np.float64]
Weights = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(frozen=True)
class NumericEncoder:
    """Encodes a numeric column by the moments of the whole table, or weighted moments if given."""

    name: str
    moments: Moments
    weighted_moments: WeightedMoments | None = None

    @property
    def is_constant(self) -> bool:
        """Whether all values are the same."""
        return self.moments.deviation == 0

    @property
    def n_present(self) -> int:
        """Number of values that are not missing."""
        return self.moments.n_present

    @property
    def n_missing(self) -> int:
        """Number of missing values."""
        return self.moments.n_missing

    def read(self, table: pa.Table, frame: Frame) -> Column:
        """Return the column of the given records."""
        del table
        return Column(self.name, "numeric", tables.numbers(frame, self.name), np.empty(0, np.int64))

    def axes(self, column: Column, standardise: str) -> Matrix:
        """Return the column as one axis; missing values lie at the mean."""
        mean, deviation = self.moments.mean, self.moments.deviation
        if standardise == "weighted" and self.weighted_moments is not None:
            mean = self.weighted_moments.mean
            deviation = 0.0 if self.is_constant else self.weighted_moments.deviation
        values = np.where(column.is_missing, mean, column.values)
        if standardise != "none":
            values = (values - mean) / (deviation or np.inf)
        return values[:, np.newaxis]


@dataclass(frozen=True, eq=False)
class CategoricalEncoder:
    """Encodes a column of any other kind, all of whose values are known.

    Parameters
    ----------
    name : str
        The name of the column.
    kind : str
        The kind of its values.
    values : pyarrow.Array
        The distinct values.
    numbers : ndarray of shape (n_values + 1,)
        The number of each value, such as its rank; NaN for missing values, at the end.
    codes : ndarray of shape (n_values + 1,)
        The code of each value; -1 for missing values, at the end.
    points_by_code : dict of ndarray of shape (n_codes + 1, n_axes)
        The coordinates of each code, by the kind of standardisation; missing values, at the
        end, lie at the mean.
    n_present, n_missing : int
        Number of values that are present, and number of missing values.
    """

    name: str
    kind: Kind
    values: pa.Array
    numbers: Matrix
    codes: Codes
    points_by_code: Mapping[str, Matrix]
    n_present: int
    n_missing: int

    @property
    def is_constant(self) -> bool:
        """Whether all values are the same."""
        return int(self.codes.max(initial=-1)) < 1

    def read(self, table: pa.Table, frame: Frame) -> Column:
        """Return the column of the given records."""
        del frame
        array = table.column(self.name).combine_chunks()
        index = pc.index_in(array, value_set=self.values, skip_nulls=True)
        position = np.asarray(index.fill_null(-1).to_numpy(zero_copy_only=False), np.int64)
        return Column(self.name, self.kind, self.numbers[position], self.codes[position])

    def axes(self, column: Column, standardise: str) -> Matrix:
        """Return the column as one or more axes; missing values lie at the mean."""
        return self.points_by_code[standardise][column.codes]


Encoder = NumericEncoder | CategoricalEncoder


@dataclass(frozen=True, eq=False)
class Encoders:
    """The encoders of all columns that distances are computed on.

    Parameters
    ----------
    masked : list of Encoder
        Encoders of the masked columns.
    confidential : list of Encoder
        Encoders of the confidential columns, or an empty list unless distances depend on them.
    dependence : float
        Share of the confidential columns in the distances.
    standardise : str
        The standardisation of distances: that of the step, or ``"weighted"`` z-scores.
    factors : dict
        What the axes of a column are multiplied by in distances; 1 for columns not named.
    """

    masked: Sequence[Encoder]
    confidential: Sequence[Encoder]
    dependence: float
    standardise: str
    factors: Mapping[str, float] = field(default_factory=dict)

    @property
    def complete_columns(self) -> list[str]:
        """The masked numeric columns without missing values."""
        return [
            encoder.name
            for encoder in self.masked
            if isinstance(encoder, NumericEncoder) and not encoder.n_missing
        ]

    def read(self, table: pa.Table) -> list[Column]:
        """Return the masked columns of the given records."""
        frame = tables.open_frame(table)
        return [encoder.read(table, frame) for encoder in self.masked]

    def coordinates(self, table: pa.Table, columns: Sequence[Column]) -> Matrix:
        """Return the coordinates in which the given records are grouped."""
        Z = self.axes(columns)
        if self.confidential:
            n_columns = (len(self.masked), len(self.confidential))
            Z = with_confidential(Z, self._confidential_axes(table), self.dependence, n_columns)
        return np.ascontiguousarray(Z)

    def distance_space(self, table: pa.Table, columns: Sequence[Column]) -> DistanceSpace:
        """Return the distance space of the given records, as steps in memory use it."""
        axes_by_column = self._axes_by_column(columns)
        column_of_axis = np.repeat(
            np.arange(len(axes_by_column)), [axes.shape[1] for axes in axes_by_column]
        )
        names = [encoder.name for encoder in self.masked]
        if not self.confidential:
            return DistanceSpace(names, np.hstack(axes_by_column), column_of_axis, [])
        return DistanceSpace(
            names,
            np.hstack(axes_by_column),
            column_of_axis,
            [],
            self.dependence,
            self._confidential_axes(table),
            len(self.confidential),
        )

    def axes(self, columns: Sequence[Column]) -> Matrix:
        """Return the masked columns, standardised as distances are."""
        return np.hstack(self._axes_by_column(columns))

    def _confidential_axes(self, table: pa.Table) -> Matrix:
        """Return the confidential columns of the given records, standardised as distances are."""
        frame = tables.open_frame(table)
        columns = [encoder.read(table, frame) for encoder in self.confidential]
        return _concatenate_axes(self.confidential, columns, self.standardise)

    def _axes_by_column(self, columns: Sequence[Column]) -> list[Matrix]:
        """Return the axes of each masked column, multiplied by its factor."""
        axes_by_column = []
        for encoder, column in zip(self.masked, columns, strict=True):
            axes = encoder.axes(column, self.standardise)
            factor = self.factors.get(encoder.name, 1.0)
            axes_by_column.append(axes if factor == 1 else axes * factor)
        return axes_by_column

    def zscores(self, columns: Sequence[Column]) -> Matrix:
        """Return the masked columns as z-scores."""
        return _concatenate_axes(self.masked, columns, "zscore")

    def information_loss(self, squared_errors: Mapping[str, int]) -> float:
        """Return the share of the variation that is lost, in per cent.

        For each column, the sum of the squares of z-scores is the number of values. Columns have
        equal weight, as in `shoal.metrics.information_loss`.
        """
        varying = [encoder for encoder in self.masked if not encoder.is_constant]
        shares = [squared_errors[encoder.name] * UNIT / encoder.n_present for encoder in varying]
        return float(100 * sum(shares) / len(shares)) if shares else 0.0


def make_encoders(
    statistics: TableStatistics,
    masked: Sequence[str],
    confidential: Sequence[str],
    types: Mapping[str, Type],
    dependence: float,
    standardise: str,
    column_weights: Mapping[str, float] | None = None,
) -> Encoders:
    """Return the encoders that follow from the statistics of the whole table."""
    factors = {name: float((column_weights or {}).get(name, 1.0)) for name in masked}
    if column_weights and confidential:  # so that a common factor does not change their share
        mean = np.sqrt(np.mean(np.square(list(factors.values()))))
        factors = {name: factor / mean for name, factor in factors.items()}

    def make_encoder(name: str) -> Encoder:
        weighted = statistics.weighted.get(name)
        if name in statistics.moments:
            moments = weighted if isinstance(weighted, WeightedMoments) else None
            return NumericEncoder(name, statistics.moments[name], moments)
        weights = weighted if isinstance(weighted, WeightedValues) else None
        return _categorical_encoder(name, statistics.value_counts[name], types.get(name), weights)

    return Encoders(
        [make_encoder(name) for name in masked],
        [make_encoder(name) for name in confidential],
        dependence,
        standardise,
        factors,
    )


def _categorical_encoder(
    name: str,
    value_counts: pa.Table,
    declared_type: Type | None,
    weighted_values: WeightedValues | None,
) -> CategoricalEncoder:
    """Return the encoder of a column, given its distinct values with their counts."""
    value_counts = value_counts.sort_by([(name, "ascending")])
    values, count_array = (value_counts.column(column).combine_chunks() for column in (name, COUNT))
    counts = count_array.to_numpy().astype(np.int64)
    column = column_from_counts(name, values, counts, declared_type)
    present = ~column.is_missing
    A = axes_of(*column.axes_arguments)[present]
    weights = counts[present].astype(np.float64)
    codes = column.codes[present]
    mean = (A * weights[:, np.newaxis]).sum(axis=0) / max(1.0, weights.sum())
    coordinates = {"zscore": (_zscores(A, weights), 0 * mean), "none": (A, mean)}
    if weighted_values is not None:
        coordinates["weighted"] = _zscores(A, weighted_values.weights_of(values)[present]), 0 * mean
    points_by_code = {}
    n_codes = int(codes.max(initial=-1)) + 1
    for standardise, (value_points, missing_point) in coordinates.items():
        points = np.zeros((n_codes + 1, A.shape[1]))
        points[codes], points[-1] = value_points, missing_point
        points_by_code[standardise] = points
    return CategoricalEncoder(
        name,
        column.kind,
        values.filter(pa.array(present)),
        np.append(column.values[present], np.nan),
        np.append(codes, -1),
        points_by_code,
        int(weights.sum()),
        int(counts[~present].sum()),
    )


def _zscores(A: Matrix, weights: Weights) -> Matrix:
    """Return axes of one column as weighted z-scores."""
    return zscore(A, np.zeros(A.shape[1], np.int64), weights) if len(A) else A


def _concatenate_axes(
    encoders: Sequence[Encoder], columns: Sequence[Column], standardise: str
) -> Matrix:
    """Return the axes of all columns as one matrix."""
    pairs = zip(encoders, columns, strict=True)
    return np.hstack([encoder.axes(column, standardise) for encoder, column in pairs])
