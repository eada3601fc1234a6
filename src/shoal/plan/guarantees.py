"""What a plan promised is counted on the values that are about to be released."""

from collections.abc import Callable, Mapping, Sequence

from shoal.errors import GuaranteeBroken
from shoal.frame import tables
from shoal.frame.columns import ranks
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.metrics import classes, l_diversity, smallest_class, t_closeness
from shoal.plan.evidence import Evidence
from shoal.plan.verdict import RECORDS, Finding, Verdict, counted, make_verdict
from shoal.steps import Microaggregate, Step
from shoal.steps.beyond import ROUNDING
from shoal.steps.households import fewest, read_households


def check_promise(
    steps: Sequence[Step],
    released: Frame,
    confidential: Sequence[str],
    types: Mapping[str, Type],
) -> None:
    """Raise where the released values keep less than a step promised; nothing leaves then.

    Households are counted where ``released`` still has their column.
    """
    for step in steps:
        for block in step.column_blocks if step.k is not None else ():
            found = classes(tables.keys(released, [*block, *step.strata]))
            attained, what = smallest_class(found[:, None]), "records"
            if step.household in released.columns:
                attained = fewest(found, read_households(released, step.household))
                what = "households"
            if attained < step.k:
                _broken(f"The smallest class of the released values holds {attained} {what}",
                        f"k={step.k}")  # fmt: skip
        if isinstance(step, Microaggregate):
            _check_beyond(step, released, confidential, types)


def _check_beyond(
    step: Microaggregate, released: Frame, confidential: Sequence[str], types: Mapping[str, Type]
) -> None:
    if step.diversity is None and step.closeness is None:
        return
    known = classes(tables.codes(released, [*step.columns, *step.strata]))[:, None]
    numbered, ordered = ranks(released, confidential, types)
    if step.diversity is not None:
        least = l_diversity(known, numbered)[step.diversity_kind].min()
        if least < step.diversity - ROUNDING:
            _broken(f"Some class of the released values hides behind {least:.4g} confidential"
                    " values", f"diversity={step.diversity:g}")  # fmt: skip
    if step.closeness is not None:
        farthest = t_closeness(known, numbered, ordered).max()
        if farthest > step.closeness + ROUNDING:
            _broken(f"Some class of the released values is {farthest:.4g} away from the table",
                    f"closeness={step.closeness:g}")  # fmt: skip


def _broken(found: str, promised: str) -> None:
    raise GuaranteeBroken(
        f"{found}; {promised} was promised. Please report this: no data were released."
    )


def judge(evidence: Evidence) -> Verdict:
    """Return what may be said about a release, computed from the released values.

    Parameters
    ----------
    evidence : Evidence
        The released table and what else is at hand.

    Returns
    -------
    Verdict
        Status, attained k and every finding.
    """
    plan = evidence.plan
    attained = evidence.smallest(evidence.joint_classes)
    found = [finding for check in CHECKS for finding in check(evidence)]
    return make_verdict(plan.k, attained, RECORDS, found)


def _attained(evidence: Evidence) -> list[Finding]:
    return check_attained(evidence.plan.k, evidence.smallest(evidence.joint_classes))


def check_attained(k: int | None, attained: int) -> list[Finding]:
    """Find a k that all columns together do not keep, or that is no guarantee."""
    if k is None:
        return [
            Finding("no-k-promised", "qualifies", "No step promises k-anonymity of all columns that"
                    f" an attacker may know; the smallest class holds {counted(attained)}.",
                    {"attained": attained})
        ]  # fmt: skip
    if k == 1:
        return [
            Finding("k-is-one", "breaks", "k = 1 protects nobody: a record may be the only one of"
                    " its kind.", {"k": 1, "attained": attained})
        ]  # fmt: skip
    if attained < k:
        return [
            Finding("joint-class-below-k", "breaks", "The columns that an attacker may know attain"
                    f" only {counted(attained)} together, less than k = {k}: they were masked in"
                    " separate blocks or steps.", {"k": k, "attained": attained})
        ]  # fmt: skip
    return []


# Every check looks at the released values and returns what it found; docs/promises.md lists them.
CHECKS: tuple[Callable[[Evidence], list[Finding]], ...] = (_attained,)
