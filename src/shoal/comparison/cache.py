"""Numbers of runs that were made before, kept for the next time.

What is kept are numbers and names of methods: no column, no value, no name.
"""

import contextlib
import hashlib
import json
import os
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from shoal.errors import FileError


class Cache:
    """A private folder of small files, each named after the hash of what led to it.

    Parameters
    ----------
    folder : Path
        Made at the first entry, for its owner alone. A file in it that cannot be
        read counts as not there.
    """

    def __init__(self, folder: Path):
        self.folder = Path(folder)

    def get(self, key: str) -> Any:
        """Return what is kept under ``key``, or None."""
        try:
            return json.loads((self.folder / f"{key}.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    def put(self, key: str, entry: Any) -> None:
        """Keep ``entry`` under ``key``; it appears whole or not at all."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, part = tempfile.mkstemp(suffix=".part", dir=self.folder)  # its owner's alone
        except OSError as error:
            reason = (error.strerror or "the disk said no").lower()
            raise FileError(
                f"Results could not be kept in {str(self.folder)!r}: {reason}. Name another folder,"
                " or keep none.",
                code="cannot-write",
                folder=str(self.folder),
            ) from None
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(entry, file)
            Path(part).replace(self.folder / f"{key}.json")
        finally:
            with contextlib.suppress(OSError):
                Path(part).unlink()


def key(*parts: Any) -> str:
    """Return the hash of plain data and of this Shoal: other code, other results."""
    told = json.dumps([*parts, _sources()], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()


def user_folder() -> Path:
    """Return the folder where a user's programs keep what can be made again."""
    if os.name == "nt" and os.environ.get("LOCALAPPDATA"):
        return Path(os.environ["LOCALAPPDATA"]) / "shoal" / "cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "shoal"


@cache
def _sources(package: Path = Path(__file__).parents[1]) -> str:
    """Return the hash of Shoal itself; a version number misses what a developer edits."""
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
