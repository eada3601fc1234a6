"""Comparison of plans on one table, and the trade-off between loss and dependence."""

from shoal.comparison.advice import Advice, AdvisedTrial
from shoal.comparison.plan_comparison import compare, compare_plans, grid
from shoal.comparison.plan_search import advise
from shoal.comparison.trials import Comparison, Trial

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
