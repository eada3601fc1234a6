"""Check l-diversity and t-closeness on the released values."""

from collections.abc import Mapping, Sequence

from shoal.frame.codes import codes
from shoal.frame.columns import rank_or_category_codes
from shoal.frame.roles import columns_with
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.metrics import classes, l_diversity, t_closeness
from shoal.plan.evidence import Codes, Evidence
from shoal.plan.verdict import Finding
from shoal.steps import Step
from shoal.steps.constraints.privacy_constraint import TOLERANCE


def find_unmet_constraints(evidence: Evidence) -> list[Finding]:
    """Find l-diversity and t-closeness that are guaranteed and not attained."""
    plan = evidence.plan
    confidential = columns_with(plan.roles, "confidential")
    return [
        finding
        for step in plan.steps
        for finding in unmet_constraints(
            step,
            evidence.released,
            confidential,
            plan.types,
            evidence.units,
            units_unknown=plan.unit_column is not None and evidence.units is None,
        )
    ]


def unmet_constraints(
    step: Step,
    released: Frame,
    confidential: Sequence[str],
    types: Mapping[str, Type],
    units: Codes | None = None,
    *,
    units_unknown: bool = False,
) -> list[Finding]:
    """Return the findings on constraints of a step that the released values do not meet.

    Parameters
    ----------
    step : Step
        The step.
    released : Frame
        The released table.
    confidential : list of str
        The confidential columns.
    types : mapping of str to Type
        Declared types of columns.
    units : ndarray of shape (n_records,), optional
        The unit of each record, if units are counted.
    units_unknown : bool
        Whether the column of the units was dropped. Then only distinct values are counted, by
        record: by unit there are never more, while entropy and distance may be greater or smaller.

    Returns
    -------
    list of Finding
        The constraints that are not met.
    """
    if step.diversity is None and step.closeness is None:
        return []
    labels = classes(codes(released, [*step.columns, *step.strata]))[:, None]
    values, is_rank = rank_or_category_codes(released, confidential, types)
    least_diversity = greatest_distance = None
    if step.diversity is not None and (not units_unknown or step.diversity_kind == "distinct"):
        least_diversity = float(l_diversity(labels, values, units=units)[step.diversity_kind].min())
    if step.closeness is not None and not units_unknown:
        greatest_distance = float(t_closeness(labels, values, is_rank, units).max())
    return constraint_findings(step, least_diversity, greatest_distance, confidential)


def constraint_findings(
    step: Step,
    least_diversity: float | None,
    greatest_distance: float | None,
    confidential: Sequence[str],
) -> list[Finding]:
    """Return the findings on constraints that are not met, given what the classes attain.

    ``least_diversity`` is the smallest diversity of a class, and ``greatest_distance`` the largest
    distance of a class from the table. Each is None if it is not guaranteed or not known.
    """
    findings = []
    if (
        step.diversity is not None
        and least_diversity is not None
        and least_diversity < step.diversity - TOLERANCE
    ):
        findings.append(
            Finding(
                "diversity-not-attained",
                "breaks",
                f"A class of the released values attains only diversity={least_diversity:.4g} in a"
                f" confidential column; diversity={step.diversity:g} was guaranteed.",
                {"l": step.diversity, "attained": least_diversity},
                tuple(confidential),
            )
        )
    limit = step.closeness
    if (
        limit is not None
        and greatest_distance is not None
        and greatest_distance > limit + TOLERANCE
    ):
        findings.append(
            Finding(
                "closeness-not-attained",
                "breaks",
                f"A class of the released values is at distance {greatest_distance:.4g} from the"
                f" table in a confidential column; closeness={limit:g} was guaranteed.",
                {"t": limit, "attained": greatest_distance},
                tuple(confidential),
            )
        )
    return findings
