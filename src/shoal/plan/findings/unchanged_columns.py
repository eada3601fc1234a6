"""Columns that are released unchanged: without a role, or with values that identify records."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from shoal.frame import tables
from shoal.frame.roles import name_columns
from shoal.metrics import classes
from shoal.metrics.findings.uniqueness import count_unique_units, unique_share
from shoal.plan.evidence import RECORDS, Evidence
from shoal.plan.findings.phrases import format_share, join_phrases, name_few
from shoal.plan.verdict import Finding

if TYPE_CHECKING:
    from shoal.plan.plan import Plan


def find_columns_without_role(evidence: Evidence) -> list[Finding]:
    """Find columns that are released unchanged and have no role."""
    return columns_without_role_findings(evidence.plan, evidence.released.columns)


def columns_without_role_findings(plan: "Plan", columns: Sequence[str]) -> list[Finding]:
    """Return the findings on columns that have no role and that no step masks."""
    without_role = [
        name
        for name in columns
        if plan.roles.get(name, "unassigned") == "unassigned" and name not in plan.quasi_identifiers
    ]
    if not without_role:
        return []
    verbs = ("has", "is") if len(without_role) == 1 else ("have", "are")
    return [
        Finding(
            "unprotected-column",
            "qualifies",
            f"{name_columns(without_role)} {verbs[0]} no role and {verbs[1]} released unchanged.",
            {"number": len(without_role)},
            tuple(without_role),
            "A column that an attacker may know is a quasi-identifier: give every column a role.",
        )
    ]


def find_unique_records(evidence: Evidence) -> list[Finding]:
    """Find records that are unique on unchanged columns, alone or with the masked ones.

    Confidential columns and weights have checks of their own.
    """
    excluded = (*evidence.columns_with_role("confidential"), *evidence.columns_with_role("weight"))
    unchanged = [name for name in evidence.unchanged_columns if name not in excluded]
    if set(unchanged) <= set(evidence.plan.quasi_identifiers):  # only strata: k is counted on them
        return []
    unchanged_classes = evidence.classes_on(unchanged)
    joined = evidence.joint_classes * (int(unchanged_classes.max()) + 1) + unchanged_classes
    share_alone = unique_share(unchanged_classes, evidence.units)
    share_together = unique_share(classes(joined[:, None]), evidence.units)
    limit = evidence.plan.thresholds.unique
    return unique_record_findings(
        unchanged, share_alone, share_together, limit, evidence.population_phrase
    )


def unique_record_findings(
    unchanged: Sequence[str],
    share_alone: float | None,
    share_together: float,
    limit: float,
    population_phrase: str,
) -> list[Finding]:
    """Return the findings on unique records, given their shares.

    ``share_alone`` is their share on the unchanged columns alone, or None if it is unknown;
    ``share_together`` is their share on the unchanged and the masked columns.
    """
    if share_together == 0:
        return []
    pronoun = "it" if len(unchanged) == 1 else "them"
    figures: dict[str, float | str] = {"with_masked": share_together}
    if share_alone is None:
        shares = (
            f"{format_share(share_together)} of {population_phrase} are unique on {pronoun} and the"
            " masked columns."
        )
    else:
        figures = {"alone": share_alone, **figures}
        shares = (
            f"{format_share(share_alone)} of {population_phrase} are unique on {pronoun} alone,"
            f" {format_share(share_together)} together with the masked columns."
        )
    if population_phrase != RECORDS:
        figures["of"] = population_phrase
    return [
        Finding(
            "unique-on-unchanged-columns",
            "qualifies" if share_together > limit else "informs",
            f"{name_few(unchanged)} {'is' if len(unchanged) == 1 else 'are'} released unchanged:"
            f" {shares}",
            figures,
            tuple(unchanged),
            "Mask or drop the columns whose values an attacker may know.",
        )
    ]


def find_confidential_keys(evidence: Evidence) -> list[Finding]:
    """Find confidential columns with unique values, which identify records.

    If so many values are unique that the column works as a key, they qualify the verdict.
    """
    plan = evidence.plan
    names = [name for name in evidence.columns_with_role("confidential") if name not in plan.masked]
    if not names:
        return []
    limit = plan.thresholds.key
    shares = {name: _share_with_unique_value(evidence, name) for name in names}
    keys = {name: share for name, share in shares.items() if share > limit}
    phrases = {name: format_share(share) for name, share in shares.items() if share > 0}
    if keys:
        return [
            Finding(
                "confidential-key",
                "qualifies",
                "Some confidential values occur only once, so anyone who knows such a value can"
                f" find the record. Share of {evidence.population_phrase} with a unique value:"
                f" {join_phrases(phrases)}.",
                {"unique": shares},
                tuple(keys),
                "Round or mask the column if an attacker may know its values.",
            )
        ]
    share_together = unique_share(evidence.classes_on(names), evidence.units)
    columns, sentences = tuple(phrases), []
    if phrases:
        population_phrase = evidence.population_phrase
        sentences = [
            f"Share of {population_phrase} with a unique confidential value:"
            f" {join_phrases(phrases)}."
        ]
    if share_together > limit and len(names) > 1:
        columns = tuple(names)
        sentences.append(
            f"{format_share(share_together)} of {evidence.population_phrase} are unique on the"
            f" confidential {name_few(names, 'column', 'columns')} together."
        )
    if not sentences:
        return []
    figures = {"unique": shares, "together": share_together}
    return [Finding("confidential-key", "informs", " ".join(sentences), figures, columns)]


def _share_with_unique_value(evidence: Evidence, name: str) -> float:
    """Return the share of records, or units, with a unique value; a missing cell is no value."""
    labels, units = evidence.classes_on([name]), evidence.units
    present = ~tables.has_missing(evidence.released, [name])
    if present.all():
        return unique_share(labels, units)
    if not present.any():
        return 0.0
    n_units = len(labels) if units is None else len(np.unique(units))
    present_units = None if units is None else units[present]
    return count_unique_units(classes(labels[present, None]), present_units) / n_units
