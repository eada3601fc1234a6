"""Methods that divide records into groups of at least k, one file per paper.

`registry` lists them by name. `refiners` improve the groups of any method, `blocked` applies a
method block by block, and `auto` chooses a method. Modules and packages whose names begin with an
underscore serve several methods; `constraints` changes groups until they satisfy further
conditions.
"""

from shoal.partitioners._base import Facts, Partition, Partitioner, with_drawn_seeds
from shoal.partitioners.auto import Auto
from shoal.partitioners.blocked import Blocked
from shoal.partitioners.bound import lower_bound
from shoal.partitioners.centroid_mdav import CentroidMDAV
from shoal.partitioners.closeness_first import ClosenessFirst
from shoal.partitioners.cvmdav import CVMDAV
from shoal.partitioners.dba1 import DBA1
from shoal.partitioners.dba2 import DBA2
from shoal.partitioners.ldiverse_vmdav import LDiverseVMDAV
from shoal.partitioners.lloyd import Lloyd
from shoal.partitioners.md import MD
from shoal.partitioners.mdav import MDAV
from shoal.partitioners.mdav1 import MDAV1
from shoal.partitioners.mdav2 import MDAV2
from shoal.partitioners.mdav_classic import MDAVClassic
from shoal.partitioners.mhm import MHM
from shoal.partitioners.mst import MST
from shoal.partitioners.mu_approx import MuApprox
from shoal.partitioners.mward import MWard
from shoal.partitioners.optimal import Optimal
from shoal.partitioners.refiners import Prove, Refine, Search
from shoal.partitioners.registry import (
    METHODS,
    describe,
    method_label,
    method_name,
    partition,
    partitioner,
    to_entry,
)
from shoal.partitioners.sorted import Sorted
from shoal.partitioners.tfrp import TFRP
from shoal.partitioners.threshold import Threshold
from shoal.partitioners.two_mu_approx import TwoMuApprox
from shoal.partitioners.univariate import Univariate
from shoal.partitioners.univariate_suppression import univariate_with_suppression
from shoal.partitioners.user_methods import register
from shoal.partitioners.vmdav import VMDAV

__all__ = [
    "CVMDAV",
    "DBA1",
    "DBA2",
    "MD",
    "MDAV",
    "MDAV1",
    "MDAV2",
    "METHODS",
    "MHM",
    "MST",
    "TFRP",
    "VMDAV",
    "Auto",
    "Blocked",
    "CentroidMDAV",
    "ClosenessFirst",
    "Facts",
    "LDiverseVMDAV",
    "Lloyd",
    "MDAVClassic",
    "MWard",
    "MuApprox",
    "Optimal",
    "Partition",
    "Partitioner",
    "Prove",
    "Refine",
    "Search",
    "Sorted",
    "Threshold",
    "TwoMuApprox",
    "Univariate",
    "describe",
    "lower_bound",
    "method_label",
    "method_name",
    "partition",
    "partitioner",
    "register",
    "to_entry",
    "univariate_with_suppression",
    "with_drawn_seeds",
]
