"""Hashes of the original that nobody can test guesses with.

A plain hash of a small table gives it away: whoever knows all of it but one cell tries the values
of that cell until the hash fits. So a manifest holds keyed hashes (HMAC-SHA256 over the SHA-256 of
the file). The key lies in a file of its own beside the manifest and stays with the original.
"""

import hashlib
import hmac
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ENDING = ".hashkey"
KEYED, PLAIN = "hmac_sha256", "sha256"


def hash_key_path(manifest: str | Path) -> Path:
    """Return where the hash key of a manifest lies: beside it, with one more ending."""
    return Path(f"{manifest}{ENDING}")


def keyed_hash(sha256: str, key: bytes) -> str:
    """Return the keyed hash of a file from its plain one."""
    return hmac.new(key, bytes.fromhex(sha256), hashlib.sha256).hexdigest()


def keyed_entry(entry: Mapping[str, Any], key: bytes) -> dict[str, Any]:
    """Return what a manifest says about a file of the original: no size, a keyed hash."""
    kept = {name: value for name, value in entry.items() if name not in (PLAIN, "bytes")}
    return {**kept, KEYED: keyed_hash(entry[PLAIN], key)} if PLAIN in entry else kept


def has_hash(entry: Mapping[str, Any]) -> bool:
    """Say whether an entry holds a hash of either kind."""
    return any(isinstance(entry.get(name), str) for name in (KEYED, PLAIN))


def matches(sha256: str, entry: Mapping[str, Any], key: bytes | None) -> bool:
    """Say whether a file has the hash of an entry; a keyed hash is matched with the key alone."""
    if KEYED in entry:
        return key is not None and hmac.compare_digest(keyed_hash(sha256, key), str(entry[KEYED]))
    return PLAIN in entry and hmac.compare_digest(sha256, str(entry[PLAIN]))
