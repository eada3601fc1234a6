"""Assessment of a masked table: all measures that can be computed from it and the original."""

from shoal.metrics.assessment.frames import assess_frames, linear_cost_measures
from shoal.metrics.assessment.result import Assessment
from shoal.metrics.assessment.run import assess, changed_columns

__all__ = ["Assessment", "assess", "assess_frames", "changed_columns", "linear_cost_measures"]
