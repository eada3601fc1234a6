"""The manifest of a release: what an auditor needs to repeat it.

It holds the plan as it was run, with the seeds, so it is not for publication. It holds
neither paths nor the time, so the same run gives the same bytes.
"""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from shoal.errors import FileError
from shoal.frame.tables import open_frame
from shoal.io.database import is_database
from shoal.io.dialect import Dialect
from shoal.io.fingerprint import Fingerprint
from shoal.plan.deliver import Delivery
from shoal.plan.release import Release, Released

VERSION = 1
NOTE = "For auditors, not for publication: whoever holds the seeds may undo a mask that draws."


def content(release: Release) -> dict[str, Any]:
    """Return what a release says about itself, without files; sealed."""
    return sealed(_entries(release, open_frame(release.data).columns))


def of_folder(
    release: Released,
    source: Mapping[str, Any],
    target: Mapping[str, Any],
    large: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the manifest of a release that lies in a folder; sealed.

    ``target`` tells its files and the types of its columns, ``large`` what repeats the run
    besides the plan.
    """
    files = {"input": dict(source), "output": dict(target), "large": dict(large)}
    return sealed({**_entries(release, list(target["types"])), **files})


def _entries(release: Released, columns: Sequence[str]) -> dict[str, Any]:
    plan = release.plan
    return {
        "manifest": VERSION,
        "note": NOTE,
        "records": release.provenance["records"],
        "columns": list(columns),
        "dropped": plan.dropped,
        "promise": {
            "k": plan.k,
            "smallest_class": release.measures["smallest_class"],
            "guarantees": [step.guarantee for step in plan.steps],
        },
        "plan": plan.to_dict(),
        "measures": release.measures,
        "remarks": release.remarks,
        "warnings": list(release.warnings),
        "methods": release.provenance["methods"],
        "versions": release.provenance["versions"],
    }


def with_files(
    entries: Mapping[str, Any],
    source: Mapping[str, Any],
    target: Mapping[str, Any],
    dialect: Dialect,
) -> dict[str, Any]:
    """Return a manifest that also names its files, and what is needed to read them; sealed."""
    plain = {
        field.name: getattr(dialect, field.name)
        for field in fields(Dialect)
        if field.name != "table" and getattr(dialect, field.name) != field.default
    }
    if dialect.layout is not None:
        plain["layout"] = dialect.layout.name
    files = {"input": dict(source), "output": dict(target), "dialect": plain}
    return sealed({**entries, **files})


def of_delivery(
    delivery: Delivery,
    dialect: Dialect,
    *,
    source: tuple[str, str | None],
    target: tuple[str, str | None],
) -> dict[str, Any]:
    """Return the manifest of a file that was delivered; sealed.

    ``source`` and ``target`` are places, each with its table where it is a database. The
    hashes are those of the input that was masked and of the file that was judged.
    """
    entries = {**delivery.release.manifest, "columns": list(delivery.columns)}
    return with_files(
        entries,
        _entry(*source, delivery.source),
        _entry(*target, delivery.target),
        dialect,
    )


def _entry(place: str, table: str | None, fingerprint: Fingerprint | None) -> dict[str, Any]:
    if fingerprint is None:
        return {"table": table}
    return {"name": Path(place).name, **asdict(fingerprint)}


def file_entry(place: str, written: Path | None, table: str | None = None) -> dict[str, Any]:
    """Return the name of a file, its size and its hash; of a database the table alone.

    What is meant for ``place`` may still lie at ``written``.
    """
    if is_database(place):
        return {"table": table}
    path = written or Path(place)
    try:
        return {"name": Path(place).name, "bytes": path.stat().st_size, "sha256": sha256(path)}
    except OSError as error:
        reason = (error.strerror or "the disk said no").lower()
        raise FileError(f"{place!r} could not be read: {reason}.") from None


def check_manifest(path: Path) -> None:
    """Refuse a path whose ending names no manifest."""
    if path.suffix.lower() != ".json":
        raise FileError(f"A manifest is a .json file; {path.name!r} is none.")


def sha256(path: Path) -> str:
    """Return the hash of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sealed(entries: Mapping[str, Any]) -> dict[str, Any]:
    """Return entries as plain data with a hash over all of them.

    The seal shows that somebody or something changed an entry; it stops nobody who makes
    a new seal. The original does: see `shoal.verify`.
    """
    plain = json.loads(json.dumps(_finite(entries), allow_nan=False))
    plain.pop("seal", None)
    return {**plain, "seal": seal(plain)}


def seal(entries: Mapping[str, Any]) -> str:
    """Return the hash over all entries but the seal itself."""
    rest = {name: value for name, value in entries.items() if name != "seal"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def dumps(entries: Mapping[str, Any]) -> str:
    """Return a manifest as text."""
    return json.dumps(entries, indent=2, ensure_ascii=False) + "\n"


def load(path: Path) -> dict[str, Any]:
    """Read a manifest; refuse what is none."""
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        reason = (error.strerror or "the disk said no").lower()
        raise FileError(f"{str(path)!r} could not be read: {reason}.") from None
    except ValueError:
        raise FileError(f"{path.name!r} is no manifest, or it is damaged: no JSON.") from None
    needed = ("records", "columns", "promise", "plan", "seal")
    if not isinstance(entries, dict) or any(name not in entries for name in needed):
        raise FileError(f"{path.name!r} is no manifest: it lacks one of {', '.join(needed)}.")
    if entries.get("manifest") != VERSION:
        raise FileError(
            f"{path.name!r} is a manifest of another version; this Shoal reads version {VERSION}."
        )
    _check_parts(entries, path.name)
    return entries


def _check_parts(entries: Mapping[str, Any], name: str) -> None:
    """Refuse a manifest whose parts are not what they must be."""
    told = ("promise", "output", "input", "large", "versions")
    parts = {part: entries.get(part, {}) for part in told}
    wrong = [part for part, found in parts.items() if not isinstance(found, dict)]
    promised = not wrong and {"k", "smallest_class"} <= set(parts["promise"])
    files = [] if wrong else [parts[part].get("files", []) for part in ("output", "input")]
    if not promised or not all(map(_are_files, files)):
        raise FileError(
            f"{name!r} is no manifest, or it is damaged: its promise, its files or what repeats"
            " the run is not told as it should be."
        )
    output, large = parts["output"], parts["large"]
    if "files" in output and not ("types" in output and {"at_once", "random_state"} <= set(large)):
        raise FileError(f"{name!r} is of a folder and lacks its types, at_once or random_state.")


def _are_files(found: Any) -> bool:
    return isinstance(found, list) and all(
        isinstance(entry, dict) and {"name", "sha256"} <= set(entry) for entry in found
    )


def _finite(value: Any) -> Any:
    """Return entries that JSON can hold: nothing stands for what is no finite number."""
    if isinstance(value, Mapping):
        return {str(name): _finite(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(entry) for entry in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
