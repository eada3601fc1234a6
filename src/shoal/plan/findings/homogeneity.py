"""Classes whose records all share a confidential value."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal._text import count
from shoal.frame import tables
from shoal.frame.codes import value_codes
from shoal.frame.tables import Frame
from shoal.metrics import homogeneous_classes
from shoal.plan.evidence import Evidence
from shoal.plan.findings.words import mask_more
from shoal.plan.verdict import Finding
from shoal.steps import Microaggregate, Step
from shoal.steps.homogeneity import describe_homogeneity

MERGE = 'Use `homogeneity="merge"` to join such groups with their neighbours, or raise k.'


def find_homogeneous(evidence: Evidence) -> list[Finding]:
    """Find classes whose records share a confidential value, released or original.

    Values that differ in the table may be equal in a file, and a masked confidential column may
    vary where the original did not: those classes are stated separately.
    """
    labels = evidence.joint_classes
    names = evidence.with_role("confidential")
    if not names:
        return []
    after = _count(labels, evidence.released, names)
    number = int(labels.max()) + 1
    way_out = _way_out(evidence.plan.steps)
    classes_known = evidence.plan.k is not None
    missing = _count_missing(labels, evidence.released, names)
    findings = check_homogeneous(
        after, number, way_out, classes_known=classes_known, missing=missing
    )
    if evidence.original is not None:
        before = _count(labels, evidence.original, names)
        findings += _changed_by_step(
            {name: before[name] - after[name] for name in names if before[name] > after[name]},
            number,
            way_out,
        )
    return findings


def _way_out(steps: Sequence[Step]) -> str:
    """Return what to do about such classes, with the parameters that the steps have."""
    if any(isinstance(step, Microaggregate) for step in steps):
        return MERGE
    return f"{mask_more(steps)}, or drop the confidential column."


def _count(labels: NDArray[np.int64], frame: Frame, names: Sequence[str]) -> dict[str, int]:
    counts = homogeneous_classes(labels[:, np.newaxis], value_codes(frame, names))
    return dict(zip(names, map(int, counts), strict=True))


def _count_missing(labels: NDArray[np.int64], frame: Frame, names: Sequence[str]) -> dict[str, int]:
    """Return by column the number of classes, of several records, that have no value there."""
    sizes = np.bincount(labels)
    return {
        name: int(
            ((np.bincount(labels, tables.has_missing(frame, [name])) == sizes) & (sizes > 1)).sum()
        )
        for name in names
    }


def _changed_by_step(counts: Mapping[str, int], number: int, way_out: str) -> list[Finding]:
    """Find classes that shared a confidential value until a step changed it."""
    if not counts:
        return []
    phrases = [f"{name!r} in {count(n, 'class', 'classes')}" for name, n in counts.items()]
    return [
        Finding(
            "homogeneous-before-masking",
            "qualifies",
            f"Of {number:,} classes, some shared a confidential value before it was masked:"
            f" {', '.join(phrases)}. Their released values differ by the masking alone, so members"
            " of such a class are known to have about these values.",
            {"classes": number, "homogeneous": dict(counts)},
            tuple(counts),
            way_out,
        )
    ]


def check_homogeneous(
    counts: Mapping[str, int],
    number: int,
    way_out: str = MERGE,
    *,
    classes_known: bool = True,
    missing: Mapping[str, int] | None = None,
) -> list[Finding]:
    """Find classes that share a confidential value, given their number by column.

    ``classes_known`` is whether an attacker may know the class of a person, and ``missing`` the
    number of classes, by column, that share no value because all their cells are missing.
    """
    sentence = describe_homogeneity(counts, number, classes_known=classes_known, missing=missing)
    if not sentence:
        return []
    without_value = {name: count for name, count in (missing or {}).items() if count}
    counts_above_0 = {name: count for name, count in counts.items() if count}
    return [
        Finding(
            "homogeneous-group",
            "qualifies",
            sentence,
            {"classes": number, "homogeneous": counts_above_0}
            | ({"missing": without_value} if without_value else {}),
            tuple(counts_above_0),
            way_out,
        )
    ]
