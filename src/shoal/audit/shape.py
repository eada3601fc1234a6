"""What a manifest must look like; a file that looks otherwise is refused before it is used."""

from collections.abc import Collection, Mapping
from typing import Any, NoReturn

from shoal.errors import FileError

NEEDED: dict[str, type] = {
    "records": int,
    "columns": list,
    "promise": dict,
    "plan": dict,
    "seal": str,
}
NEEDED_SINCE_2: dict[str, type] = {
    "note": str,
    "dropped": list,
    "verdict": dict,
    "measures": dict,
    "remarks": dict,
    "warnings": list,
    "methods": list,
    "versions": dict,
}
POSSIBLE: dict[str, type] = {
    "manifest": int,
    "input": dict,
    "output": dict,
    "report": dict,
    "dialect": dict,
    "large": dict,
}
OF_VERDICT: dict[str, type] = {"status": str, "sentence": str, "k": int, "unit": str}


def check_shape(entries: Any, name: str, versions: Collection[int]) -> None:
    """Refuse what is not a manifest: entries that are missing, unknown or of another type.

    Parameters
    ----------
    entries : dict
        What was read.
    name : str
        The name of the file.
    versions : collection of int
        The versions that can be read.
    """
    if not isinstance(entries, dict) or any(part not in entries for part in NEEDED):
        _refuse(name, f"it lacks one of {', '.join(NEEDED)}")
    version = entries.get("manifest")
    if isinstance(version, bool) or version not in versions:
        readable = " and ".join(map(str, versions))
        raise FileError(
            f"{name!r} is a manifest of another version; this Shoal reads versions {readable}.",
            code="manifest-version",
        )
    if version == 1:
        _check_types(entries, {**NEEDED, **POSSIBLE, "versions": dict}, name)
    else:
        needed = {**NEEDED, **NEEDED_SINCE_2}
        _check_needed(entries, needed, name)
        _check_types(entries, {**needed, **POSSIBLE}, name)
        unknown = [part for part in entries if part not in {**needed, **POSSIBLE}]
        if unknown:
            _refuse(name, f"it has the unknown entry {unknown[0]!r}")
        _check_needed(entries["verdict"], {**OF_VERDICT, "findings": list}, name)
        _check_types(entries["verdict"], {**OF_VERDICT, "findings": list}, name)
        _check_findings(entries["verdict"]["findings"], name)
    _check_needed(entries["promise"], {"k": int, "smallest_class": int}, name)
    _check_files(entries, name)


def _check_needed(entries: Mapping[str, Any], needed: Collection[str], name: str) -> None:
    for part in needed:
        if part not in entries:
            _refuse(name, f"it lacks {part!r}")


def _check_types(entries: Mapping[str, Any], types: Mapping[str, type], name: str) -> None:
    for part, kind in types.items():
        held = entries.get(part)
        wrong = not isinstance(held, kind) or isinstance(held, bool)
        if part in entries and wrong:
            _refuse(name, f"{part!r} is not what it should be")


def _check_findings(findings: list[Any], name: str) -> None:
    for finding in findings:
        if not isinstance(finding, dict):
            _refuse(name, "a finding of its verdict is not what it should be")
        _check_needed(finding, ("code", "severity", "sentence", "figures", "columns"), name)


def _check_files(entries: Mapping[str, Any], name: str) -> None:
    """Refuse files that are not told as they should be."""
    output, large = entries.get("output", {}), entries.get("large", {})
    for part in (output, entries.get("input", {})):
        files = part.get("files", [])
        if not isinstance(files, list) or not all(map(_is_file, files)):
            _refuse(name, "its files are not what they should be")
    if "files" in output and not (
        isinstance(output.get("types"), dict) and {"at_once", "random_state"} <= set(large)
    ):
        _refuse(name, "it is of a folder and lacks its types, at_once or random_state")


def _is_file(entry: Any) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("name"), str)


def _refuse(name: str, reason: str) -> NoReturn:
    raise FileError(
        f"{name!r} is no manifest, or it is damaged: {reason}.", code="bad-manifest"
    )
