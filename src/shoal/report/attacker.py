"""Sentences about what an attacker can and cannot do, derived from the measures of a release."""

from collections.abc import Callable, Sequence
from typing import Any

from shoal._text import count, join_names
from shoal.frame.roles import RECORD_UNIT, columns_with
from shoal.plan.findings.phrases import format_share
from shoal.plan.release import ReleaseLike
from shoal.plan.verdict import UNITS_NOT_COUNTED, Finding, Verdict, count_phrase

PROBABILISTIC = "probabilistic k-anonymity"  # what swapping within groups promises
MAX_NAMES = 6  # columns shown by name; the others are counted
# Findings whose columns may disclose original values.
DISCLOSING_FINDINGS = ("dominated-groups", "derived-column", "pairs", "one-contributor")


# The l-diversity of the class in which it is least, by the way in which values are counted.
DIVERSITY_PHRASES = {
    "distinct": "at least {:.4g} distinct values",
    "entropy": "at least {:.4g} effective values (by entropy)",
}


def explanation(release: ReleaseLike) -> str:
    """Return sentences on the chance of picking the right record, and on missing cells."""
    return _picking_chance(release) + _missing_cells_sentence(release.provenance["missing"])


def _picking_chance(release: ReleaseLike) -> str:
    plan, verdict = release.plan, release.verdict
    linkage = release.measures.get("linkage")
    linkage_sentence = ""
    if linkage is not None:
        linkage_sentence = f" Anyone who knows them all links {format_share(linkage)} correctly."
    if plan.k is None:
        return (
            "Some masked columns are protected in another way than k-anonymity, or not at all."
            f"{linkage_sentence}"
        )
    k = verdict.smallest_class
    if k == 1:
        sentence = "Some record is the only one of its kind in the masked columns."
        if verdict.unit != RECORD_UNIT:
            sentence = "Some class on the masked columns holds records of a single unit."
        return f"{sentence}{linkage_sentence}"
    return (
        f"Anyone who knows the masked columns of a person finds at least"
        f" {count_phrase(k, verdict.unit)} that look alike{_ceiling_clause(release)}"
        f"{_constraint_sentences(attained_constraints(release), verdict)}"
    )


def _ceiling_clause(release: ReleaseLike) -> str:
    """Return the end of the sentence on records that look alike: the attacker's best chance."""
    ceiling, unit = chance_ceiling(release), release.verdict.unit
    if ceiling is None:
        return "."
    if unit == RECORD_UNIT:
        k = release.verdict.smallest_class
        return (
            f", so the chance of picking the right one is at most 1 in {k} ({100 * ceiling:.3g} %)."
        )
    return (
        ". A unit may have several of the records that look alike: one of them picked at random is"
        f" of the right unit with a chance of at most {format_share(ceiling)}."
    )


def chance_ceiling(release: ReleaseLike) -> float | None:
    """Return the greatest chance that a record picked in a class is of a given person.

    Where units are counted, it is the greatest share of one unit in the records of a class. It is
    None if the release guarantees no k, or if units were not counted.
    """
    verdict = release.verdict
    if release.plan.k is None or UNITS_NOT_COUNTED in verdict.codes():
        return None
    if verdict.unit == RECORD_UNIT:
        return 1 / verdict.smallest_class
    share = release.measures.get("largest_unit_share")
    return None if share is None else float(share)


def attained_constraints(release: ReleaseLike) -> dict[str, Any]:
    """Return the required and the attained l-diversity and t-closeness."""
    constraints: dict[str, Any] = {}
    for step in release.plan.steps:
        options = vars(step)
        if options.get("diversity") is not None:
            kind = options["diversity_kind"]
            attained_value = min(release.measures["l_diversity"][kind].values())
            constraints["diversity"] = {
                "l": options["diversity"],
                "kind": kind,
                "attained": attained_value,
            }
        if options.get("closeness") is not None:
            attained_value = max(release.measures["t_closeness"].values())
            constraints["closeness"] = {"t": options["closeness"], "attained": attained_value}
    return constraints


