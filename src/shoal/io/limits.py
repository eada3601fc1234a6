"""Files that would fill the memory are refused before they are read."""

from shoal.errors import FileError

HARMLESS = 1 << 29  # bytes in memory that nobody needs to worry about
RATIO = 200  # tables shrink 3 to 50 times; what shrinks more is built to fill a memory
MOST_COLUMNS = 50_000  # each takes some 10 kB, however few records there are
GIGABYTE = 10**9


def check_growth(name: str, packed: int, unpacked: int, limit: float | None = None) -> None:
    """Refuse a file that takes too much memory.

    Parameters
    ----------
    name : str
        The file.
    packed : int
        Its size.
    unpacked : int
        Bytes that it takes in memory, or has taken so far.
    limit : float, optional
        GB that it may take; without one, files that grow beyond all measure are refused.
    """
    if limit is not None and unpacked > limit * GIGABYTE:
        raise FileError(
            f"{name!r} takes {unpacked / GIGABYTE:.2g} GB of memory or more; the limit is"
            f" {limit:g}. Raise `memory_limit`, or mask it as a large table.",
            code="file-too-large",
            path=name,
        )
    if limit is None and unpacked > growth_limit(packed):
        raise FileError(
            f"{name!r} unpacks to more than {RATIO} times its size, {unpacked >> 20} MB and more."
            " If that is right, name the GB that it may take with `memory_limit`.",
            code="file-too-large",
            path=name,
        )


def growth_limit(packed: int, limit: float | None = None) -> float:
    """Return the bytes that a file of ``packed`` bytes may take in memory."""
    return max(HARMLESS, RATIO * packed) if limit is None else limit * GIGABYTE


def check_columns(name: str, number: int) -> None:
    """Refuse a file with more columns than a table can have."""
    if number > MOST_COLUMNS:
        raise FileError(
            f"{name!r} has {number:,} columns; at most {MOST_COLUMNS:,} are read. Is the first line"
            " a header, and the separator the right one? Else leave columns out.",
            code="too-many-columns",
            path=name,
            columns=number,
        )
