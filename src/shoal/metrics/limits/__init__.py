"""Limits on figures of a release, such as ``max_linkage = 0.1``, and whether they are met."""

from shoal.metrics.limits.limits import Limits
from shoal.metrics.limits.results import Limit, LimitResult, LimitResults

__all__ = ["Limit", "LimitResult", "LimitResults", "Limits"]
