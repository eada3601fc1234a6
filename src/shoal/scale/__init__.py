"""Run a plan on a table larger than memory: with Dask, in a pool of processes, or on Spark."""

from shoal.scale.process_pool import ProcessPool
from shoal.scale.release import LargeRelease
from shoal.scale.run import mask
from shoal.scale.runner import Runner
from shoal.scale.sources import released_files
from shoal.scale.spark import SparkRunner

__all__ = ["LargeRelease", "ProcessPool", "Runner", "SparkRunner", "mask", "released_files"]
