"""Figures of subgroups: how records are divided into groups, and the figures of each group."""

from shoal.metrics.subgroups.result import Subgroups
from shoal.metrics.subgroups.split import (
    MIN_GROUP,
    OTHER_GROUPS,
    Subgroup,
    SubgroupSplit,
    check_min_group,
    split_subgroups,
)

__all__ = [
    "MIN_GROUP",
    "OTHER_GROUPS",
    "Subgroup",
    "SubgroupSplit",
    "Subgroups",
    "check_min_group",
    "split_subgroups",
]
