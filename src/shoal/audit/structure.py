"""Validation of the structure of a manifest before it is used."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NoReturn

from shoal.errors import FileError

REQUIRED: dict[str, type] = {
    "records": int,
    "columns": list,
    "promise": dict,
    "plan": dict,
    "seal": str,
}
REQUIRED_SINCE_VERSION_2: dict[str, type] = {
    "note": str,
    "dropped": list,
    "verdict": dict,
    "measures": dict,
    "remarks": dict,
    "warnings": list,
    "methods": list,
    "versions": dict,
}
OPTIONAL: dict[str, type] = {
    "manifest": int,
    "input": dict,
    "output": dict,
    "report": dict,
    "dialect": dict,
    "large": dict,
}
VERDICT_ENTRIES: dict[str, type] = {
    "status": str,
    "sentence": str,
    "promised": object,
    "k": int,
    "unit": str,
    "findings": list,
}
PROMISE_ENTRIES: dict[str, type] = {"k": object, "smallest_class": int, "guarantees": list}
FINDING_ENTRIES: dict[str, type] = {
    "code": str,
    "severity": str,
    "sentence": str,
    "figures": dict,
    "columns": list,
    "way_out": str,
}
FILE_ENTRIES: dict[str, type] = {
    "name": str,
    "bytes": int,
    "sha256": str,
    "hmac_sha256": str,
    "table": object,
    "records": int,
    "types": dict,
    "files": list,
}


def check_structure(entries: Any, name: str, versions: Collection[int]) -> None:
    """Refuse entries that are missing, unknown or of the wrong type.

    Parameters
    ----------
    entries : dict
        The content of the file.
    name : str
        The name of the file.
    versions : collection of int
        The versions that can be read.
    """
    if not isinstance(entries, dict) or any(section not in entries for section in REQUIRED):
        _refuse(name, f"it lacks one of {', '.join(REQUIRED)}")
    version = entries.get("manifest")
    if isinstance(version, bool) or version not in versions:
        readable = " and ".join(map(str, versions))
        raise FileError(
            f"{name!r} is a manifest of another version; this version of Shoal reads versions"
            f" {readable} only.",
            code="manifest-version",
        )
    if version == 1:
        _check_types(entries, {**REQUIRED, **OPTIONAL, "versions": dict}, name)
    else:
        required = {**REQUIRED, **REQUIRED_SINCE_VERSION_2}
        _check_section(entries, {**required, **OPTIONAL}, name, required)
        _check_section(entries["verdict"], VERDICT_ENTRIES, name)
        _check_section(entries["promise"], PROMISE_ENTRIES, name)
        for finding in entries["verdict"]["findings"]:
            _check_section(finding, FINDING_ENTRIES, name)
    _check_required(entries["promise"], ("k", "smallest_class"), name)
    for section in ("input", "output", "report"):
        section_entries = entries.get(section, {})
        _check_file_entry(section_entries, version, name)
        for file in section_entries.get("files", []):
            _check_file_entry(file, version, name)
    _check_files(entries, name)


def _check_file_entry(file: Any, version: Any, name: str) -> None:
    """Refuse a malformed entry of a file; since version 2, a hash needs the name and the size."""
    needs_size = version != 1 and isinstance(file, dict) and "sha256" in file
    _check_section(file, FILE_ENTRIES, name, ("name", "bytes") if needs_size else ())


def _check_section(
    section: Any, types: Mapping[str, type], name: str, required: Collection[str] | None = None
) -> None:
    """Refuse a section with a missing or unknown entry, or an entry of the wrong type."""
    if not isinstance(section, dict):
        _refuse(name, "one of its sections has the wrong type")
    _check_required(section, types if required is None else required, name)
    _check_types(section, types, name)
    unknown = [entry for entry in section if entry not in types]
    if unknown:
        _refuse(name, f"it has the unknown entry {unknown[0]!r}")


def _check_required(entries: Mapping[str, Any], required: Collection[str], name: str) -> None:
    for entry_name in required:
        if entry_name not in entries:
            _refuse(name, f"it lacks {entry_name!r}")


def _check_types(entries: Mapping[str, Any], types: Mapping[str, type], name: str) -> None:
    for entry_name, entry_type in types.items():
        entry = entries.get(entry_name)
        is_wrong = not isinstance(entry, entry_type) or isinstance(entry, bool)
        if entry_name in entries and is_wrong:
            _refuse(name, f"{entry_name!r} has the wrong type")


def _check_files(entries: Mapping[str, Any], name: str) -> None:
    """Refuse files without a name or with a path, and folders whose run could not be repeated."""
    output, large = entries.get("output", {}), entries.get("large", {})
    files = [*output.get("files", []), *entries.get("input", {}).get("files", [])]
    if not all("name" in file for file in files):
        _refuse(name, "a file has no name")
    file_names = [
        entries.get(section, {}).get("name", "unnamed") for section in ("output", "input", "report")
    ]
    if not all(map(_is_file_name, file_names)):
        _refuse(name, "the name of a file is invalid")
    types = output.get("types", {})
    if not isinstance(types, dict) or not all(
        isinstance(type_name, str) for type_name in types.values()
    ):
        _refuse(name, "the types of its columns are not text")
    if "files" in output and not (
        isinstance(output.get("types"), dict) and {"chunk_size", "random_state"} <= set(large)
    ):
        _refuse(name, "it describes a folder, but lacks its types, chunk_size or random_state")


def _is_file_name(name: Any) -> bool:
    """Return whether an entry is the name of a file, without a folder."""
    return isinstance(name, str) and "\0" not in name and Path(name).name == name


def _refuse(name: str, reason: str) -> NoReturn:
    raise FileError(f"{name!r} is not a manifest, or it is damaged: {reason}.", code="bad-manifest")
