"""A cache of the results of runs on disk.

An entry contains measures, names of methods, the status of the verdict, and the partition and the
seed of each step, but neither column names nor values from the data.
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
    """A private folder of small files, each named by the hash of its inputs.

    Parameters
    ----------
    folder : Path
        The folder, which is created at the first entry and readable only by its owner. Unreadable
        files in it are ignored.
    """

    def __init__(self, folder: Path):
        self.folder = Path(folder)

    def get(self, key: str) -> Any:
        """Return the entry of ``key``, or None."""
        try:
            return json.loads((self.folder / f"{key}.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    def put(self, key: str, entry: Any) -> None:
        """Store ``entry`` under ``key``, atomically."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # mkstemp creates a file that only its owner can read.
            handle, temporary_path = tempfile.mkstemp(suffix=".part", dir=self.folder)
        except OSError as error:
            reason = (error.strerror or "I/O error").lower()
            raise FileError(
                f"Results could not be written to {str(self.folder)!r}: {reason}. Name another"
                " folder, or run without a cache.",
                code="cannot-write",
                folder=str(self.folder),
            ) from None
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(entry, file)
            Path(temporary_path).replace(self.folder / f"{key}.json")
        finally:
            with contextlib.suppress(OSError):
                Path(temporary_path).unlink()


def result_key(*inputs: Any) -> str:
    """Return a hash of the inputs of a run, given as plain data, and of the source code."""
    content = json.dumps([*inputs, _source_hash()], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()


def user_folder() -> Path:
    """Return the cache folder of the user."""
    if os.name == "nt" and os.environ.get("LOCALAPPDATA"):
        return Path(os.environ["LOCALAPPDATA"]) / "shoal" / "cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "shoal"


@cache
def _source_hash(package: Path = Path(__file__).parents[1]) -> str:
    """Return a hash of the source code, which changes more often than the version number."""
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
