"""Columns become coordinates: encoding, standardisation, and dependence on confidential columns."""

from shoal.geometry.column_blocks import correlated_blocks
from shoal.geometry.dependence import predicted_confidential, with_confidential
from shoal.geometry.encode import MAX_EXACT, axes_of, join_axes
from shoal.geometry.scale import SCALES, is_constant, means, standard_deviation, zscore

__all__ = [
    "MAX_EXACT",
    "SCALES",
    "join_axes",
    "axes_of",
    "correlated_blocks",
    "is_constant",
    "means",
    "predicted_confidential",
    "standard_deviation",
    "with_confidential",
    "zscore",
]
