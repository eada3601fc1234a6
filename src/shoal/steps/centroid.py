"""What stands for a group in a column, by the kind of its values."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.frame.columns import Column
from shoal.frame.tables import RowGather
from shoal.metrics.givers import givers
from shoal.partitioners import Partition
from shoal.steps.aggregate import AGGREGATES, group_low_median, group_mode, over_known

Holes = NDArray[np.bool_]


def centroid(
    column: Column,
    groups: Partition,
    hole: Holes,
    *,
    aggregate: str,
    trim: float | None,
    decimals: int | None,
    whole: bool,
    weights: NDArray[np.float64] | None = None,
) -> NDArray[Any] | RowGather:
    """Return the released values of a column.

    Numbers are aggregated as asked, ordinal values and dates by their lower median, all
    else by the most frequent value; cells that are missing take no part. A group without
    any value stays missing, and so does one in which a single record has a value: it would
    not be that of a group.

    Parameters
    ----------
    column : Column
        The column.
    groups : Partition
        The groups.
    hole : ndarray of shape (n_records,)
        Cells that take no part.
    aggregate : str
        What to take of numbers; a name in `AGGREGATES`.
    trim : float, optional
        Share that a trimmed mean leaves out at each end.
    decimals : int, optional
        Round numbers to so many decimals.
    whole : bool
        Whether the column holds whole numbers by its type.
    weights : ndarray of shape (n_records,), optional
        How much each record counts.

    Returns
    -------
    ndarray or RowGather
        Numbers, not a number where they are missing; or the records whose values are
        released, so that these keep their type.
    """
    hole = without_lone_givers(groups, hole)
    if column.kind != "numeric":
        middle = group_low_median if column.kind in ("ordinal", "date") else group_mode
        codes = over_known(middle, column.codes, groups.labels, hole, -1, weights)
        return RowGather(column.record_of(codes), codes < 0)
    options = {} if trim is None else {"trim": trim}
    function = partial(AGGREGATES[aggregate], **options)
    masked = over_known(function, column.values, groups.labels, hole, np.nan, weights)
    if decimals is None:
        return np.asarray(masked)
    masked = np.round(masked, decimals) + 0.0  # no negative zero
    whole = whole and decimals <= 0 and not np.isnan(masked).any()
    return masked.astype(np.int64) if whole else np.asarray(masked)


def without_lone_givers(groups: Partition, hole: Holes) -> Holes:
    """Return where no value is released, also of groups in which one record alone has one.

    Examples
    --------
    >>> groups = Partition(np.array([0, 0, 0, 1, 1, 1]), k=3)
    >>> hole = np.array([True, False, True, False, False, True])
    >>> without_lone_givers(groups, hole)
    array([ True,  True,  True, False, False,  True])
    """
    if not hole.any():
        return hole
    alone = (givers(groups.labels, ~hole) == 1) & (groups.sizes > 1)
    return np.asarray(hole | alone[groups.labels])


def check_positive(column: Column) -> None:
    """Refuse numbers that have no geometric mean."""
    bad = int((column.values <= 0).sum()) if column.kind == "numeric" else 0
    if bad:
        raise InputError(
            f"Column {column.name!r} has {bad} value{'s' if bad > 1 else ''} that {_are(bad)} not"
            " above 0, which have no geometric mean. Use another aggregate, or mask the column in"
            " a step of its own.",
            code="not-above-zero",
            column=column.name,
            count=int(bad),
        )


def _are(number: int) -> str:
    return "is" if number == 1 else "are"
