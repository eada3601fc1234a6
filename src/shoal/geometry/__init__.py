"""Columns become coordinates: encoding, standardisation, and dependence on confidential columns."""

from shoal.geometry.dependence import with_confidential
from shoal.geometry.encode import MAX_EXACT, assemble, axes_of
from shoal.geometry.scale import SCALES, constant, deviation, means, zscore

__all__ = [
    "MAX_EXACT",
    "SCALES",
    "assemble",
    "axes_of",
    "constant",
    "deviation",
    "means",
    "with_confidential",
    "zscore",
]