def attacker_cannot(release: ReleaseLike) -> list[str]:
    """Return what an attacker who knows the quasi-identifiers cannot do, in sentences."""
    plan, verdict, k = release.plan, release.verdict, release.verdict.smallest_class
    sentences = []
    if k > 1 and plan.k is not None:
        sentences.append(
            f"Single a person out by {name_some(plan.quasi_identifiers)}: at least"
            f" {count_phrase(k, verdict.unit)} share every combination of released values."
        )
    hidden = _hidden_columns(verdict)
    if hidden:
        sentences.append(
            f"Read the original {name_some(hidden)} of a person: no released value is the original"
            " one."
        )
    if columns_with(plan.roles, "household") and plan.k is not None and k > 1:
        are_whole = all(vars(step).get("whole_households", False) for step in plan.steps)
        household_phrase = f"whole households, at least {k} of them"
        household_phrase = household_phrase if are_whole else f"members of at least {k} households"
        sentences.append(f"Find the household of a person: every class holds {household_phrase}.")
    if plan.dropped:
        columns_phrase = "this column was" if len(plan.dropped) == 1 else "these columns were"
        sentences.append(
            f"Find {name_some(plan.dropped)} in the release: {columns_phrase} dropped."
        )
    return sentences


def attacker_can(release: ReleaseLike) -> list[str]:
    """Return what the release does not hide from an attacker, in sentences."""
    plan, verdict, k = release.plan, release.verdict, release.verdict.smallest_class
    smallest_phrase = count_phrase(k, verdict.unit) if k > 1 else "a single record"
    sentences = [
        f"Narrow a person who is known to be in the table down to {smallest_phrase} or more."
    ]
    if plan.k is None:
        is_limited = any(step.promises == PROBABILISTIC for step in plan.steps)
        limit = "" if is_limited else "; no k limits how often"
        sentences = [f"Link a person to the record with the nearest values{limit}."]
    elif k == 1:
        noun = "the one record" if verdict.unit == RECORD_UNIT else "records"
        sentences = [f"Find {noun} of some persons by combining all masked columns."]
    confidential = columns_with(plan.roles, "confidential")
    if k > 1 and plan.k is not None:
        sentences += _confidential_values(release)
    elif confidential:
        sentences.append(f"Read the {name_some(confidential)} of whoever is linked correctly.")
    sentences += _exact_values(verdict)
    return sentences + [
        SENTENCE_BY_CODE[finding.code](finding)
        for finding in verdict.findings
        if finding.code in SENTENCE_BY_CODE
    ]


def name_some(columns: Sequence[str]) -> str:
    """Return the names of columns for a sentence; of many, the first and the number of others."""
    n_others = len(columns) - MAX_NAMES
    names = columns if n_others <= 0 else [*columns[:MAX_NAMES], f"{n_others} more"]
    return join_names(names)


def uncovered_warnings(release: ReleaseLike) -> list[str]:
    """Return the warnings of a release that its verdict does not repeat."""
    shown_sentences = {finding.with_advice() for finding in release.verdict.findings}
    return [warning for warning in release.warnings if warning not in shown_sentences]


def _hidden_columns(verdict: Verdict) -> list[str]:
    """Return the masked columns in which no record shows or discloses its original value."""
    readable = {
        name
        for finding in verdict.findings
        if finding.code in DISCLOSING_FINDINGS
        for name in finding.columns
    }
    return [
        name
        for name, share in (verdict.exact or {}).items()
        if name and share == 0 and name not in readable
    ]


def _exact_values(verdict: Verdict) -> list[str]:
    shares = {name: share for name, share in (verdict.exact or {}).items() if name and share > 0}
    if not shares:
        return []
    phrases = [
        f"{name} of {format_share(share)}" for name, share in list(shares.items())[:MAX_NAMES]
    ]
    and_more = (
        f" and {len(shares) - MAX_NAMES} more columns of some" if len(shares) > MAX_NAMES else ""
    )
    return [
        f"Read the original {', '.join(phrases)}{and_more} of the records that have a value there:"
        " the released value is the original one."
    ]


def _unchanged(finding: Finding) -> str:
    units = finding.figures.get("of")
    owners = "the records" if units is None else units
    known_clause = "is known too: it is" if len(finding.columns) == 1 else "are known too: they are"
    return (
        f"Find {'' if units is None else 'a record of '}"
        f"{format_share(finding.figures['with_masked'])} of {owners}, if"
        f" {name_some(finding.columns)} {known_clause} released unchanged."
    )


def _derived_columns(finding: Finding) -> str:
    rules = finding.figures["rules"].items()
    phrases = [f"{name} from {name_some(rule['from'])}" for name, rule in list(rules)[:MAX_NAMES]]
    and_more = f", and {len(rules) - MAX_NAMES} more" if len(rules) > MAX_NAMES else ""
    return f"Compute {', '.join(phrases)}{and_more}: these columns are released unchanged."


