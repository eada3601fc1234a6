"""Records become groups of at least k; one paper, one file."""

from shoal.partitioners._base import Partition, Partitioner
from shoal.partitioners.auto import Auto
from shoal.partitioners.mdav import MDAV
from shoal.partitioners.registry import METHODS, describe, method_name, partition, partitioner

__all__ = [
    "MDAV",
    "METHODS",
    "Auto",
    "Partition",
    "Partitioner",
    "describe",
    "method_name",
    "partition",
    "partitioner",
]
