"""Run a plan on a table larger than memory, on a Dask cluster or in a pool of processes."""

from shoal.scale.process_pool import ProcessPool
from shoal.scale.release import LargeRelease
from shoal.scale.run import mask
from shoal.scale.runner import Runner
from shoal.scale.sources import released_files

__all__ = ["LargeRelease", "ProcessPool", "Runner", "mask", "released_files"]