SENTENCE_BY_CODE: dict[str, Callable[[Finding], str]] = {
    "unique-on-unchanged-columns": _unchanged,
    "confidential-key": lambda finding: (
        f"Find a record by its {name_some(finding.columns)}, if that is known"
        f"{'' if finding.severity == 'qualifies' else ' and no other record has it'}."
    ),
    "released-weights": lambda finding: (
        f"Tell records that look alike apart by {name_some(finding.columns)}, if that is known."
    ),
    "derived-column": _derived_columns,
    "dominated-groups": lambda finding: (
        f"Estimate the greatest value of some groups from their mean: {name_some(finding.columns)}."
    ),
    "pairs": lambda finding: (
        "Compute from the mean of a pair what the other contributed to it, as one of the two."
    ),
    "order-follows-column": lambda finding: (
        f"Find a row by its place: the order of the records follows {name_some(finding.columns)}."
    ),
    "revealing-order": lambda finding: "Find the members of a household or unit in adjacent rows.",
    "one-contributor": lambda finding: (
        f"Read the {name_some(finding.columns)} of a record that gave its value to its whole group."
    ),
}


def _confidential_values(release: ReleaseLike) -> list[str]:
    """Return what becomes known of the confidential columns if no record is unique."""
    n_classes = sum(release.measures["class_sizes"].values())
    changed_classes = _counts_by_column(release, "homogeneous-before-masking", "homogeneous")
    homogeneous = _counts_by_column(release, "homogeneous-group", "homogeneous")
    missing = _counts_by_column(release, "homogeneous-group", "missing")
    shared_classes = {
        column: number - missing.get(column, 0) for column, number in homogeneous.items()
    }
    shared_in_every_record = shared_classes | _counts_by_column(
        release, "homogeneous-group", "in_every_record"
    )
    sentences = [
        f"Know about which {column} everybody in {number:,} of {n_classes:,} classes has: only the"
        " masking of the values differs there."
        for column, number in changed_classes.items()
    ]
    sentences += [
        f"Be sure of the {column} of everybody in {number:,} of {n_classes:,} classes: all records"
        " there share one value."
        for column, number in shared_in_every_record.items()
        if number
    ]
    sentences += [
        f"Know a value of {column} that everybody in {number - shared_in_every_record[column]:,} of"
        f" {n_classes:,} classes has in some record, if they can tell which records belong to whom."
        for column, number in shared_classes.items()
        if number > shared_in_every_record[column]
    ]
    confidential = release.measures.get("homogeneous_classes", {})
    varying_columns = [
        column for column in confidential if column not in {**shared_classes, **changed_classes}
    ]
    if varying_columns:
        sentences.append(
            f"Read which values of {name_some(varying_columns)} occur among the records that look"
            " alike, but not which of them is the person's."
        )
    return sentences


def _counts_by_column(release: ReleaseLike, code: str, figure: str) -> dict[str, int]:
    """Return the numbers of classes that the findings of one code give for each column."""
    return {
        column: number
        for finding in release.verdict.findings
        if finding.code == code
        for column, number in finding.figures.get(figure, {}).items()
    }


def _constraint_sentences(constraints: dict[str, Any], verdict: Verdict) -> str:
    """Return sentences about the attained l-diversity and t-closeness, if required."""
    codes = verdict.codes()
    sentences = ""
    if "diversity" in constraints:
        entry = constraints["diversity"]
        holds_phrase = "does not hold" if "diversity-not-attained" in codes else "holds"
        sentences += (
            f" Every class has {DIVERSITY_PHRASES[entry['kind']].format(entry['attained'])} of each"
            f" confidential column, so l = {entry['l']:g} {holds_phrase}."
        )
    if "closeness" in constraints:
        entry = constraints["closeness"]
        holds_phrase = "does not hold" if "closeness-not-attained" in codes else "holds"
        sentences += (
            f" No class is farther than {entry['attained']:.4g} from the table in any confidential"
            f" column: t = {entry['t']:g} {holds_phrase}."
        )
    return sentences


def _missing_cells_sentence(missing: dict[str, int]) -> str:
    """Return how missing cells are counted, if there are any."""
    if not missing:
        return ""
    n_missing = sum(missing.values())
    return (
        f" {count(n_missing, 'released cell')} {'is' if n_missing == 1 else 'are'} missing; a"
        " missing cell counts as a value of its own, so records look alike only where the same"
        " cells are missing."
    )
