"""Size and hash of a file, and a check that it does not change while it is read."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from shoal.errors import FileError
from shoal.io.database.connection import is_database


@dataclass(frozen=True)
class Fingerprint:
    """Size and hash of a file.

    Parameters
    ----------
    bytes : int
        Size in bytes.
    sha256 : str
        SHA-256 of the content.
    """

    bytes: int
    sha256: str

    @classmethod
    def from_file(cls, path: Path) -> Self:
        """Return the fingerprint of a file."""
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            return cls(os.fstat(file.fileno()).st_size, digest)


@dataclass
class Reading:
    """A file that is being read; ``fingerprint`` is None unless requested."""

    fingerprint: Fingerprint | None = None


@contextmanager
def unchanged_while_read(location: str, *, with_hash: bool) -> Iterator[Reading]:
    """Raise `FileError` if a file changes while the enclosed code reads it.

    A database is read in one transaction and needs no such check.

    Parameters
    ----------
    location : str
        The file, or the address of a database.
    with_hash : bool
        Whether to compare the hash of the content, or only size and modification time.

    Yields
    ------
    Reading
        The file, with its fingerprint if ``with_hash``.
    """
    if is_database(location):
        yield Reading()
        return
    path = Path(location)
    if not path.is_file():  # reading raises the error
        yield Reading()
        return
    state_before = _file_state(path, with_hash=with_hash)
    yield Reading(state_before[1])
    if _file_state(path, with_hash=with_hash) != state_before:
        raise FileError(
            f"{location!r} was changed while it was read. Nothing was released. Run again when no"
            " other process writes to it.",
            code="source-changed",
            path=location,
        )


def _file_state(path: Path, *, with_hash: bool) -> tuple[tuple[int, ...], Fingerprint | None]:
    try:
        status = path.stat()
        fingerprint = Fingerprint.from_file(path) if with_hash else None
    except OSError as error:
        raise FileError.unreadable(path, error) from None
    return (status.st_size, status.st_mtime_ns, status.st_ino, status.st_dev), fingerprint
