"""What the pictures of a report are drawn from: counts and correlations, never a record.

It is taken while original and masked table are both at hand, so that a release
need not keep the original.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from shoal.measure.anonymity import classes
from shoal.measure.correlation import correlations
from shoal.measure.histogram import bars, histogram
from shoal.measure.plane import plane
from shoal.partitioners import Partition
from shoal.table import frame as tables
from shoal.table.frame import Frame

LEAST = 3  # records behind a count, even if k is smaller
COLUMNS = 16  # of a correlation matrix that can still be read


def profile(
    before: Frame,
    after: Frame,
    *,
    known: Sequence[str],
    masked: Sequence[str],
    confidential: Sequence[str],
    k: int,
    groups: Sequence[tuple[Sequence[str], Partition]],
) -> dict[str, Any]:
    """Return what pictures of a release need, as plain data.

    Parameters
    ----------
    before : Frame
        The original table.
    after : Frame
        The masked table, with the same records in the same order.
    known : list of str
        Columns that an attacker may know.
    masked : list of str
        Columns that were masked.
    confidential : list of str
        Confidential columns.
    k : int
        No count speaks of 1 to k - 1 original records.
    groups : list of pairs
        The columns of each block and their groups.

    Returns
    -------
    dict
        ``before``, the risk of the original; ``distributions`` of the masked columns;
        ``correlations`` among numeric ones; ``groups`` on a plane.
    """
    least = max(k, LEAST)
    return {
        "before": _risk(before, known),
        "distributions": [_distribution(before, after, name, least) for name in masked],
        "correlations": _correlations(before, after, [*masked, *confidential]),
        "groups": [
            {"columns": columns, **plane(tables.matrix(before, columns), found.labels)._asdict()}
            for columns, found in (
                (_varying(before, after, block), found) for block, found in groups
            )
            if len(columns) > 1
        ],
    }


def _risk(before: Frame, known: Sequence[str]) -> dict[str, Any]:
    sizes = np.bincount(classes(tables.codes(before, known)))
    return {
        "smallest_class": int(sizes.min()),
        "unique": round(float((sizes == 1).sum() / sizes.sum()), 3),
        "marketer": round(float(len(sizes) / sizes.sum()), 3),
    }


def _distribution(before: Frame, after: Frame, name: str, least: int) -> dict[str, Any]:
    if tables.is_numeric(before, name) and tables.is_numeric(after, name):
        old, new = tables.present(before, name), tables.present(after, name)
        if len(old) and len(new):
            whole = tables.is_whole(before, name)
            return {"column": name, **histogram(old, new, least, whole=whole)._asdict()}
    found = bars(tables.counts(before, name), tables.counts(after, name), least)
    return {"column": name, **found._asdict()}


def _correlations(before: Frame, after: Frame, columns: Sequence[str]) -> dict[str, Any]:
    names = _varying(before, after, columns)[:COLUMNS]
    if len(names) < 2:
        return {}
    first, second = (correlations(tables.matrix(frame, names)) for frame in (before, after))
    return {
        "columns": names,
        "before": np.round(first, 3).tolist(),
        "after": np.round(second, 3).tolist(),
        "difference": np.round(second - first, 3).tolist(),
    }


def _varying(before: Frame, after: Frame, columns: Sequence[str]) -> list[str]:
    """Return the columns of numbers without holes that vary."""
    numeric = [
        name
        for name in columns
        if tables.is_measurable(before, name) and tables.is_measurable(after, name)
    ]
    return [name for name in numeric if np.ptp(tables.present(before, name)) > 0]
