"""Columns released unchanged: without a role, with unique values, or usable as a key."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from shoal.frame import tables
from shoal.frame.roles import name_columns
from shoal.metrics import classes
from shoal.metrics.uniqueness import unique_share, unique_units
from shoal.plan.evidence import RECORDS, Evidence
from shoal.plan.findings.words import by_column, format_share, name_few
from shoal.plan.verdict import Finding

if TYPE_CHECKING:
    from shoal.plan.plan import Plan


def find_without_role(evidence: Evidence) -> list[Finding]:
    """Find columns that are released unchanged and have no role."""
    return check_roles(evidence.plan, evidence.released.columns)


def check_roles(plan: "Plan", columns: Sequence[str]) -> list[Finding]:
    """Find columns of a table that have no role and that no step masks."""
    free = [
        name
        for name in columns
        if plan.roles.get(name, "unassigned") == "unassigned" and name not in plan.quasi_identifiers
    ]
    if not free:
        return []
    has_verb, is_verb = ("has", "is") if len(free) == 1 else ("have", "are")
    return [
        Finding(
            "unprotected-column",
            "qualifies",
            f"{name_columns(free)} {has_verb} no role and {is_verb} released unchanged.",
            {"number": len(free)},
            tuple(free),
            "What an attacker may know is a quasi-identifier: give every column a role.",
        )
    ]


def find_unchanged(evidence: Evidence) -> list[Finding]:
    """Find records that are unique on unchanged columns, alone or with the masked ones.

    Confidential columns and weights have checks of their own.
    """
    excluded = (*evidence.with_role("confidential"), *evidence.with_role("weight"))
    free = [name for name in evidence.unchanged if name not in excluded]
    other = [name for name in free if name not in evidence.plan.quasi_identifiers]
    if not other:  # strata alone are among the columns that k is counted on
        return []
    free_classes = evidence.classes_on(free)
    joined = evidence.joint_classes * (int(free_classes.max()) + 1) + free_classes
    share = unique_share(free_classes, evidence.units)
    together = unique_share(classes(joined[:, None]), evidence.units)
    limit = evidence.plan.thresholds.unique
    return check_unique(free, share, together, limit, evidence.population)


def check_unique(
    free: Sequence[str],
    alone: float | None,
    together: float,
    limit: float,
    population: str,
) -> list[Finding]:
    """Find unique records, given their share on unchanged columns alone and with the masked ones.

    The share on unchanged columns alone is None if it is unknown.
    """
    if together == 0:
        return []
    pronoun = "it" if len(free) == 1 else "them"
    figures: dict[str, float | str] = {"with_masked": together}
    if alone is None:
        shares = (
            f"{format_share(together)} of {population} are unique on {pronoun} and the masked"
            " columns."
        )
    else:
        figures = {"alone": alone, **figures}
        shares = (
            f"{format_share(alone)} of {population} are unique on {pronoun} alone,"
            f" {format_share(together)} together with the masked columns."
        )
    if population != RECORDS:
        figures["of"] = population
    return [
        Finding(
            "unique-on-unchanged-columns",
            "qualifies" if together > limit else "informs",
            f"{name_few(free)} {'is' if len(free) == 1 else 'are'} released unchanged: {shares}",
            figures,
            tuple(free),
            "Mask what somebody may know of a person, or drop it.",
        )
    ]


def find_confidential_keys(evidence: Evidence) -> list[Finding]:
    """Find confidential columns with unique values, by which records can be found.

    Where many are unique, so that the column works as a key, they qualify the verdict.
    """
    plan = evidence.plan
    names = [name for name in evidence.with_role("confidential") if name not in plan.masked]
    if not names:
        return []
    limit = plan.thresholds.key
    shares = {name: _share_with_unique_value(evidence, name) for name in names}
    keys = {name: share for name, share in shares.items() if share > limit}
    words = {name: format_share(share) for name, share in shares.items() if share > 0}
    if keys:
        return [
            Finding(
                "confidential-key",
                "qualifies",
                "Anyone who knows a confidential value that no other record has finds the record;"
                f" share of {evidence.population} with such a value: {by_column(words)}.",
                {"unique": shares},
                tuple(keys),
                "Round or mask the column if somebody may know its values.",
            )
        ]
    together = unique_share(evidence.classes_on(names), evidence.units)
    columns, sentences = tuple(words), []
    if words:
        population = evidence.population
        sentences = [f"Share of {population} with a unique confidential value: {by_column(words)}."]
    if together > limit and len(names) > 1:
        columns = tuple(names)
        sentences.append(
            f"{format_share(together)} of {evidence.population} are unique on the confidential"
            f" {name_few(names, 'column', 'columns')} together."
        )
    if not sentences:
        return []
    figures = {"unique": shares, "together": together}
    return [Finding("confidential-key", "informs", " ".join(sentences), figures, columns)]


def _share_with_unique_value(evidence: Evidence, name: str) -> float:
    """Return the share of records, or units, with a unique value; a missing cell is no value."""
    labels, units = evidence.classes_on([name]), evidence.units
    known = ~tables.has_missing(evidence.released, [name])
    if known.all():
        return unique_share(labels, units)
    if not known.any():
        return 0.0
    n_units = len(labels) if units is None else len(np.unique(units))
    known_units = None if units is None else units[known]
    return unique_units(classes(labels[known, None]), known_units) / n_units
