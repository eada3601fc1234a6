"""Released files are counted again, one at a time."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal import _progress as progress
from shoal.errors import ColumnError
from shoal.frame import tables
from shoal.frame.roles import name_columns
from shoal.metrics import classes
from shoal.scale.keys import content_keys
from shoal.scale.pieces import read_columns, read_footer

Keys = NDArray[np.uint64]

ALL = np.uint64(2**64 - 1)
KEPT = 2**22  # keys that are compared between files: 32 MB


class Recount(NamedTuple):
    """What was counted on some files.

    ``smallest`` is the smallest class of any file, ``classes`` the number of classes, file by
    file; of ``compared`` classes ``parted`` lie in more than one file. ``drawn`` says whether
    these were drawn from all.
    """

    smallest: int
    classes: int
    compared: int
    parted: int
    drawn: bool


def recount(paths: Sequence[str], known: Sequence[str], kept: int = KEPT) -> Recount:
    """Count the records that look alike in the columns ``known``, and whether files share some.

    One file is held at a time, and a key of 64 bits of each class. Where there are more than
    ``kept`` classes those with the smallest keys are compared: a draw that no order changes.
    A class that lies in two files is counted as two, so the smallest is never told too large.
    """
    smallest, number, limit = 0, 0, ALL
    held: list[Keys] = []
    for done, path in enumerate(paths):
        progress.report("counting", done, len(paths))
        sizes, keys = _of_file(path, known)
        if not len(sizes):
            continue
        number += len(sizes)
        smallest = min(smallest or int(sizes.min()), int(sizes.min()))
        held.append(keys[keys <= limit])
        while sum(map(len, held)) > kept:
            limit = limit // np.uint64(2)
            held = [one[one <= limit] for one in held]
    times = np.unique(np.concatenate([np.empty(0, np.uint64), *held]), return_counts=True)[1]
    return Recount(smallest, number, len(times), int((times > 1).sum()), bool(limit < ALL))


def _of_file(path: str, known: Sequence[str]) -> tuple[NDArray[np.int64], Keys]:
    """Return the sizes of the classes of a file, and the different keys of its records."""
    lacking = [name for name in known if name not in read_footer(path).schema.names]
    if lacking:
        verb = "is" if len(lacking) == 1 else "are"
        raise ColumnError(
            f"{name_columns(lacking)} {verb} not in every file, so classes cannot be counted.",
            code="no-such-column",
            columns=tuple(lacking),
        )
    table = read_columns(path, known)
    if not len(table):
        return np.empty(0, np.int64), np.empty(0, np.uint64)
    found = classes(tables.keys(tables.open_frame(table), known))
    return np.bincount(found), np.unique(content_keys(table, known))
