"""Columns become a geometry: axes in comparable units, perhaps with the confidential columns."""

from shoal.space.dependence import with_confidential
from shoal.space.encode import assemble, axes_of
from shoal.space.scale import SCALES, constant, means, zscore

__all__ = ["SCALES", "assemble", "axes_of", "constant", "means", "with_confidential", "zscore"]
