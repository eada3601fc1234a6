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
        "promise": {"k": plan.k, "attained": attained, "kept": attained >= plan.k},
        "verdict": _verdict(plan.k, attained, release.measures.get("linkage"))
        + _reading(release.provenance["missing"]),
        "missing": release.provenance["missing"],
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


def _verdict(k: int, attained: int, linked: float | None) -> str:
    chance = 100 / attained
    found = (
        f"Whoever knows the masked columns of a person finds at least {attained} records that look"
        f" alike, so the chance to pick the right one is at most 1 in {attained} ({chance:.3g} %)."
    )
    if attained >= k:
        return f"The promise holds: k = {k}. {found}"
    if attained > 1:
        return f"The columns together do NOT keep k = {k}, only {attained}. {found}"
    risk = "" if linked is None else f" Who knows them all links {100 * linked:.1f} % rightly."
    return (
        f"The columns together do NOT keep k = {k}: some record is the only one of its kind"
        f" (k = 1).{risk} Each block of columns keeps k by itself."
    )


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
    steps = [
        {**step, "partition": {n: v for n, v in step["partition"].items() if n != "random_state"}}
        for step in entries["steps"]
    ]
    return document.dumps({**entries, "steps": steps})
