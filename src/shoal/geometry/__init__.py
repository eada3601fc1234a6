"""Columns become coordinates: encoding, standardisation, and dependence on confidential columns."""

from shoal.geometry.column_blocks import correlated_blocks
from shoal.geometry.dependence import predicted_confidential, with_confidential
from shoal.geometry.encode import MAX_EXACT, axes_of, join_axes
from shoal.geometry.scale import SCALES, is_constant, means, standard_deviation, zscore
from shoal.geometry.sums_of_squares import (
    squared_errors,
    total_sums_of_squares,
    within_group_sums_of_squares,
)

__all__ = [
    "MAX_EXACT",
    "SCALES",
    "axes_of",
    "correlated_blocks",
    "is_constant",
    "join_axes",
    "means",
    "predicted_confidential",
    "squared_errors",
    "standard_deviation",
    "total_sums_of_squares",
    "with_confidential",
    "within_group_sums_of_squares",
    "zscore",
]
