"""The same plan on a table larger than memory, by Dask."""

from shoal.scale.release import LargeRelease
from shoal.scale.run import mask

__all__ = ["LargeRelease", "mask"]
