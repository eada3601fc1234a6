"""Records become groups of at least k; one paper, one file."""

from shoal.partitioners._base import Partition, Partitioner
from shoal.partitioners.auto import Auto
from shoal.partitioners.dba1 import DBA1
from shoal.partitioners.dba2 import DBA2
from shoal.partitioners.mdav import MDAV
from shoal.partitioners.mdav1 import MDAV1
from shoal.partitioners.mdav2 import MDAV2
from shoal.partitioners.registry import METHODS, describe, method_name, partition, partitioner
from shoal.partitioners.tfrp import TFRP

__all__ = [
    "DBA1",
    "DBA2",
    "MDAV",
    "MDAV1",
    "MDAV2",
    "METHODS",
    "TFRP",
    "Auto",
    "Partition",
    "Partitioner",
    "describe",
    "method_name",
    "partition",
    "partitioner",
]
