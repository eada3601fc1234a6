"""The manifest of a release: what an auditor needs to repeat it.

It contains the plan as it was run, with the seeds, so it must not be published. It contains neither
paths nor times, so the same run gives the same bytes. About the original it contains only keyed
hashes (see `shoal.audit.hashes`) and measures rounded to four digits: reports show the same digits,
and they do not depend on the machine.
"""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from shoal.audit.hashes import keyed_entry
from shoal.audit.keys import read_bytes
from shoal.audit.structure import check_structure
from shoal.errors import FileError
from shoal.frame.tables import open_frame
from shoal.io.database.connection import is_database
from shoal.io.dialect import Dialect
from shoal.io.fingerprint import Fingerprint
from shoal.plan.deliver import Delivery
from shoal.plan.release import Release, ReleaseLike

VERSION = 2
READABLE_VERSIONS = (1, 2)  # version 1 has no verdict, plain hashes of the original, and all digits
DIGITS = 4
NOTE = "For auditors, not for publication: the seeds may allow undoing steps that draw at random."
FORMER_NOTES = (  # of earlier versions, whose manifests still verify
    "For auditors, not for publication: whoever holds the seeds may undo a mask that draws.",
)


def of_release(release: Release) -> dict[str, Any]:
    """Return the sealed manifest of a release, without files."""
    return sealed(_entries(release, open_frame(release.data).columns))


def of_folder(
    release: ReleaseLike,
    source: Mapping[str, Any],
    target: Mapping[str, Any],
    large: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the sealed manifest of a released folder.

    ``target`` describes its files and the types of its columns, ``large`` what is needed besides
    the plan to repeat the run.
    """
    files = {"input": dict(source), "output": dict(target), "large": dict(large)}
    return sealed({**_entries(release, list(target["types"])), **files})


def with_report(entries: Mapping[str, Any], name: str, text: str) -> dict[str, Any]:
    """Return a manifest with the hash of the report added, sealed again."""
    encoded_text = text.encode()
    digest = hashlib.sha256(encoded_text).hexdigest()
    report = {"name": name, "bytes": len(encoded_text), "sha256": digest}
    return sealed({**entries, "report": report})


def _entries(release: ReleaseLike, columns: Sequence[str]) -> dict[str, Any]:
    """Return the entries of a release, whether in memory, in a file or in a folder."""
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
            "guarantees": plan.guarantees,
        },
        "plan": plan.to_dict(),
        "verdict": rounded(release.verdict.to_dict()),
        "measures": rounded(release.measures),
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
    hash_key: bytes,
) -> dict[str, Any]:
    """Return a manifest with its files and their dialect added, sealed again.

    The hash of the original is keyed with ``hash_key``.
    """
    dialect_entries = {
        field.name: getattr(dialect, field.name)
        for field in fields(Dialect)
        if field.name not in ("table", "memory_limit")
        and getattr(dialect, field.name) != field.default
    }
    if dialect.layout is not None:
        dialect_entries["layout"] = dialect.layout.name
    input_entry = keyed_entry(source, hash_key)
    files = {"input": input_entry, "output": dict(target), "dialect": dialect_entries}
    return sealed({**entries, **files})


def of_delivery(
    delivery: Delivery,
    dialect: Dialect,
    *,
    source: tuple[str, str | None],
    target: tuple[str, str | None],
    hash_key: bytes,
) -> dict[str, Any]:
    """Return the sealed manifest of a delivered file.

    ``source`` and ``target`` are locations, each with its table if it is a database. The manifest
    contains the keyed hash of the masked input, and the hash of the file that was judged.
    """
    entries = {**delivery.release.manifest, "columns": list(delivery.columns)}
    return with_files(
        entries,
        _entry_of_fingerprint(*source, delivery.source),
        {**_entry_of_fingerprint(*target, delivery.target), "types": dict(delivery.types)},
        dialect,
        hash_key,
    )


def _entry_of_fingerprint(
    location: str, table: str | None, fingerprint: Fingerprint | None
) -> dict[str, Any]:
    """Return name, size and hash of a file that was read or written, or a database's table."""
    if fingerprint is None:
        return {"table": table}
    return {"name": Path(location).name, **asdict(fingerprint)}


def entry_of_file(location: str) -> dict[str, Any]:
    """Return name, size and hash of a file; for a database, an entry without a table."""
    if is_database(location):
        return {"table": None}
    path = Path(location)
    try:
        return {"name": path.name, "bytes": path.stat().st_size, "sha256": sha256(path)}
    except OSError as error:
        raise FileError.unreadable(location, error) from None


def check_suffix(path: Path) -> None:
    """Refuse a path without the suffix of a manifest."""
    if path.suffix.lower() != ".json":
        raise FileError(
            f"A manifest is a .json file; {path.name!r} has another suffix.",
            code="manifest-ending",
            file=path.name,
        )


def sha256(path: Path) -> str:
    """Return the hash of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sealed(entries: Mapping[str, Any]) -> dict[str, Any]:
    """Return entries as plain data with a hash of all of them, the seal.

    The seal detects accidental changes. Anyone can compute a new seal, so a forged manifest is
    detected only by its signature or by comparison with the original; see `shoal.verify`.
    """
    plain_entries = json.loads(json.dumps(_finite(entries), allow_nan=False))
    plain_entries.pop("seal", None)
    return {**plain_entries, "seal": seal(plain_entries)}


def seal(entries: Mapping[str, Any]) -> str:
    """Return the hash of all entries except the seal itself."""
    unsealed = {name: value for name, value in entries.items() if name != "seal"}
    return hashlib.sha256(json.dumps(unsealed, sort_keys=True).encode()).hexdigest()


def dumps(entries: Mapping[str, Any]) -> str:
    """Return a manifest as text."""
    return json.dumps(entries, indent=2, ensure_ascii=False) + "\n"


def load(path: Path) -> dict[str, Any]:
    """Read a manifest; refuse other files."""
    return parse(read_bytes(path), path.name)


def parse(content: bytes, name: str) -> dict[str, Any]:
    """Return the entries of a manifest from the bytes of a file; refuse other content."""
    try:
        entries = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError):
        raise FileError(
            f"{name!r} is not a manifest, or it is damaged: it is not JSON.", code="bad-manifest"
        ) from None
    check_structure(entries, name, READABLE_VERSIONS)
    return entries  # type: ignore[no-any-return]


def rounded(value: Any) -> Any:
    """Return plain data with floats rounded to four significant digits."""
    if isinstance(value, Mapping):
        return {name: rounded(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(entry) for entry in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and math.isfinite(value):
        return float(f"{value:.{DIGITS}g}")
    return value


def _finite(value: Any) -> Any:
    """Return entries that JSON can represent, with None for infinite and NaN values."""
    if isinstance(value, Mapping):
        return {str(name): _finite(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(entry) for entry in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
