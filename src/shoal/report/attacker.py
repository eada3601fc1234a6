"""Sentences about what an attacker can and cannot do, derived from the measures of a release."""

from collections.abc import Callable
from typing import Any

from shoal._text import count
from shoal.frame.roles import RECORD_UNIT, columns_with
from shoal.plan.findings.phrases import MAX_NAMES, format_share, join_few
from shoal.plan.release import ReleaseLike
from shoal.plan.verdict import UNITS_NOT_COUNTED, Finding, Verdict, count_phrase

PROBABILISTIC = "probabilistic k-anonymity"  # what swapping within groups guarantees
# Findings whose columns may disclose original values.
DISCLOSING_FINDINGS = ("dominated-groups", "derived-column", "pairs", "one-contributor")
# Phrases for the smallest l-diversity of a class, by how values are counted.
DIVERSITY_PHRASES = {
    "distinct": "at least {:.4g} distinct values",
    "entropy": "at least {:.4g} effective values (by entropy)",
}


def explanation(release: ReleaseLike) -> str:
    """Return sentences on the chance of picking the right record, and on missing cells."""
    return _picking_chance(release) + _missing_cells_sentence(release.provenance["missing"])


def _picking_chance(release: ReleaseLike) -> str:
    """Return sentences on how many records look alike, and on the chance of the right one."""
    plan, verdict = release.plan, release.verdict
    linkage = release.measures.get("linkage")
    linkage_sentence = ""
    if linkage is not None:
        linked = f"{format_share(linkage)} of the records"
        linkage_sentence = f" Anyone who knows them all can link {linked} correctly."
    if plan.k is None:
        return (
            "Some masked columns are protected by means other than k-anonymity, or not at all."
            f"{linkage_sentence}"
        )
    k = verdict.smallest_class
    if k == 1:
        sentence = "At least one record is unique in the masked columns."
        if verdict.unit != RECORD_UNIT:
            sentence = "At least one class on the masked columns holds records of only one unit."
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
        ". A unit may have several of the records that look alike: if one of them is picked at"
        f" random, the chance that it belongs to the right unit is at most {format_share(ceiling)}."
    )


