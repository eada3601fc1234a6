"""Run a plan on a table larger than memory: with Dask, in a pool of processes, or on Spark.

Each task reads a *chunk* of the source and assigns its records to *cells* of near records. Cells
form *regions*, each of which is grouped separately. Each further task masks the regions of a
*block*. A *shard* is a file of the release. A *column block* is a set of columns that are grouped
together. Between tasks, records are in scratch files, divided into numbered *buckets*: cells,
shards, or ranges of the hashes of combinations.
"""

from shoal.scale.bounds.distributed_bound import lower_bound
from shoal.scale.masking import mask
from shoal.scale.release import LargeRelease
from shoal.scale.runners.process_pool import ProcessPool
from shoal.scale.runners.runner import Runner
from shoal.scale.runners.spark import SparkRunner
from shoal.scale.sources.source_files import released_files

__all__ = [
    "LargeRelease",
    "ProcessPool",
    "Runner",
    "SparkRunner",
    "lower_bound",
    "mask",
    "released_files",
]
