"""Limits on the memory that a file may take and on its columns, checked before it is read."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from shoal.errors import FileError

ALWAYS_ALLOWED = 1 << 29  # bytes in memory, whatever the size of the file
MAX_RATIO = 200  # tables compress 3 to 50 times; more suggests a decompression bomb
MAX_COLUMNS = 50_000  # each takes about 10 kB even without records
GIGABYTE = 10**9
_max_columns = ContextVar("max_columns", default=MAX_COLUMNS)


def check_growth(name: str, file_size: int, memory_size: int, limit: float | None = None) -> None:
    """Refuse a file that takes too much memory.

    Parameters
    ----------
    name : str
        The file.
    file_size : int
        Its size in bytes.
    memory_size : int
        Bytes that it takes in memory, or has taken so far.
    limit : float, optional
        GB that it may take. If None, only files that decompress to an implausible size are
        refused.
    """
    if limit is not None and memory_size > limit * GIGABYTE:
        raise FileError(
            f"{name!r} needs at least {memory_size / GIGABYTE:.2g} GB of memory; the limit is"
            f" {limit:g} GB. Raise `memory_limit`, or mask it as a large table.",
            code="file-too-large",
            path=name,
        )
    if limit is None and memory_size > growth_limit(file_size):
        raise FileError(
            f"{name!r} needs at least {memory_size >> 20} MB of memory, more than {MAX_RATIO} times"
            " its size. If this is expected, set `memory_limit` (in GB).",
            code="file-too-large",
            path=name,
        )


def growth_limit(file_size: int, limit: float | None = None) -> float:
    """Return the number of bytes that a file may take in memory."""
    return max(ALWAYS_ALLOWED, MAX_RATIO * file_size) if limit is None else limit * GIGABYTE


@contextmanager
def at_most_columns(number: int) -> Iterator[None]:
    """Refuse files of more than ``number`` columns, before their records are read."""
    token = _max_columns.set(number)
    try:
        yield
    finally:
        _max_columns.reset(token)


def check_columns(name: str, number: int) -> None:
    """Refuse a file with more columns than are supported."""
    max_columns = _max_columns.get()
    if number > max_columns:
        raise FileError(
            f"{name!r} has {number:,} columns; at most {max_columns:,} are supported here. Check"
            " that the first line is a header and that the separator is right. If both are, leave"
            " columns out.",
            code="too-many-columns",
            path=name,
            columns=number,
        )
