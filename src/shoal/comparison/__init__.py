"""Many plans on one table, and the trade-off between loss and dependence."""

from shoal.comparison.advice import Advice, AdvisedTrial, advise
from shoal.comparison.plans import Comparison, Trial, compare, compare_plans, grid

__all__ = [
    "Advice",
    "AdvisedTrial",
    "Comparison",
    "Trial",
    "advise",
    "compare",
    "compare_plans",
    "grid",
]
