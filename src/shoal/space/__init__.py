"""Columns become a geometry: comparable units, and perhaps the confidential columns with them."""

from shoal.space.dependence import with_confidential
from shoal.space.scale import SCALES, constant, deviation, zscore

__all__ = ["SCALES", "constant", "deviation", "with_confidential", "zscore"]
