"""Classes whose records all share a confidential value."""

from collections.abc import Mapping

import numpy as np

from shoal.frame import tables
from shoal.metrics import homogeneous_classes
from shoal.plan.evidence import Evidence
from shoal.plan.verdict import Finding
from shoal.steps.homogeneity import describe_homogeneity


def find_homogeneous(evidence: Evidence) -> list[Finding]:
    """Find classes whose records share a confidential value, as released or as it was.

    A file may not tell values apart that differ in the table, and a masked confidential column
    may differ where the original one did not: the greater count is stated.
    """
    labels = evidence.joint_classes
    secret = evidence.with_role("confidential")
    if not secret:
        return []
    frames = [frame for frame in (evidence.released, evidence.original) if frame is not None]
    counts = [
        homogeneous_classes(labels[:, np.newaxis], tables.codes(frame, secret)) for frame in frames
    ]
    most = np.max(counts, axis=0)
    return check_homogeneous(dict(zip(secret, map(int, most), strict=True)), int(labels.max()) + 1)


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
