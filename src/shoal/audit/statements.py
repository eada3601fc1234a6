"""Comparison of the statements of a manifest with recomputed values."""

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError
from typing import Any

import numpy as np

from shoal._versions import installed_version
from shoal.audit.manifest import FORMER_NOTES, NOTE, rounded, seal
from shoal.frame.roles import RECORD_UNIT
from shoal.metrics import MEASURES
from shoal.plan import Plan
from shoal.plan.evidence import CLASS_MEASURES
from shoal.plan.verdict import Finding, Verdict

RECORD_MEASURES = ("smallest_class", "class_sizes")  # do not depend on the unit
RUN_ENTRIES = (
    "records", "columns", "dropped", "promise", "plan", "verdict", "measures", "remarks",
    "warnings", "methods", "large",
)  # fmt: skip
SEVERE = ("breaks", "qualifies")


def check_manifest(entries: Mapping[str, Any]) -> tuple[bool, str]:
    """Check the seal of a manifest and its note."""
    if seal(entries) != entries["seal"]:
        return False, "it was changed after it was sealed"
    if entries["manifest"] != 1 and entries["note"] not in (NOTE, *FORMER_NOTES):
        return False, "its note is not the one that Shoal writes"
    return True, "unchanged since it was sealed"


def check_plan(entries: Mapping[str, Any], plan: Plan) -> tuple[bool, str]:
    """Check that a manifest states the guarantee and the dropped columns of its plan."""
    promise = entries["promise"]
    if promise["k"] != plan.k:
        return False, f"the manifest states k={promise['k']}, but its plan guarantees k={plan.k}"
    if entries["manifest"] != 1:
        if not _are_guarantees(promise.get("guarantees"), plan):
            return False, "the guarantees differ from the plan" + other_versions(entries)
        if entries["dropped"] != plan.dropped:
            return False, "the dropped columns differ from the plan"
    return True, ""


def _are_guarantees(sentences: Any, plan: Plan) -> bool:
    """Return whether sentences are the guarantees of a plan, in present or former words."""
    if not isinstance(sentences, list) or len(sentences) != len(plan.steps):
        return False
    return all(
        sentence == current or (plan.is_intact(step) and sentence in step.former_guarantees)
        for sentence, current, step in zip(sentences, plan.guarantees, plan.steps, strict=True)
    )


def check_measures(entries: Mapping[str, Any], classes: Any, plan: Plan) -> tuple[bool, str]:
    """Check the measures of a manifest that can be counted on the released values.

    Measures that need the column of units, which was dropped, are left out.
    """
    stated_measures = entries.get("measures", {})
    names: tuple[str, ...] = CLASS_MEASURES if plan.unit_column is None else RECORD_MEASURES
    names = tuple(name for name in names if name in stated_measures or entries["manifest"] != 1)
    counted_measures = {name: MEASURES[name](classes[:, np.newaxis]) for name in names}
    differing = [
        name
        for name in names
        if as_stored(counted_measures[name]) != as_stored(stated_measures.get(name))
    ]
    if differing:
        return False, f"they differ from the released values: {', '.join(differing)}"
    return True, f"{', '.join(names)} agree with the released values"


def check_verdict(
    entries: Mapping[str, Any], counted: Verdict, plan: Plan
) -> tuple[bool | None, str]:
    """Check that the verdict of a manifest is consistent with the released values.

    Without the original fewer checks can be made, so the manifest may state more findings than
    ``counted`` has, but it must state all of its findings that break or qualify the guarantee. If
    the plan counts units, the released file no longer shows them. Shares are then counted in
    records and may differ from the stated ones, so only findings that break the guarantee are
    compared.
    """
    if entries["manifest"] == 1:
        return None, "not compared: a manifest of version 1 has none"
    stated = entries["verdict"]
    contradiction = _contradiction(stated, counted, plan)
    if contradiction:
        return False, contradiction
    stated_codes = {
        finding["code"] for finding in stated["findings"] if finding["severity"] in SEVERE
    }
    severities = SEVERE if plan.unit_column is None else ("breaks",)
    omitted = [
        finding.code
        for finding in counted.findings
        if finding.severity in severities and finding.code not in stated_codes
    ]
    if omitted:
        return False, f"it omits findings: {', '.join(dict.fromkeys(omitted))}"
    uncounted = stated_codes.difference(finding.code for finding in counted.findings)
    remark = f"; only the original can show {', '.join(sorted(uncounted))}" if uncounted else ""
    return True, f"consistent with the released values{remark}"


