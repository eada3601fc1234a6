"""The marker of a complete release, the file ``_SUCCESS``."""

import json
from collections.abc import Mapping
from typing import Any

MARKER = "_SUCCESS"
JOURNAL = "_UNFINISHED"  # lists the files of a release in a store while they are being copied


def marker_text(entries: Mapping[str, Any]) -> str:
    """Return the text of the marker file."""
    return json.dumps(entries, indent=2, ensure_ascii=False) + "\n"


def files_of_marker(content: bytes) -> set[str]:
    """Return the names of the files that a marker lists, and the name of the marker.

    The set is empty if another program wrote the marker: Spark and others use the same name.
    """
    try:
        marker = json.loads(content)
        if "promise" not in marker:
            return set()
        return {MARKER, *(entry["name"] for entry in marker["files"])}
    except (ValueError, TypeError, KeyError):
        return set()
