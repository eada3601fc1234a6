"""The k that the released values attain."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from shoal.frame.roles import RECORD_UNIT, name_columns
from shoal.plan.chaining import guarantee_of
from shoal.plan.evidence import Evidence
from shoal.plan.verdict import Finding, count_phrase
from shoal.steps import Step

if TYPE_CHECKING:
    from shoal.plan.plan import Plan


def find_attained_k(evidence: Evidence) -> list[Finding]:
    """Find a k that is not kept, that is 1, or that no step guarantees."""
    plan = evidence.plan
    attained_k = evidence.attained_k
    columns_below_k: list[str] = []
    if plan.k is not None and attained_k < plan.k:
        columns_below_k = _block_below_k(evidence)
    linkage = (evidence.measures or {}).get("linkage")
    return [
        *attained_k_findings(plan, attained_k, evidence.counted_unit, columns_below_k, linkage),
        *_wildcard_findings(evidence),
    ]


def _wildcard_findings(evidence: Evidence) -> list[Finding]:
    """Return a finding on missing cells that match every value, with the k without such matches."""
    columns = evidence.plan.wildcard_columns
    if not columns:
        return []
    strict_k = evidence.smallest_class_size(evidence.joint_classes)
    unit = evidence.counted_unit
    return [
        Finding(
            "missing-cells-match-any",
            "qualifies" if strict_k < (evidence.plan.k or 2) else "informs",
            "A missing cell was counted as equal to every value"
            f" ({name_columns(columns, 'column', 'columns')}). If it counts as a value of its own,"
            f" the smallest class holds {count_phrase(strict_k, unit)}.",
            {"matches": evidence.attained_k, "strict": strict_k},
            tuple(columns),
            'Use `missing_means="own"` to protect records whose suppressed cells make them unique.',
        )
    ]


def attained_k_findings(
    plan: "Plan",
    attained_k: int,
    unit: str = RECORD_UNIT,
    columns_below_k: Sequence[str] = (),
    linkage: float | None = None,
) -> list[Finding]:
    """Return the findings on a k that is not kept, that is 1, or that no step guarantees.

    Parameters
    ----------
    plan : Plan
        The plan of the release.
    attained_k : int
        Size of the smallest class on all quasi-identifiers.
    unit : str
        What was counted: ``"record"`` or a column of units.
    columns_below_k : list of str
        The columns of a block that does not keep its own k.
    linkage : float, optional
        Share of the records that an attacker who knows all quasi-identifiers links correctly.

    Returns
    -------
    list of Finding
        At most one finding, or one for each step without k.
    """
    figures: dict[str, Any] = {"k": plan.k, "attained": attained_k}
    if plan.k is None:
        steps_without_k = [
            step for step in plan.deciding_steps if step.k is None or not plan.is_intact(step)
        ]
        return [_no_guarantee(plan, step, figures) for step in steps_without_k]
    if plan.k == 1:
        return [
            Finding(
                "k-is-one",
                "breaks",
                "k = 1 gives no protection: a record may be unique.",
                figures,
                way_out="Choose k of 3 or more.",
            )
        ]
    if attained_k >= plan.k:
        return []
    if columns_below_k:
        return [
            Finding(
                "class-below-k",
                "breaks",
                f"A class on {name_columns(columns_below_k, 'column', 'columns')} holds only"
                f" {count_phrase(attained_k, unit)}, fewer than k = {plan.k}.",
                figures,
                tuple(columns_below_k),
            )
        ]
    return [_joint_class_below_k(plan, attained_k, linkage)]


def _joint_class_below_k(plan: "Plan", attained_k: int, linkage: float | None) -> Finding:
    """Return the finding on classes that are too small on all quasi-identifiers together."""
    figures: dict[str, Any] = {"k": plan.k, "attained": attained_k}
    linkage_sentence = ""
    if linkage is not None:
        figures |= {"linkage": linkage}
        linkage_sentence = (
            f" An attacker who knows them all can link {100 * linkage:.3g} % of the records"
            " correctly."
        )
    return Finding(
        "joint-class-below-k",
        "breaks",
        f"The quasi-identifiers together attain k={attained_k}, not k={plan.k}: they were"
        f" masked in separate blocks or steps.{linkage_sentence}",
        figures,
        tuple(plan.quasi_identifiers),
        "Mask them in one step if possible.",
    )


def _no_guarantee(plan: "Plan", step: Step, figures: dict[str, Any]) -> Finding:
    """Return the finding on a step whose columns have no k in the release."""
    names = [name for name in step.columns if name in plan.quasi_identifiers]
    return Finding(
        "no-k-guarantee",
        "qualifies",
        f"{name_columns(names)}: no k-anonymity is guaranteed. {guarantee_of(plan.steps, step)}",
        figures,
        tuple(step.columns),
    )


def _block_below_k(evidence: Evidence) -> list[str]:
    """Return the columns of the first block that does not keep its own k, or an empty list."""
    for step in evidence.plan.steps:
        if step.k is None or not evidence.plan.is_intact(step):
            continue
        for block in step.column_blocks:
            names = [*block, *step.strata]
            if evidence.attained_k_on(names, step.wildcard_columns) < step.k:
                return names
    return []
