"""Records become groups of at least k; one paper, one file."""

from shoal.partitioners._base import Partition, Partitioner
from shoal.partitioners.auto import Auto
from shoal.partitioners.mdav import MDAV
from shoal.partitioners.mdav1 import MDAV1
from shoal.partitioners.optimal import Optimal
from shoal.partitioners.registry import METHODS, describe, method_name, partition, partitioner
from shoal.partitioners.two_mu_approx import TwoMuApprox

__all__ = [
    "MDAV",
    "MDAV1",
    "METHODS",
    "Auto",
    "Optimal",
    "Partition",
    "Partitioner",
    "TwoMuApprox",
    "describe",
    "method_name",
    "partition",
    "partitioner",
]
