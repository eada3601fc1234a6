"""Records become groups of at least k; one paper, one file."""

from shoal.partitioners._base import Partition, Partitioner
from shoal.partitioners.auto import Auto
from shoal.partitioners.centroid_mdav import CentroidMDAV
from shoal.partitioners.cvmdav import CVMDAV
from shoal.partitioners.md import MD
from shoal.partitioners.mdav import MDAV
from shoal.partitioners.mdav1 import MDAV1
from shoal.partitioners.mst import MST
from shoal.partitioners.registry import METHODS, describe, method_name, partition, partitioner
from shoal.partitioners.vmdav import VMDAV

__all__ = [
    "CVMDAV",
    "MD",
    "MDAV",
    "MDAV1",
    "METHODS",
    "MST",
    "VMDAV",
    "Auto",
    "CentroidMDAV",
    "Partition",
    "Partitioner",
    "describe",
    "method_name",
    "partition",
    "partitioner",
]
