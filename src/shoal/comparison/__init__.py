"""Many plans on one table, and the trade-off between loss and dependence."""

from shoal.comparison.plans import Comparison, Trial, compare, compare_plans, grid

__all__ = ["Comparison", "Trial", "compare", "compare_plans", "grid"]
