"""Run a plan on a table larger than memory, on a Dask cluster."""

from shoal.scale.release import LargeRelease
from shoal.scale.run import mask
from shoal.scale.sources import released_files

__all__ = ["LargeRelease", "mask", "released_files"]
