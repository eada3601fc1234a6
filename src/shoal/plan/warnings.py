"""What the person who signs for a release must know."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal.errors import (
    HomogeneousGroup,
    InputError,
    MissingValues,
    NoPromise,
    ShoalWarning,
    UnderProtection,
    Unfinished,
    UnprotectedColumn,
)
from shoal.frame import tables
from shoal.frame.roles import listed
from shoal.frame.tables import Frame
from shoal.metrics.assessment import Assessment
from shoal.partitioners import way_taken
from shoal.steps import Microaggregate, Outcome
from shoal.steps.homogeneity import told
from shoal.steps.survey import weight_told

if TYPE_CHECKING:
    from shoal.plan import Plan


def findings(
    plan: "Plan",
    whole: Frame,
    kept: NDArray[np.bool_],
    masked: Frame,
    outcomes: Sequence[Outcome],
    measures: Assessment,
) -> list[ShoalWarning]:
    """Return the warnings about a release of the records that were ``kept`` of a ``whole`` table.

    Classes that share a confidential value are refused where a step says so.
    """
    found = [*_dropped(plan, whole, kept), *_index(whole), *unprotected(plan, whole.columns)]
    if plan.weight is not None:
        found += weight_told(plan.weight, plan.roles, masked, plan.known)
    return [
        *found,
        *(warning for outcome in outcomes for warning in outcome.warnings),
        *_unfinished(outcomes),
        *_without_promise(plan),
        *_under_protection(plan, measures),
        *_homogeneous(plan, measures),
    ]


def _dropped(plan: "Plan", frame: Frame, kept: NDArray[np.bool_]) -> list[ShoalWarning]:
    if kept.all():
        return []
    number = int((~kept).sum())
    counts = tables.holes(frame, plan.needed)
    missing = ", ".join(f"{name!r} {count}" for name, count in counts.items())
    verb = "was" if number == 1 else "were"
    return [
        MissingValues(
            f"{number} of {len(kept)} records {verb} dropped because values are missing: {missing}."
        )
    ]


def _index(frame: Frame) -> list[ShoalWarning]:
    if not tables.has_own_index(frame):
        return []
    return [
        UnprotectedColumn(
            "The index is released unchanged. If it names records, drop it first:"
            " data.reset_index(drop=True)."
        )
    ]


def unprotected(plan: "Plan", columns: Sequence[str]) -> list[ShoalWarning]:
    """Warn of columns of a table that leave unchanged and have no role."""
    free = [
        name
        for name in columns
        if plan.roles.get(name, "unassigned") == "unassigned" and name not in plan.known
    ]
    if not free:
        return []
    has, is_ = ("has", "is") if len(free) == 1 else ("have", "are")
    return [
        UnprotectedColumn(
            f"{listed(free)} {has} no role and {is_} released unchanged. What an attacker"
            " may know is a quasi-identifier: give every column a role."
        )
    ]


def _without_promise(plan: "Plan") -> list[ShoalWarning]:
    """Warn of columns that attackers may know and that are masked without k-anonymity."""
    return [
        NoPromise(
            f"{listed([n for n in step.columns if n in plan.known])}: NO k-anonymity is"
            f" promised. {step.guarantee}"
        )
        for step in plan.hiding
        if step.k is None
    ]


def _under_protection(plan: "Plan", measures: Assessment) -> list[ShoalWarning]:
    attained = measures["smallest_class"]
    if plan.k is None or attained >= plan.k:
        return []
    linked = (
        f" An attacker who knows them all links {100 * measures['linkage']:.1f}% of the records"
        " rightly."
        if "linkage" in measures
        else ""
    )
    return [
        UnderProtection(
            f"The quasi-identifiers together attain k={attained}, not k={plan.k}: they were"
            f" masked in separate blocks or steps.{linked} Mask them in one step if that may"
            " be."
        )
    ]


def _homogeneous(plan: "Plan", measures: Assessment) -> list[ShoalWarning]:
    """Warn of classes that share a confidential value, or refuse where a step says so."""
    classes = sum(measures["class_sizes"].values())
    reason = told(measures.get("homogeneous_classes", {}), classes)
    if reason and any(
        isinstance(step, Microaggregate) and step.homogeneity == "refuse" for step in plan.steps
    ):
        raise InputError(f"{reason} Mask the columns in one step, or raise k.")
    way_out = 'Set `homogeneity="merge"` to join such groups with their neighbours, or raise k.'
    return [HomogeneousGroup(f"{reason} {way_out}")] if reason else []


def _unfinished(outcomes: Sequence[Outcome]) -> list[ShoalWarning]:
    """Warn of efforts that the clock or somebody ended: the plan alone does not repeat them."""
    ended = [way_taken(used) for o in outcomes for used in o.fitted if used.cut_short_]
    return [
        Unfinished(
            f"{way} ended before it was done, with the best groups until then. Running the plan"
            " again may give other groups."
        )
        for way in dict.fromkeys(ended)
    ]
