"""A release as plain data: everything a report shows, nothing computed here.

The audience is the public: no seed, no group labels, no value of a single record.
"""

from inspect import getdoc
from typing import Any

from shoal import document
from shoal.measure import ABOUT, MEASURES
from shoal.release import Release
from shoal.table.roles import columns_with


def summarise(release: Release) -> dict[str, Any]:
    """Return what a report says about ``release``, ready for JSON."""
    plan = release.plan
    attained = release.measures["smallest_class"]
    return {
        "records": release.provenance["records"],
        "promise": {
            "k": plan.k,
            "attained": attained,
            "kept": plan.k is not None and attained >= plan.k,
            **_beyond(release),
        },
        "verdict": _verdict(release) + _reading(release.provenance["missing"]),
        "missing": release.provenance["missing"],
        "guarantees": [
            {"step": step.name, "columns": list(step.columns), "guarantee": step.guarantee}
            for step in plan.steps
        ],
        "groups": _groups(release),
        "methods": release.provenance["methods"],
        "columns": {
            "masked": plan.masked,
            "dropped": columns_with(plan.roles, "identifier"),
            "confidential": columns_with(plan.roles, "confidential"),
            "unchanged": list(release.unchanged),
        },
        "measures": [_measure(name, value) for name, value in release.measures.items()],
        "remarks": dict(release.remarks),
        "warnings": list(release.warnings),
        "plan": _public_plan(plan.to_dict()),
        "versions": release.provenance["versions"],
    }


def _beyond(release: Release) -> dict[str, Any]:
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


def _verdict(release: Release) -> str:
    k, attained = release.plan.k, release.measures["smallest_class"]
    linked = release.measures.get("linkage")
    risk = "" if linked is None else f" Who knows them all links {100 * linked:.1f} % rightly."
    if k is None:
        alike = "1 record" if attained == 1 else f"{attained} records"
        return (
            "NO k-anonymity is promised: some masked columns are protected in another way, or not"
            f" at all. The smallest class that was counted holds {alike}.{risk}"
        )
    chance = 100 / attained
    found = (
        f"Whoever knows the masked columns of a person finds at least {attained} records that look"
        f" alike, so the chance to pick the right one is at most 1 in {attained} ({chance:.3g} %)."
    )
    if attained >= k:
        return f"The promise holds: k = {k}. {found}{_told(_beyond(release))}"
    if attained > 1:
        return f"The columns together do NOT keep k = {k}, only {attained}. {found}"
    return (
        f"The columns together do NOT keep k = {k}: some record is the only one of its kind"
        f" (k = 1).{risk} Each block of columns keeps k by itself."
    )


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


def _groups(release: Release) -> list[dict[str, int]]:
    return [
        {
            "number": groups.n_groups,
            "smallest": int(groups.sizes.min()),
            "largest": int(groups.sizes.max()),
        }
        for groups in release.partitions
    ]


def _measure(name: str, value: Any) -> dict[str, Any]:
    about = ABOUT[name]
    return {
        "name": name,
        "value": value,
        "unit": about.unit,
        "kind": about.kind,
        "better": about.better,
        "meaning": (getdoc(MEASURES[name]) or "").split("\n\n")[0].split(" [")[0].rstrip("."),
    }


def _public_plan(entries: dict[str, Any]) -> str:
    """Return the plan as TOML without its seeds, which would help to undo a mask that draws."""
    return document.dumps(_without_seeds(entries))


def _without_seeds(entry: Any) -> Any:
    if isinstance(entry, dict):
        return {n: _without_seeds(value) for n, value in entry.items() if n != "random_state"}
    return [_without_seeds(value) for value in entry] if isinstance(entry, list) else entry
