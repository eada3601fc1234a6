"""Classes whose records all share a confidential value."""

from collections.abc import Mapping

import numpy as np

from shoal.frame.codes import value_codes
from shoal.metrics import homogeneous_classes
from shoal.plan.evidence import Evidence
from shoal.plan.verdict import Finding
from shoal.steps.homogeneity import describe_homogeneity


def find_homogeneous(evidence: Evidence) -> list[Finding]:
    """Find classes whose records share a confidential value, released or original.

    Values that differ in the table may be equal in a file, and a masked confidential column may
    vary where the original did not: the greater count is stated.
    """
    labels = evidence.joint_classes
    names = evidence.with_role("confidential")
    if not names:
        return []
    frames = [frame for frame in (evidence.released, evidence.original) if frame is not None]
    counts = [
        homogeneous_classes(labels[:, np.newaxis], value_codes(frame, names)) for frame in frames
    ]
    most = np.max(counts, axis=0)
    return check_homogeneous(dict(zip(names, map(int, most), strict=True)), int(labels.max()) + 1)


def check_homogeneous(counts: Mapping[str, int], number: int) -> list[Finding]:
    """Find classes that share a confidential value, given their number by column."""
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
