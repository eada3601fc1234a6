"""Classes whose records, or units, all share a confidential value."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal._text import count
from shoal.frame.codes import codes_with_missing
from shoal.frame.roles import RECORD_UNIT
from shoal.frame.tables import Frame
from shoal.metrics.findings.shared_values import SharedCounts, count_shared
from shoal.plan.evidence import Evidence
from shoal.plan.findings.phrases import advice_to_mask_more
from shoal.plan.verdict import Finding
from shoal.steps import Microaggregate, Step
from shoal.steps.constraints.homogeneity import describe_homogeneity, describe_only_missing

MERGE = 'Use `homogeneity="merge"` to merge such classes with the nearest ones, or raise k.'


def find_homogeneous_classes(evidence: Evidence) -> list[Finding]:
    """Find classes that share a confidential value, released or original.

    If units are counted, these are the classes whose units all have the value in at least one
    record: membership of such a class discloses the value, which merging prevents. Classes whose
    values were equal only before a step masked them are a finding of their own.
    """
    labels = evidence.joint_classes
    names = evidence.columns_with_role("confidential")
    if not names:
        return []
    released_counts = count_shared_by_column(labels, evidence.released, names, evidence.units)
    n_classes = int(labels.max()) + 1
    way_out = advice_to_merge(evidence.plan.steps)
    classes_known = evidence.plan.k is not None
    findings = homogeneous_class_findings(
        released_counts, n_classes, evidence.counted_unit, way_out, classes_known=classes_known
    )
    if evidence.original is not None:
        original_counts = count_shared_by_column(labels, evidence.original, names, evidence.units)
        changed_counts = {
            name: original_counts[name].with_value - released_counts[name].with_value
            for name in names
        }
        findings += _changed_value_findings(
            {name: number for name, number in changed_counts.items() if number > 0},
            n_classes,
            way_out,
        )
    return findings


def advice_to_merge(steps: Sequence[Step]) -> str:
    """Return what to do about homogeneous classes, with the parameters that the steps have."""
    if any(isinstance(step, Microaggregate) for step in steps):
        return MERGE
    return f"{advice_to_mask_more(steps)}, or drop the confidential column."


def count_shared_by_column(
    labels: NDArray[np.int64],
    frame: Frame,
    names: Sequence[str],
    units: NDArray[np.int64] | None,
) -> dict[str, SharedCounts]:
    """Return the number of classes that share a value of a column, for each of the columns."""
    codes = codes_with_missing(frame, names)
    return {
        name: count_shared(labels, column, units)
        for name, column in zip(names, codes.T, strict=True)
    }


def _changed_value_findings(
    counts: Mapping[str, int], n_classes: int, way_out: str
) -> list[Finding]:
    """Return the findings on classes that shared a confidential value until a step changed it."""
    if not counts:
        return []
    phrases = [
        f"{name!r} in {count(number, 'class', 'classes')}" for name, number in counts.items()
    ]
    return [
        Finding(
            "homogeneous-before-masking",
            "qualifies",
            f"Of {n_classes:,} classes, some shared a confidential value before it was masked:"
            f" {', '.join(phrases)}. Their released values differ only because of the"
            " masking, and may lie near the shared value.",
            {"classes": n_classes, "homogeneous": dict(counts)},
            tuple(counts),
            way_out,
        )
    ]


def homogeneous_class_findings(
    shared_counts: Mapping[str, SharedCounts],
    n_classes: int,
    unit: str = RECORD_UNIT,
    way_out: str = MERGE,
    *,
    classes_known: bool = True,
) -> list[Finding]:
    """Return the findings on classes that share a confidential value, counted by column.

    ``n_classes`` is the number of all classes, ``unit`` is what their sizes are counted in, and
    ``classes_known`` states whether an attacker may know the class of a person.
    """
    findings = []
    sentence = describe_homogeneity(shared_counts, n_classes, unit, classes_known=classes_known)
    if sentence:
        columns = [name for name, counts in shared_counts.items() if counts.with_value]
        findings.append(
            Finding(
                "homogeneous-group",
                "qualifies",
                sentence,
                _figures({name: shared_counts[name] for name in columns}, n_classes, unit),
                tuple(columns),
                way_out,
            )
        )
    sentence = describe_only_missing(shared_counts, n_classes)
    if sentence:
        missing_only = {
            name: counts.missing
            for name, counts in shared_counts.items()
            if counts.missing and not counts.with_value
        }
        figures = {"classes": n_classes, "missing": missing_only}
        findings.append(
            Finding("missing-in-class", "informs", sentence, figures, tuple(missing_only))
        )
    return findings


def _figures(
    shared_counts: Mapping[str, SharedCounts], n_classes: int, unit: str
) -> dict[str, Any]:
    """Return the figures of a finding on homogeneous classes."""
    missing = {name: counts.missing for name, counts in shared_counts.items() if counts.missing}
    in_every_record = {name: counts.every_record for name, counts in shared_counts.items()}
    return {
        "classes": n_classes,
        "homogeneous": {name: counts.homogeneous for name, counts in shared_counts.items()},
        **({"missing": missing} if missing else {}),
        **({"in_every_record": in_every_record} if unit != RECORD_UNIT else {}),
    }
