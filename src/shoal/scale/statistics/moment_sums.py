"""Sums of z-scores and of their products in both tables, and the measures that follow.

Measures of means, spreads and correlations depend only on the means and the covariances of two
tables. They are computed by the same functions as in memory, on small tables with the same means
and covariances.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.metrics import compute
from shoal.scale.statistics.exact_sums import UNIT, exact_integer_sum

Matrix = NDArray[np.float64]

# Measures that depend only on means and covariances.
MOMENT_MEASURES = (
    "correlation_change", "loadings_change", "explained_change", "eigenvalue_change", "std_ratio",
    "mean_change", "variance_change", "covariance_change",
)  # fmt: skip


@dataclass(frozen=True)
class MomentSums:
    """Sums over the records of numeric columns without missing values, as integers.

    Parameters
    ----------
    columns : tuple of str
        The columns.
    n_records : int
        Number of records.
    sums : dict
        Sums in units of `exact_sums.UNIT`: of the z-scores of column i under the key ``(table, i)``
        and of the products of columns i and j under ``(table, i, j)``, where ``table`` is 0 for the
        original and 1 for the masked table.
    """

    columns: tuple[str, ...] = ()
    n_records: int = 0
    sums: Mapping[tuple[int, ...], int] = field(default_factory=dict)

    @classmethod
    def from_scores(
        cls, columns: Sequence[str], original: Sequence[Matrix], masked: Sequence[Matrix]
    ) -> "MomentSums":
        """Return the sums over records, given the z-scores of each column in both tables.

        Both tables are standardised by the moments of the original. NumPy sums the products in
        the order of the records, which follows from their values.
        """
        sums: dict[tuple[int, ...], float] = {}
        for table, scores in enumerate((original, masked)):
            for i, column in enumerate(scores):
                sums[table, i] = column.sum()
                for j in range(i + 1):
                    sums[table, i, j] = (column * scores[j]).sum()
        exact = {key: exact_integer_sum(np.array([total])) for key, total in sums.items()}
        return cls(tuple(columns), len(original[0]) if original else 0, exact)

    def __add__(self, other: "MomentSums") -> "MomentSums":
        if not self.columns:
            return other
        if not other.columns:
            return self
        sums = {key: total + other.sums[key] for key, total in self.sums.items()}
        return MomentSums(self.columns, self.n_records + other.n_records, sums)

    def _mean(self, key: tuple[int, ...]) -> float:
        return float(self.sums[key] * UNIT / self.n_records)

    def _moments(self, table: int) -> tuple[Matrix, Matrix]:
        """Return means and covariances of one of the two tables."""
        p = len(self.columns)
        mean = np.array([self._mean((table, i)) for i in range(p)])
        products = np.array(
            [[self._mean((table, max(i, j), min(i, j))) for j in range(p)] for i in range(p)]
        )
        return mean, products.reshape(p, p) - np.outer(mean, mean)

    def _table_with_moments(self, table: int) -> Matrix:
        """Return a small table with the means and the covariances of a large one."""
        mean, covariance = self._moments(table)
        values, vectors = np.linalg.eigh(covariance)
        root = vectors * np.sqrt(np.maximum(values, 0.0) * len(mean))
        root[np.diag(covariance) == 0] = 0.0  # a constant column stays constant
        return np.vstack([mean + root.T, mean - root.T])

    def measures(self) -> tuple[dict[str, Any], dict[str, str]]:
        """Return the measures that follow from the sums, and why others could not be computed."""
        measures: dict[str, Any] = {}
        remarks: dict[str, str] = {}
        if not self.columns or not self.n_records:
            return measures, remarks
        inputs = {"original": self._table_with_moments(0), "masked": self._table_with_moments(1)}
        for name in MOMENT_MEASURES:
            try:
                value = compute(name, inputs)
            except InputError as reason:
                remarks[name] = f"Not computed: {reason}"
                continue
            if isinstance(value, np.ndarray):
                value = dict(zip(self.columns, value.tolist(), strict=True))
            measures[name] = value
        return measures, remarks

    def correlations(self, max_columns: int) -> dict[str, Any]:
        """Return the correlations of the first columns before and after, rounded for a figure."""
        names = self.columns[:max_columns]
        if len(names) < 2 or not self.n_records:
            return {}
        matrices = []
        for table in (0, 1):
            covariance = self._moments(table)[1][: len(names), : len(names)]
            deviation = np.sqrt(np.maximum(np.diag(covariance), 0.0))
            deviation[deviation == 0] = np.inf
            R = covariance / np.outer(deviation, deviation)
            np.fill_diagonal(R, 1.0)
            matrices.append(R)
        original, masked = matrices
        return {
            "columns": list(names),
            "before": np.round(original, 3).tolist(),
            "after": np.round(masked, 3).tolist(),
            "difference": np.round(masked - original, 3).tolist(),
            "columns_left_out": len(self.columns) - len(names),
        }
