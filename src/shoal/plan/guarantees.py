"""Check what a plan guarantees, and compute the verdict, on the released values."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from shoal.errors import GuaranteeBroken, InputError
from shoal.frame.codes import keys
from shoal.frame.roles import RECORD_UNIT
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.metrics import classes, smallest_class, units_per_class
from shoal.metrics.findings.shared_values import SharedCounts
from shoal.plan.evidence import Codes, Evidence, count_matches
from shoal.plan.findings import CHECKS
from shoal.plan.findings.privacy_constraints import unmet_constraints
from shoal.plan.verdict import Finding, Verdict, make_verdict
from shoal.steps import Microaggregate, Step
from shoal.steps.constraints.homogeneity import describe_homogeneity

if TYPE_CHECKING:
    from shoal.plan.plan import Plan

WITHOUT_ORIGINAL = (
    "values released exactly, dominated groups, derived columns, the order of records and imputed"
    " values, which need the original table"
)


def check_guarantees(
    steps: Sequence[Step],
    released: Frame,
    confidential: Sequence[str],
    types: Mapping[str, Type],
    units: Codes | None = None,
) -> None:
    """Raise an error if the released values do not attain what a step guarantees.

    Units are counted if ``units`` gives the unit of each record.
    """
    for step in steps:
        if step.k is not None:
            _check_k(step, step.k, released, units)
        for finding in unmet_constraints(step, released, confidential, types, units):
            refuse_unmet_constraint(finding, by_units=units is not None)


def judge(evidence: Evidence) -> Verdict:
    """Return the verdict on a release, computed from the released values.

    Parameters
    ----------
    evidence : Evidence
        The released table and what else is known.

    Returns
    -------
    Verdict
        Status, attained k and every finding.
    """
    attained_k = evidence.attained_k
    findings = [finding for check in CHECKS for finding in check(evidence)]
    if evidence.original is None:
        findings.append(omitted_checks_finding(WITHOUT_ORIGINAL))
    return make_verdict(
        evidence.plan.k,
        attained_k,
        evidence.counted_unit,
        [*findings, *evidence.run_findings],
        evidence.exact_shares,
    )


def may_be_published(verdict: Verdict, *, allow_not_kept: bool = False) -> bool:
    """Return whether a release may be published: if its guarantee is kept, or by permission.

    Parameters
    ----------
    verdict : Verdict
        The verdict on the release.
    allow_not_kept : bool
        Whether the user allowed a release that does not keep its guarantee.

    Returns
    -------
    bool
        Whether files may be written.
    """
    return allow_not_kept or verdict.status != "not kept"


def omitted_checks_finding(checks: str) -> Finding:
    """Return a finding that names the checks that were not made."""
    return Finding("checks-not-computed", "informs", f"Not checked: {checks}.")


def refuse_unmet_constraint(finding: Finding, *, by_units: bool) -> None:
    """Raise for a constraint on confidential values that the release does not meet."""
    # A class may consist of several groups. Counted in units, it may have fewer values than each
    # group, although the step kept the constraint in every group.
    if by_units:
        raise _unmet_constraint_error(finding)
    raise _guarantee_broken_error(finding.sentence, finding.figures)


def must_refuse_homogeneous(plan: "Plan") -> bool:
    """Return whether a step is set to refuse classes that share a confidential value."""
    return any(
        isinstance(step, Microaggregate) and step.homogeneity == "refuse" for step in plan.steps
    )


def refuse_homogeneous_classes(
    plan: "Plan", shared_counts: Mapping[str, SharedCounts], n_classes: int
) -> None:
    """Refuse a release if any of its ``n_classes`` classes share a confidential value."""
    reason = describe_homogeneity(shared_counts, n_classes, plan.unit_column or RECORD_UNIT)
    if reason:
        raise InputError(
            f"{reason} Mask the columns in one step, or raise k.", code="homogeneous-classes"
        )


def _check_k(step: Step, k: int, released: Frame, units: Codes | None) -> None:
    """Raise an error if a block of columns of a step has a class of fewer than k records, or units.

    Units are counted if both the step and ``units`` state them.
    """
    counted_units = units if step.unit_column is not None else None
    noun = "records" if counted_units is None else "units"
    for block in step.column_blocks:
        attained_k = _attained_k(step, released, [*block, *step.strata], counted_units)
        if attained_k < k:
            raise _guarantee_broken_error(
                f"The smallest class of the released values holds {attained_k} {noun};"
                f" k={k} was guaranteed.",
                {"k": k, "attained": attained_k},
            )


def _attained_k(step: Step, released: Frame, columns: list[str], units: Codes | None) -> int:
    """Return the size of the smallest class, or the smallest number of matches of a record."""
    if step.wildcard_columns:
        return count_matches(released, columns, step.wildcard_columns, units)
    labels = classes(keys(released, columns))
    if units is None:
        return int(smallest_class(labels[:, None]))
    return int(units_per_class(labels, units).min())


def _unmet_constraint_error(finding: Finding) -> InputError:
    return InputError(
        f"The constraint is not met if each unit counts once. {finding.sentence} Relax the"
        ' constraint, or count records with `unit="record"`. Nothing was released.',
        code="constraint-not-attained",
        **finding.figures,
    )


def _guarantee_broken_error(sentence: str, figures: Mapping[str, Any]) -> GuaranteeBroken:
    return GuaranteeBroken(
        f"{sentence} No data were released. Please report this.", code="guarantee-broken", **figures
    )
