"""Records become groups of at least k; one paper, one file."""

from shoal.partitioners._base import Partition, Partitioner
from shoal.partitioners.auto import Auto
from shoal.partitioners.mdav import MDAV
from shoal.partitioners.mward import MWard
from shoal.partitioners.registry import METHODS, method_name, partition, partitioner
from shoal.partitioners.sorted import Sorted
from shoal.partitioners.univariate import Univariate

__all__ = [
    "MDAV",
    "METHODS",
    "Auto",
    "MWard",
    "Partition",
    "Partitioner",
    "Sorted",
    "Univariate",
    "method_name",
    "partition",
    "partitioner",
]
