"""Keyed hashes of the original, which cannot be used to test guesses.

A plain hash of a small table can disclose it: anyone who knows all cells but one can try the values
of that cell until the hash matches. Manifests therefore contain keyed hashes (HMAC-SHA256 of the
SHA-256 of the file). The key is in a separate file next to the manifest and stays with the
original.
"""

import hashlib
import hmac
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SUFFIX = ".hashkey"
KEYED, PLAIN = "hmac_sha256", "sha256"


def hash_key_path(manifest: str | Path) -> Path:
    """Return the path of the hash key of a manifest: its own path with another suffix."""
    return Path(f"{manifest}{SUFFIX}")


def keyed_hash(sha256: str, key: bytes) -> str:
    """Return the keyed hash of a file from its SHA-256."""
    return hmac.new(key, bytes.fromhex(sha256), hashlib.sha256).hexdigest()


def keyed_entry(entry: Mapping[str, Any], key: bytes) -> dict[str, Any]:
    """Return the entry of a file of the original: a keyed hash, and no size."""
    keyed = {name: value for name, value in entry.items() if name not in (PLAIN, "bytes")}
    if PLAIN in entry:
        keyed[KEYED] = keyed_hash(entry[PLAIN], key)
    return keyed


def has_hash(entry: Mapping[str, Any]) -> bool:
    """Return whether an entry contains a hash, keyed or plain."""
    return any(isinstance(entry.get(name), str) for name in (KEYED, PLAIN))


def matches_hash(sha256: str, entry: Mapping[str, Any], key: bytes | None) -> bool:
    """Return whether a file matches the hash of an entry, which may need the key."""
    if KEYED in entry:
        return key is not None and hmac.compare_digest(keyed_hash(sha256, key), str(entry[KEYED]))
    return PLAIN in entry and hmac.compare_digest(sha256, str(entry[PLAIN]))
