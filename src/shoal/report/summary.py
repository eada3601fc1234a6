"""A release as plain data: everything that a report shows.

The public report gives the method, the guarantee, loss and risk to four digits, but no seed, no
groups and no value of a single record. The internal report gives everything that helps to decide.
Drawn seeds are in neither: they may undo the masking, and only the manifest contains them.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from inspect import getdoc
from typing import TYPE_CHECKING, Any

from shoal._params import hint
from shoal.errors import ParameterError, Wording, python_wording
from shoal.frame.roles import columns_with
from shoal.metrics import MEASURE_INFO, MEASURES
from shoal.metrics.rounding import round_floats_for_display
from shoal.plan.definition import document
from shoal.plan.findings.limits import limits_of
from shoal.plan.release import ReleaseLike
from shoal.report.attacker import (
    attacker_can,
    attacker_cannot,
    attained_constraints,
    chance_ceiling,
    explanation,
    uncovered_warnings,
)
from shoal.report.identity import Identity, identity_entries

if TYPE_CHECKING:
    from shoal.comparison.tradeoff import TradeoffPoint

AUDIENCES = ("public", "internal")
NO_PICTURES = ("columns", "pairs", "scores", "transitions")  # parts of a profile that are tables
PUBLIC_PICTURES = ("before", "distributions", "correlations", "associations")
SYMBOL = re.compile(r", [A-Za-z]_\w+$")  # symbol of a measure in formulas, such as D_X


def summarise(
    release: ReleaseLike,
    audience: str = "public",
    *,
    curve: "Sequence[TradeoffPoint]" = (),
    identity: Identity | None = None,
    evidence: Mapping[str, Any] | None = None,
    wording: Wording = python_wording,
) -> dict[str, Any]:
    """Return the content of a report on ``release``, ready for JSON.

    Parameters
    ----------
    release : Release or LargeRelease
        The release.
    audience : {"public", "internal"}, default="public"
        Who may read the report.
    curve : list of TradeoffPoint
        Other runs with the same k and another dependence, from `shoal.comparison.tradeoff.sweep`.
    identity : Identity, optional
        Title, author, file and date of the report.
    evidence : mapping, optional
        Results of attacks, from `shoal.report.attack_evidence.gather_evidence`; for internal
        reports only.
    wording : callable
        How the interface in use writes the options that a way out names.

    Returns
    -------
    dict
        The content as plain data; for the public, with floats rounded to four digits.
    """
    check_audience(audience)
    if evidence is not None:
        check_evidence_audience(audience)
    summary = _summarise(
        release, curve, identity or Identity(), wording, internal=audience == "internal"
    )
    summary["evidence"] = dict(evidence or {})
    return summary if audience == "internal" else round_floats_for_display(summary)


def _summarise(
    release: ReleaseLike,
    curve: "Sequence[TradeoffPoint]",
    identity: Identity,
    wording: Wording,
    *,
    internal: bool,
) -> dict[str, Any]:
    """Return the content of a report, with all digits."""
    plan = release.plan
    shown_plan = _plan_text(plan.to_dict(drawn_seeds=False), internal=internal)
    return {
        "audience": "internal" if internal else "public",
        "identity": identity_entries(
            identity,
            records=release.provenance["records"],
            columns=len(_released_columns(release)),
            plan=shown_plan,
            versions=release.provenance["versions"],
        ),
        "records": release.provenance["records"],
        **_protection(release, wording, internal=internal),
        "before_and_after": _column_entries(release, internal=internal),
        "pairs": list(release.profile.get("pairs", ())),
        "scores": release.profile.get("scores", {}),
        "hierarchies": _hierarchies(release),
        "measures": [_measure_entry(name, value) for name, value in release.measures.items()],
        "remarks": dict(release.remarks),
        "warnings": uncovered_warnings(release),
        "plan": shown_plan,
        "pictures": {
            name: figures
            for name, figures in release.profile.items()
            if (internal or name in PUBLIC_PICTURES) and name not in NO_PICTURES
        },
        "transitions": [
            _transitions(entry, internal=internal)
            for entry in release.profile.get("transitions", ())
        ],
        "tradeoff": _tradeoff(release, curve),
        "versions": release.provenance["versions"],
    }


def _protection(release: ReleaseLike, wording: Wording, *, internal: bool) -> dict[str, Any]:
    """Return what the release guarantees, how, and what attackers can do."""
    plan = release.plan
    return {
        "promise": {
            "k": plan.k,
            "attained": release.verdict.k,
            "kept": plan.k is not None and release.verdict.k >= plan.k,
            **attained_constraints(release),
        },
        "verdict": release.verdict.to_dict(ways_out=internal, wording=wording),
        "limits": limits_of(release.verdict),
        "explanation": explanation(release),
        "chance_ceiling": chance_ceiling(release),
        "attacker": {"cannot": attacker_cannot(release), "can": attacker_can(release)},
        "missing": release.provenance["missing"],
        "guarantees": [
            {"step": step.name, "columns": list(step.columns), "guarantee": sentence}
            for step, sentence in zip(plan.steps, plan.guarantees, strict=True)
        ],
        "groups": release.group_summaries,
        "methods": release.provenance["methods"],
        "columns": {
            "masked": plan.masked,
            "dropped": plan.dropped,
            "confidential": columns_with(plan.roles, "confidential"),
            "unchanged": list(release.unchanged),
        },
    }


def _released_columns(release: ReleaseLike) -> list[str]:
    """Return the columns of the release."""
    plan = release.plan
    strata = [name for step in plan.steps for name in step.strata]
    names = dict.fromkeys([*plan.masked, *strata, *release.unchanged])
    return [name for name in names if name not in plan.dropped]


def _column_entries(release: ReleaseLike, *, internal: bool) -> list[dict[str, Any]]:
    """Return the masked columns before and after, with the share of values released exactly.

    A quartile of the original is the value of one record, so public reports show none.
    """
    exact = release.verdict.exact or {}
    entries = [
        {**entry, "exact": exact.get(entry["column"])}
        for entry in release.profile.get("columns", ())
    ]
    if internal:
        return entries
    return [
        {**entry, "quartiles": [None, entry["quartiles"][1]]} if "quartiles" in entry else entry
        for entry in entries
    ]


def _hierarchies(release: ReleaseLike) -> list[dict[str, Any]]:
    """Return for each recoded column its levels: their categories, and the share of cells."""
    return [
        {
            "column": name,
            "levels": [
                {
                    "categories": categories,
                    "share": cells / release.provenance["records"],
                    "widths": widths,
                }
                for categories, cells, widths in zip(
                    level_use["categories"], level_use["cells"], level_use["widths"], strict=True
                )
            ],
        }
        for finding in release.verdict.findings
        for name, level_use in finding.figures.get("levels", {}).items()
    ]


def check_audience(audience: str) -> None:
    """Refuse an unknown audience."""
    if audience not in AUDIENCES:
        raise ParameterError(
            f"There is no audience {audience!r}.{hint(audience, AUDIENCES)} Choose one of:"
            f" {', '.join(AUDIENCES)}.",
            code="unknown-audience",
            given=audience,
        )


def check_evidence_audience(audience: str) -> None:
    """Refuse evidence for a public report."""
    if audience != "internal":
        raise ParameterError(
            'Evidence is part of internal reports only. Use `audience="internal"`.',
            code="evidence-is-internal",
            audience=audience,
        )


def _measure_entry(name: str, value: Any) -> dict[str, Any]:
    return {"name": name, "value": value, **describe_measure(name)}


def describe_measure(name: str) -> dict[str, str]:
    """Return unit, kind, direction and meaning of a measure."""
    measure_info = MEASURE_INFO[name]
    return {
        "unit": measure_info.unit,
        "kind": measure_info.kind,
        "better": measure_info.better,
        "meaning": SYMBOL.sub(
            "", (getdoc(MEASURES[name]) or "").split("\n\n")[0].split(" [")[0].rstrip(".")
        ),
    }


def _transitions(entry: dict[str, Any], *, internal: bool) -> dict[str, Any]:
    """Return the transitions of post-randomised columns; for the public, without counts.

    A matrix that must not be public is left out too: only the names of the columns remain.
    """
    if internal:
        return entry
    if not entry["public"]:
        return {"columns": entry["columns"]}
    public_entries = ("columns", "stratum", "categories", "released", "matrix")
    return {name: entry[name] for name in public_entries}


def _tradeoff(release: ReleaseLike, curve: "Sequence[TradeoffPoint]") -> dict[str, Any]:
    """Return the trade-off of dependence, or an empty dict if no step uses dependence."""
    shares = [getattr(step, "dependence", 0.0) for step in release.plan.steps]
    if not any(shares) or not {"distortion_x", "distortion_y"} <= set(release.measures):
        return {}
    return {
        "dependence": shares,
        "distortion_x": release.measures["distortion_x"],
        "distortion_y": release.measures["distortion_y"],
        "curve": [asdict(point) for point in curve if point.k == release.plan.k],
    }


def _plan_text(entries: dict[str, Any], *, internal: bool) -> str:
    """Return the plan as TOML; for the public without seeds and declared values.

    Seeds could help to undo random masking. Orders, hierarchies, distances and mappings may name
    categories that do not occur in the release, and may come from files with arbitrary content.
    """
    if internal:
        return document.dumps(entries)
    types = {
        name: _hide_type_values(declared) for name, declared in entries.get("types", {}).items()
    }
    steps = [_hide_step_values(step) for step in entries["steps"]]
    public_entries = {**entries, **({"types": types} if types else {}), "steps": steps}
    return document.dumps(_without_seeds(public_entries))


def _hide_step_values(step: dict[str, Any]) -> dict[str, Any]:
    """Return a step with its mapping of values, or its matrices, replaced by their number."""
    placeholders = {"mapping": "values, not shown", "matrix": "matrices, not shown here"}
    return {
        name: f"{len(value):,} {placeholders[name]}" if name in placeholders else value
        for name, value in step.items()
    }


def _hide_type_values(declared: Any) -> Any:
    """Return a declared type with values and rows replaced by their number."""
    if not isinstance(declared, dict):
        return declared
    return {
        name: (
            f"{len(value):,} {'values' if name == 'order' else 'rows'}, not shown"
            if isinstance(value, list)
            else value
        )
        for name, value in declared.items()
    }


def _without_seeds(entry: Any) -> Any:
    if isinstance(entry, dict):
        seedless = {name: value for name, value in entry.items() if name != "random_state"}
        return {name: _without_seeds(value) for name, value in seedless.items()}
    return [_without_seeds(value) for value in entry] if isinstance(entry, list) else entry
