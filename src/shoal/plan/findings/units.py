"""Units that could not be counted, or identifiers that were not checked."""

from typing import TYPE_CHECKING

from shoal.frame.roles import RECORD_UNIT, name_columns
from shoal.plan.evidence import Evidence
from shoal.plan.verdict import Finding

if TYPE_CHECKING:
    from shoal.plan.plan import Plan


def find_uncounted_units(evidence: Evidence) -> list[Finding]:
    """Find units that could not be counted because their column was dropped from the release."""
    return [] if evidence.units is not None else uncounted_unit_findings(evidence.plan)


def uncounted_unit_findings(plan: "Plan") -> list[Finding]:
    """Return the finding on units that k counts but that are unknown in a release, if any."""
    unit = plan.unit_column
    if unit is None:
        return []
    is_constrained = any(step.diversity or step.closeness is not None for step in plan.steps)
    constraint_sentence = (
        " l-diversity and t-closeness of units were not counted." if is_constrained else ""
    )
    return [
        Finding(
            "units-not-counted",
            "qualifies",
            f"k counts units of {unit!r}, and that column was dropped: only records could be"
            f" counted here, and a class may hold fewer units than records.{constraint_sentence}",
            {"unit": unit},
            (unit,),
            way_out="Verify with the original table, so that units can be counted.",
        )
    ]


def unchecked_identifier_findings(plan: "Plan") -> list[Finding]:
    """Return the finding on unchecked identifiers: if values repeat, k counts only records."""
    names = plan.identifiers_to_check
    if not names:
        return []
    return [
        Finding(
            "units-not-counted",
            "qualifies",
            f"{name_columns(names, 'Identifier', 'Identifiers')}: it was not checked whether"
            " values repeat. k counts records, and if a person has several, a class may hold fewer"
            " than k persons.",
            columns=tuple(names),
            way_out=f'Set `unit="{RECORD_UNIT}"` if every record is a person of its own.',
        )
    ]
