"""Classes whose records all share a confidential value."""

from collections.abc import Mapping

import numpy as np

from shoal.frame import tables
from shoal.frame.roles import columns_with
from shoal.metrics import homogeneous_classes
from shoal.plan.evidence import Evidence
from shoal.plan.verdict import Finding
from shoal.steps.homogeneity import describe_homogeneity


def find_homogeneous(evidence: Evidence) -> list[Finding]:
    """Find classes whose records share a confidential value."""
    labels = evidence.joint_classes
    number = int(labels.max()) + 1
    frame = evidence.released if evidence.original is None else evidence.original
    secret = [n for n in columns_with(evidence.plan.roles, "confidential") if n in frame.columns]
    if not secret:
        return []
    counts = homogeneous_classes(labels[:, np.newaxis], tables.codes(frame, secret))
    return check_homogeneous(dict(zip(secret, map(int, counts), strict=True)), number)


def check_homogeneous(counts: Mapping[str, int], number: int) -> list[Finding]:
    """Find classes that share a confidential value, by their number of each column."""
    sentence = describe_homogeneity(counts, number)
    if not sentence:
        return []
    some = {name: count for name, count in counts.items() if count}
    return [
        Finding(
            "homogeneous-group",
            "qualifies",
            sentence,
            {"classes": number, "homogeneous": some},
            tuple(some),
            'Use `homogeneity="merge"` to join such groups with their neighbours, or raise k.',
        )
    ]
