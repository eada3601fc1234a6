"""What a release means for whoever must answer for it, in words."""

from collections.abc import Sequence
from typing import Any

from shoal.frame.roles import columns_with
from shoal.plan.release import Released

NAMED = 6  # columns told by name; the others are counted


def verdict(release: Released) -> str:
    """Say whether the promise holds and what chance that leaves an attacker."""
    return _promise(release) + _reading(release.provenance["missing"])


def _promise(release: Released) -> str:
    k, attained = release.plan.k, release.measures["smallest_class"]
    linked = release.measures.get("linkage")
    risk = "" if linked is None else f" Who knows them all links {100 * linked:.1f} % rightly."
    if k is None:
        alike = "1 record" if attained == 1 else f"{attained} records"
        return (
            "NO k-anonymity is promised: some masked columns are protected in another way, or not"
            f" at all. The smallest class that was counted holds {alike}.{risk}"
        )
    found = (
        f"Whoever knows the masked columns of a person finds at least {attained} records that look"
        f" alike, so the chance to pick the right one is at most 1 in {attained}"
        f" ({100 / attained:.3g} %)."
    )
    if attained >= k:
        return f"The promise holds: k = {k}. {found}{_told(beyond(release))}"
    if attained > 1:
        return f"The columns together do NOT keep k = {k}, only {attained}. {found}"
    return (
        f"The columns together do NOT keep k = {k}: some record is the only one of its kind"
        f" (k = 1).{risk} Each block of columns keeps k by itself."
    )


def beyond(release: Released) -> dict[str, Any]:
    """Return what was promised of the confidential columns and what the classes attain."""
    found: dict[str, Any] = {}
    for step in release.plan.steps:
        options = vars(step)
        if options.get("diversity") is not None:
            kind = options["diversity_kind"]
            attained = min(release.measures["l_diversity"][kind].values())
            found["diversity"] = {"l": options["diversity"], "kind": kind, "attained": attained}
        if options.get("closeness") is not None:
            attained = max(release.measures["t_closeness"].values())
            found["closeness"] = {"t": options["closeness"], "attained": attained}
    return found


def cannot(release: Released) -> list[str]:
    """Return what an attacker who knows the quasi-identifiers cannot do."""
    plan, attained = release.plan, release.measures["smallest_class"]
    told = []
    if attained > 1 and plan.k is not None:
        told.append(
            f"Single a person out by {named(plan.known)}: at least {attained} records share every"
            " combination of released values."
        )
    if (plan.k or 0) > 1 and all(hasattr(step, "aggregate") for step in plan.steps):
        told.append(
            f"Read the original {named(plan.masked)} of a person: one value stands for all records"
            f" of a group, and a group holds at least {plan.k}."
        )
    homes = [step.k or 1 for step in plan.steps if step.household is not None]
    if homes and plan.k is not None:
        told.append(
            f"Find the household of a person: a class holds whole households, at least {min(homes)}"
            " of them."
        )
    if plan.dropped:
        what = "person or a household" if columns_with(plan.roles, "household") else "person"
        told.append(f"Find {named(plan.dropped)} in the release: what names a {what} was dropped.")
    return told


def can(release: Released) -> list[str]:
    """Return what the release does not hide from an attacker."""
    plan, attained = release.plan, release.measures["smallest_class"]
    least = f"{attained} records" if attained > 1 else "a single record"
    told = [f"Narrow a person who is known to be in the table down to {least} or more."]
    if plan.k is None:
        told = ["Link a person to the record with the nearest values; no k limits how often."]
    elif attained == 1:
        told = ["Find the one record of some persons by combining all masked columns."]
    secret = columns_with(plan.roles, "confidential")
    if attained > 1:
        told += _confidential(release)
    elif secret:
        told.append(f"Read the {named(secret)} of whoever is linked rightly.")
    free = [name for name in release.unchanged if name not in (*plan.known, *secret)]
    if free:
        told.append(
            f"Tell records that look alike apart by {named(free)}, if that is known too: it leaves"
            " unchanged."
        )
    return told


def named(columns: Sequence[str]) -> str:
    """Name columns in a sentence; many are counted."""
    names = list(columns[:NAMED])
    if len(columns) > NAMED:
        return f"{', '.join(names)} and {len(columns) - NAMED} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _confidential(release: Released) -> list[str]:
    """Say what becomes known of the confidential columns where no record is alone."""
    classes = sum(release.measures["class_sizes"].values())
    alike = release.measures.get("homogeneous_classes", {})
    told = [
        f"Be sure of the {column} of everybody in {count:,} of {classes:,} classes: all records"
        " there share one value."
        for column, count in alike.items()
        if count
    ]
    mixed = [column for column, count in alike.items() if not count]
    if mixed:
        told.append(
            f"Read which {named(mixed)} occur among the records that look like a person, but not"
            " which of them is the person's."
        )
    return told


def _told(promised: dict[str, Any]) -> str:
    told = ""
    if "diversity" in promised:
        entry = promised["diversity"]
        told += (
            f" At least {entry['attained']:.4g} values of every confidential column hide in each"
            f" class, counted by {entry['kind']}: l = {entry['l']:g} holds."
        )
    if "closeness" in promised:
        entry = promised["closeness"]
        told += (
            f" No class is farther than {entry['attained']:.4g} from the table in any confidential"
            f" column: t = {entry['t']:g} holds."
        )
    return told


def _reading(missing: dict[str, int]) -> str:
    """Say how missing cells were counted, if there are some."""
    if not missing:
        return ""
    return (
        f" {sum(missing.values())} released cells are missing. That holds in the strict reading: a"
        " missing cell is a value like any other, and records look alike only where the same cells"
        " are missing."
    )