def chance_ceiling(release: ReleaseLike) -> float | None:
    """Return the highest chance that a record picked from a class belongs to a given person.

    If units are counted, it is the largest share of one unit in the records of a class. It is None
    if the release guarantees no k, or if its units were not counted.
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
            f"Single a person out by {join_few(plan.quasi_identifiers)}: at least"
            f" {count_phrase(k, verdict.unit)} share every combination of released values."
        )
    unreadable = _unreadable_columns(verdict)
    if unreadable:
        sentences.append(
            f"Read the original {join_few(unreadable)} of a person: no released value is the"
            " original one."
        )
    if columns_with(plan.roles, "household") and plan.k is not None and k > 1:
        are_whole = all(vars(step).get("whole_households", False) for step in plan.steps)
        household_phrase = (
            f"whole households, at least {k} of them"
            if are_whole
            else f"members of at least {k} households"
        )
        sentences.append(f"Find the household of a person: every class holds {household_phrase}.")
    if plan.dropped:
        columns_phrase = "this column was" if len(plan.dropped) == 1 else "these columns were"
        sentences.append(f"Find {join_few(plan.dropped)} in the release: {columns_phrase} dropped.")
    return sentences


def attacker_can(release: ReleaseLike) -> list[str]:
    """Return what the release does not hide from an attacker, in sentences."""
    plan, verdict, k = release.plan, release.verdict, release.verdict.smallest_class
    if plan.k is None:
        is_limited = any(step.short_guarantee == PROBABILISTIC for step in plan.steps)
        limit_clause = "" if is_limited else "; no k limits how often that is right"
        sentences = [f"Link a person to the record with the nearest values{limit_clause}."]
    elif k == 1:
        noun = "the one record" if verdict.unit == RECORD_UNIT else "records"
        sentences = [f"Find {noun} of some persons by combining all masked columns."]
    else:
        sentences = [
            "Narrow the search for a person who is known to be in the table down to"
            f" {count_phrase(k, verdict.unit)} or more."
        ]
    confidential = columns_with(plan.roles, "confidential")
    if k > 1 and plan.k is not None:
        sentences += _confidential_value_sentences(release)
    elif confidential:
        sentences.append(
            f"Read the {join_few(confidential)} of each person who is linked correctly."
        )
    sentences += _exact_value_sentences(verdict)
    return sentences + [
        SENTENCE_BY_CODE[finding.code](finding)
        for finding in verdict.findings
        if finding.code in SENTENCE_BY_CODE
    ]


def uncovered_warnings(release: ReleaseLike) -> list[str]:
    """Return the warnings of a release that its verdict does not repeat."""
    shown_sentences = {finding.with_advice() for finding in release.verdict.findings}
    return [warning for warning in release.warnings if warning not in shown_sentences]


def _unreadable_columns(verdict: Verdict) -> list[str]:
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


def _exact_value_sentences(verdict: Verdict) -> list[str]:
    """Return which original values can be read because they are released unchanged."""
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


def _unique_record_sentence(finding: Finding) -> str:
    units = finding.figures.get("of")
    population = "the records" if units is None else units
    known_clause = "is known too: it is" if len(finding.columns) == 1 else "are known too: they are"
    return (
        f"Find {'' if units is None else 'a record of '}"
        f"{format_share(finding.figures['with_masked'])} of {population}, if"
        f" {join_few(finding.columns)} {known_clause} released unchanged."
    )


def _derived_column_sentence(finding: Finding) -> str:
    rules = finding.figures["rules"].items()
    phrases = [f"{name} from {join_few(rule['from'])}" for name, rule in list(rules)[:MAX_NAMES]]
    and_more = f", and {len(rules) - MAX_NAMES} more" if len(rules) > MAX_NAMES else ""
    return (
        f"Compute {', '.join(phrases)}{and_more}, exactly or nearly: the source columns are"
        " released unchanged."
    )


def _confidential_key_sentence(finding: Finding) -> str:
    is_single = len(finding.columns) == 1
    values = "the value" if is_single else "the values"
    unique_clause = f" and {'it is' if is_single else 'they are'} unique"
    return (
        f"Find a record by its {join_few(finding.columns)}, if the attacker knows {values}"
        f"{'' if finding.severity == 'qualifies' else unique_clause}."
    )


def _confidential_value_sentences(release: ReleaseLike) -> list[str]:
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
        f"Estimate the {column} of every person in {number:,} of {n_classes:,} classes: all persons"
        " there shared a value, and the released values differ only because of the masking."
        for column, number in changed_classes.items()
    ]
    sentences += [
        f"Learn the {column} of every person in {number:,} of {n_classes:,} classes: all records"
        " there share one value."
        for column, number in shared_in_every_record.items()
        if number
    ]
    sentences += [
        f"Learn a value of {column} that every unit in {number - shared_in_every_record[column]:,}"
        f" of {n_classes:,} classes has in at least one record, if the attacker can tell which"
        " records belong to the same unit."
        for column, number in shared_classes.items()
        if number > shared_in_every_record[column]
    ]
    confidential = release.measures.get("homogeneous_classes", {})
    varying_columns = [
        column for column in confidential if column not in {**shared_classes, **changed_classes}
    ]
    if varying_columns:
        sentences.append(
            f"Read which values of {join_few(varying_columns)} occur among the records that look"
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
            f" No class is at a distance of more than {entry['attained']:.4g} from the table in any"
            f" confidential column, so t = {entry['t']:g} {holds_phrase}."
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


SENTENCE_BY_CODE: dict[str, Callable[[Finding], str]] = {
    "unique-on-unchanged-columns": _unique_record_sentence,
    "confidential-key": _confidential_key_sentence,
    "released-weights": lambda finding: (
        f"Distinguish records that look alike by {join_few(finding.columns)}, if the attacker knows"
        " its values."
    ),
    "derived-column": _derived_column_sentence,
    "dominated-groups": lambda finding: (
        f"Estimate the largest value of some groups from their mean: {join_few(finding.columns)}."
    ),
    "pairs": lambda finding: (
        "As a member of a pair, compute what the other member contributed, from the mean and, if it"
        " is weighted, the weights."
    ),
    "order-follows-column": lambda finding: (
        "Find a record by its position: the order of the records follows"
        f" {join_few(finding.columns)}."
    ),
    "revealing-order": lambda finding: "Find the members of a household or unit in adjacent rows.",
    "one-contributor": lambda finding: (
        f"Read the {join_few(finding.columns)} of a record whose value its whole group shows."
    ),
}