def _contradiction(stated: Mapping[str, Any], counted: Verdict, plan: Plan) -> str:
    """Return how a stated verdict contradicts itself, the plan or the counts.

    A verdict of "not kept" fails as well: its sentence is returned. Without a contradiction, the
    result is an empty string.
    """
    if not _is_consistent(stated):
        return "its status or its sentence does not follow from its findings"
    if stated["promised"] != counted.promised:
        return f"it is about k={stated['promised']}, but the plan guarantees k={counted.promised}"
    if stated["unit"] != (plan.unit_column or RECORD_UNIT):
        return "it counts other units than the plan"
    if stated["k"] > counted.k or (plan.unit_column is None and stated["k"] != counted.k):
        return f"it states k={stated['k']}, but the released values attain k={counted.k}"
    return str(stated["sentence"]) if stated["status"] == "not kept" else ""


def check_statements(entries: Mapping[str, Any], repeated: Mapping[str, Any]) -> tuple[bool, str]:
    """Compare all statements of a manifest with the statements of the repeated run."""
    if entries["manifest"] == 1:
        return _check_version_1(entries, repeated)
    differing = [
        name
        for name in RUN_ENTRIES
        if as_stored(entries.get(name)) != as_stored(repeated.get(name))
    ]
    types = entries.get("output", {}).get("types")  # a manifest written in Python has none
    if types is not None and types != repeated["output"].get("types"):
        differing.append("types")
    if differing:
        return False, f"they differ from the run: {', '.join(differing)}{other_versions(entries)}"
    return True, "verdict, measures, warnings and all other entries agree with the run"


def check_versions(
    entries: Mapping[str, Any], repeated: Mapping[str, Any]
) -> tuple[bool | None, str]:
    """Check the versions of software; with other versions, nothing can be concluded."""
    if entries["manifest"] != 1 and set(entries["versions"]) != set(repeated["versions"]):
        return False, "it names other software than the run"
    differences = other_versions(entries)
    if differences:
        return None, f"cannot be compared{differences}"
    return True, "the same as the installed versions"


def other_versions(entries: Mapping[str, Any]) -> str:
    """Return a clause on software of which another version is installed, or an empty string."""
    differences = []
    for name, recorded in entries.get("versions", {}).items():
        try:
            installed = installed_version(name)
        except (PackageNotFoundError, ValueError):
            installed = "none"
        if installed != recorded:
            differences.append(f"{name} {recorded} then, {installed} now")
    return f"; versions differ: {', '.join(differences)}" if differences else ""


def as_stored(value: Any) -> Any:
    """Return data as a manifest contains them, for comparison: names as text, numbers rounded."""
    value = rounded(value)
    if isinstance(value, Mapping):
        return {str(name): as_stored(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [as_stored(entry) for entry in value]
    if isinstance(value, float) and not np.isfinite(value):
        return None
    # True equals 1 in Python, but not in a manifest.
    return (str(value),) if isinstance(value, bool) else value


def _is_consistent(stated: Mapping[str, Any]) -> bool:
    """Return whether status and sentence of a verdict follow from its findings.

    The sentence may be in the words of an earlier version.
    """
    findings = tuple(
        Finding(finding["code"], finding["severity"], finding["sentence"])
        for finding in stated["findings"]
    )
    rebuilt = Verdict(stated["promised"], stated["k"], stated["unit"], findings)
    return (
        all(finding.severity in (*SEVERE, "informs") for finding in findings)
        and rebuilt.status == stated["status"]
        and stated["sentence"] in (rebuilt.sentence, rebuilt.former_sentence)
    )


def _check_version_1(entries: Mapping[str, Any], repeated: Mapping[str, Any]) -> tuple[bool, str]:
    """Compare a manifest of version 1, whose sentences an older version wrote."""
    names = [name for name in ("records", "columns", "dropped") if name in entries]
    differing = [name for name in names if entries[name] != repeated[name]]
    stated_measures, repeated_measures = entries.get("measures", {}), repeated["measures"]
    differing += [
        name
        for name in stated_measures
        if name in repeated_measures
        and as_stored(stated_measures[name]) != as_stored(repeated_measures[name])
    ]
    if differing:
        return False, f"they differ from the run: {', '.join(differing)}{other_versions(entries)}"
    return True, "the measures agree with the run; the sentences of version 1 are not compared"
