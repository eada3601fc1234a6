"""Size and hash of a file, and whether it stayed the same while it was read."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from shoal.errors import FileError
from shoal.io.database import is_database


@dataclass(frozen=True)
class Fingerprint:
    """Size and hash of a file.

    Parameters
    ----------
    bytes : int
        Its size.
    sha256 : str
        Its hash.
    """

    bytes: int
    sha256: str

    @classmethod
    def of(cls, path: Path) -> Self:
        """Return the fingerprint of a file."""
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            return cls(os.fstat(file.fileno()).st_size, digest)


@dataclass
class Reading:
    """What is known about a file that is being read; ``fingerprint`` only where it was asked."""

    fingerprint: Fingerprint | None = None


@contextmanager
def unchanged_while_read(place: str, *, hashed: bool) -> Iterator[Reading]:
    """Refuse a file that somebody changes while the enclosed code reads it.

    A database is read within one transaction and needs no such check.

    Parameters
    ----------
    place : str
        The file, or the address of a database.
    hashed : bool
        Whether the content is hashed before and after; else size and time of the last change
        must stay the same.

    Yields
    ------
    Reading
        The fingerprint of what was read.
    """
    if is_database(place):
        yield Reading()
        return
    path = Path(place)
    if not path.is_file():  # whoever reads it says so
        yield Reading()
        return
    before = _state(path, hashed)
    yield Reading(before[1])
    if _state(path, hashed) != before:
        raise FileError(
            f"{place!r} was changed while it was read. Nothing was released. Run again when nobody"
            " writes to it.",
            code="source-changed",
            path=place,
        )


def _state(path: Path, hashed: bool) -> tuple[tuple[int, ...], Fingerprint | None]:
    try:
        found = path.stat()
        fingerprint = Fingerprint.of(path) if hashed else None
    except OSError as error:
        reason = (error.strerror or "it cannot be read").lower()
        raise FileError(
            f"{str(path)!r} could not be read: {reason}.", code="file-unreadable", file=str(path)
        ) from None
    return (found.st_size, found.st_mtime_ns, found.st_ino, found.st_dev), fingerprint
