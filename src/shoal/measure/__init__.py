"""Two tables become numbers."""

from shoal.measure import anonymity, utility
from shoal.measure._base import ABOUT, MEASURES, About, computable
from shoal.measure.anonymity import class_sizes, smallest_class
from shoal.measure.utility import euclidean_loss, information_loss

__all__ = [
    "ABOUT",
    "MEASURES",
    "About",
    "anonymity",
    "class_sizes",
    "computable",
    "euclidean_loss",
    "information_loss",
    "smallest_class",
    "utility",
]
