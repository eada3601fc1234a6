"""Figures of subgroups of the records: how records are split, and what is shown of each group."""

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
