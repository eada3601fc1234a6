"""Coordinates of records, in comparable units, from which distances are computed.

`encode` turns columns of every kind into axes, `standardise` gives the axes comparable units,
`dependence` adds the confidential columns, and `column_blocks` divides many columns into blocks of
correlated columns. `sums_of_squares` measures the distances of records from the means of their
groups.
"""

from shoal.geometry.column_blocks import correlated_blocks
from shoal.geometry.dependence import predicted_confidential, with_confidential
from shoal.geometry.encode import MAX_EXACT_CATEGORIES, axes_of, join_axes
from shoal.geometry.standardise import (
    STANDARDISATIONS,
    is_constant,
    means,
    standard_deviation,
    zscore,
)
from shoal.geometry.sums_of_squares import (
    squared_errors,
    total_sums_of_squares,
    within_group_sums_of_squares,
)

__all__ = [
    "MAX_EXACT_CATEGORIES",
    "STANDARDISATIONS",
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
