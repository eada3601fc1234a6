"""Columns become a geometry: comparable units, and perhaps the confidential columns with them."""

from shoal.space.dependence import with_confidential
from shoal.space.scale import SCALES, constant, zscore

__all__ = ["SCALES", "constant", "with_confidential", "zscore"]
