"""The hierarchies that a step may recode columns by."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.frame import tables
from shoal.frame.categories import prefix_hierarchy, texts_and_index
from shoal.frame.columns import decode
from shoal.frame.tables import Frame
from shoal.frame.types import Row, Type
from shoal.steps.lattice import Cells, Codes, Levels

RecodingLoss = Literal["distinctions", "entropy"]
ROOT = "*"  # released where all values of a column have become one


@dataclass(frozen=True, eq=False)
class RecodedColumn:
    """A column with the labels of its values at every level of its hierarchy.

    Parameters
    ----------
    name : str
        Name of the column.
    codes : ndarray of shape (n_records,)
        The value of each record, as a code.
    labels : list of ndarray of shape (n_values,)
        For each level the label of each value; None for a missing value below the root.
    levels : Levels
        Ancestors and losses.
    """

    name: str
    codes: Codes
    labels: list[NDArray[Any]]
    levels: Levels

    def released(self, level: int) -> NDArray[Any]:
        """Return the label of each record at a level; None where the value is missing."""
        return np.array(self.labels[level][self.codes])


def read_hierarchy(
    frame: Frame, name: str, declared: Type | None, loss: RecodingLoss = "distinctions"
) -> RecodedColumn:
    """Return a column with its hierarchy; without one, its values and their root are the levels.

    A missing value is a value of its own, and has no ancestor but the root.
    """
    texts, index = texts_and_index(decode(tables.arrow(frame, name)))
    values, code_of_text = np.unique(np.array(texts, str), return_inverse=True)
    codes = np.append(code_of_text.ravel(), len(values))[index]
    rows = hierarchy_rows(name, values.tolist(), declared)
    path = {row[0]: row for row in rows}
    labels = [
        np.array([*(path[value][level] for value in values.tolist()), None], object)
        for level in range(len(rows[0]) - 1 if rows else 0)
    ]
    labels.append(np.full(len(values) + 1, ROOT, object))
    ancestors = [_number(level) for level in labels]
    counts = np.bincount(codes, minlength=len(values) + 1).astype(np.float64)
    return RecodedColumn(
        name, codes, labels, Levels(ancestors, _LOSSES[loss](ancestors, counts, labels, rows))
    )


def hierarchy_rows(name: str, values: Sequence[str], declared: Type | None) -> list[Row]:
    """Return the path of every value of a hierarchy to the root, which is ``*``."""
    if declared is not None and declared.prefixes:
        rows: Sequence[Row] = prefix_hierarchy(values, declared.prefixes)
    elif declared is not None and declared.hierarchy:
        rows = declared.hierarchy
    elif declared is not None and declared.intervals:
        rows = interval_hierarchy(name, values, declared.intervals)
    else:
        rows = [(value,) for value in values]
    known = {row[0] for row in rows}
    unknown = sum(value not in known for value in values)
    if unknown:
        raise InputError(
            f"The hierarchy of column {name!r} lacks {unknown} of its {len(values)} values. Add"
            " them.",
            code="value-outside-type",
            column=name,
            count=unknown,
        )
    rooted = {row[-1] for row in rows} == {ROOT}
    return [row if rooted else (*row, ROOT) for row in rows]


def interval_hierarchy(name: str, values: Sequence[str], widths: Sequence[float]) -> list[Row]:
    """Return the intervals of numbers, one level for each width.

    Examples
    --------
    >>> interval_hierarchy("age", ["7", "21"], [5, 20])
    [('7', '5-9', '0-19'), ('21', '20-24', '20-39')]
    >>> interval_hierarchy("height", ["1.5"], [0.5])
    [('1.5', '[1.5, 2)')]
    """
    try:
        numbers = [float(value) for value in values]
    except ValueError:
        raise InputError(
            f"Column {name!r} has intervals and holds text. Leave the intervals out.",
            code="text-among-numbers",
            column=name,
        ) from None
    whole = all(float(number).is_integer() for number in (*numbers, *widths))
    return [
        (value, *(_interval(number, width, whole) for width in widths))
        for value, number in zip(values, numbers, strict=True)
    ]


def _interval(number: float, width: float, whole: bool) -> str:
    low = np.floor(number / width) * width
    return f"{low:.0f}-{low + width - 1:.0f}" if whole else f"[{low:.6g}, {low + width:.6g})"


def _number(labels: NDArray[Any]) -> Codes:
    """Return labels as codes; None has the last one."""
    distinct = {label: at for at, label in enumerate(sorted(set(labels.tolist()) - {None}))}
    return np.array([distinct.get(label, len(distinct)) for label in labels.tolist()])


def _distinctions(
    ancestors: Sequence[Codes], counts: Cells, labels: Sequence[NDArray[Any]], rows: Sequence[Row]
) -> list[Cells]:
    """Return the share of the other values of the hierarchy that a cell is no longer told from.

    A missing value counts as a value of the hierarchy if it occurs.
    """
    missing = int(counts[-1] > 0)
    others = max(1, len(rows) + missing - 1)
    losses = []
    for level, own in enumerate(labels[:-1]):
        below: dict[Any, int] = {None: 1}
        for row in rows:
            below[row[level]] = below.get(row[level], 0) + 1
        losses.append(np.array([(below[label] - 1) / others for label in own.tolist()]))
    return [*losses, np.full(len(counts), float(len(rows) + missing > 1))]


def _entropy(
    ancestors: Sequence[Codes], counts: Cells, labels: Sequence[NDArray[Any]], rows: Sequence[Row]
) -> list[Cells]:
    """Return the bits that tell a value from others with its ancestor, as a share of the most.

    The unit is the mean of the last level, so that a column loses 1 there.
    """
    occurring = np.maximum(counts, 1)
    bits = [np.log2(np.maximum(np.bincount(own, counts)[own], 1) / occurring) for own in ancestors]
    most = float((bits[-1] * counts).sum() / max(1.0, counts.sum()))
    return [one / most if most else one for one in bits]


_LOSSES: dict[str, Callable[..., list[Cells]]] = {
    "distinctions": _distinctions,
    "entropy": _entropy,
}
