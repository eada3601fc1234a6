"""Columns with the levels of their hierarchies, and the loss of a cell at each level."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.frame import tables
from shoal.frame.arrow_types import decode
from shoal.frame.categories import texts_and_index
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.frame.types.hierarchy import ROOT
from shoal.frame.types.hierarchy_checks import Row
from shoal.steps.recoding.lattice import Codes, Levels, Values

MAX_DRAWN_CATEGORIES = 100  # a level of more categories is not drawn in the report
RecodingLoss = Literal["distinctions", "entropy", "discernibility"]


@dataclass(frozen=True, eq=False)
class RecodableColumn:
    """A column with the labels of its values at every level of its hierarchy.

    Codes stand for the distinct values in the table; the largest code stands for a missing value.

    Parameters
    ----------
    name : str
        Name of the column.
    codes : ndarray of shape (n_records,)
        The code of each record's value.
    labels : list of ndarray of shape (n_values,)
        For each level, the label of the ancestor of each value. A missing value has the label None
        at all levels below the root.
    levels : Levels
        The ancestors as codes, and their losses.
    """

    name: str
    codes: Codes
    labels: list[NDArray[Any]]
    levels: Levels

    @property
    def is_missing(self) -> NDArray[np.bool_]:
        """Whether the value of each record is missing."""
        return np.asarray(self.codes == len(self.labels[0]) - 1)

    def labels_at(self, level: int) -> NDArray[Any]:
        """Return the label of each record at a level; a missing value has None below the root."""
        return np.array(self.labels[level][self.codes])

    def level_usage(self, level_of_record: Codes, counts: Codes | None = None) -> dict[str, Any]:
        """Return the figures for a picture of the hierarchy, level by level.

        Parameters
        ----------
        level_of_record : ndarray of shape (n_records,)
            The level at which each cell is released, or -1 for a cell that is not released.
        counts : ndarray of shape (n_records,), optional
            Number of records that each row stands for; 1 by default.

        Returns
        -------
        dict
            For each level, the number of ``categories``, the number of ``cells`` released at this
            level, and the ``widths`` of the categories: the number of values that each covers, in
            an order in which categories stand below their parents, the widest first. Widths are
            empty if there are too many categories to draw.
        """
        n_levels = len(self.labels)
        return {
            "widths": self._widths(),
            "categories": [
                len(np.unique(level_ancestors[self.codes]))
                for level_ancestors in self.levels.ancestors
            ],
            "cells": np.bincount(level_of_record + 1, counts, n_levels + 1)[1:]
            .astype(np.int64)
            .tolist(),
        }

    def _widths(self) -> list[list[int]]:
        """Return the number of values that each category covers, by level; see `level_usage`."""
        occurring_values = np.unique(self.codes)
        ancestors = [level_ancestors[occurring_values] for level_ancestors in self.levels.ancestors]
        # `lexsort` sorts by the last key first, which is the width of the top-level category.
        keys: list[Codes] = []
        for level_ancestors in ancestors:
            keys += [level_ancestors, -np.bincount(level_ancestors)[level_ancestors]]
        order = np.lexsort(keys)
        widths = []
        for level_ancestors in ancestors:
            starts = np.flatnonzero(np.diff(level_ancestors[order], prepend=-1))
            is_drawn = len(starts) <= MAX_DRAWN_CATEGORIES
            widths.append(np.diff(starts, append=len(order)).tolist() if is_drawn else [])
        return widths


def read_hierarchy(
    frame: Frame,
    name: str,
    declared_type: Type | None,
    loss: RecodingLoss = "distinctions",
    counts: Codes | None = None,
) -> RecodableColumn:
    """Return a column with the levels of its hierarchy.

    A column without a hierarchy has two levels, its values and the root. A missing value is a value
    of its own whose only ancestor is the root. ``counts`` is the number of records that each row of
    ``frame`` stands for; 1 by default.
    """
    texts, index = texts_and_index(decode(tables.arrow(frame, name)))
    values, code_of_text = np.unique(np.array(texts, str), return_inverse=True)
    codes = np.append(code_of_text.ravel(), len(values))[index]
    paths = _paths_to_root(frame, name, values.tolist(), declared_type)
    path_of_value = {row[0]: row for row in paths}
    labels = [
        np.array([*(path_of_value[value][level] for value in values.tolist()), None], object)
        for level in range(len(paths[0]) if paths else 0)
    ]
    labels.append(np.full(len(values) + 1, ROOT, object))
    ancestors = [_encode_labels(level) for level in labels]
    frequencies = np.bincount(codes, counts, len(values) + 1).astype(np.float64)
    losses = _LOSS_FUNCTIONS[loss](ancestors, frequencies, labels, paths)
    return RecodableColumn(name, codes, labels, Levels(ancestors, losses))


def _paths_to_root(
    frame: Frame, name: str, values: Sequence[str], declared_type: Type | None
) -> list[Row]:
    """Return the path of each value to the root, without the root.

    If the hierarchy lists its values, every listed value has a path. If the hierarchy is a rule,
    such as prefixes or intervals, or there is none, only the values of the column have paths.
    """
    hierarchy = None if declared_type is None else declared_type.as_hierarchy
    if hierarchy is None or declared_type is None:
        return [(value,) for value in values]
    try:
        paths = hierarchy.paths(values, declared_type.format, name)
    except InputError as error:
        if error.code != "value-outside-type":
            raise
        value = values[error.attributes["position"] - 1]
        texts, index = texts_and_index(decode(tables.arrow(frame, name)))
        record = int(
            np.argmax(np.isin(index, [i for i, text in enumerate(texts) if text == value]))
        )
        raise InputError(
            f"The hierarchy of column {name!r} lacks {error.attributes['count']:,} of the"
            f" {len(values):,} values of the column; one of them is in record {record + 1}. Add"
            " the missing values.",
            code=error.code,
            column=name,
            count=error.attributes["count"],
            record=record + 1,
        ) from None
    if not hierarchy.rows:
        return paths
    return hierarchy.paths([row[0] for row in hierarchy.rows])


def _encode_labels(labels: NDArray[Any]) -> Codes:
    """Return labels as codes; None gets the largest code."""
    distinct = {label: i for i, label in enumerate(sorted(set(labels.tolist()) - {None}))}
    return np.array([distinct.get(label, len(distinct)) for label in labels.tolist()])


def _distinction_losses(
    ancestors: Sequence[Codes], counts: Values, labels: Sequence[NDArray[Any]], paths: Sequence[Row]
) -> list[Values]:
    """Return the share of the other values of the hierarchy that a cell is merged with.

    A missing value counts as a value of the hierarchy if it occurs.
    """
    n_missing = int(counts[-1] > 0)  # missing cells count as one value if there are any
    n_others = max(1, len(paths) + n_missing - 1)
    losses = []
    for level, level_labels in enumerate(labels[:-1]):
        n_below: dict[Any, int] = {None: 1}
        for path in paths:
            n_below[path[level]] = n_below.get(path[level], 0) + 1
        losses.append(
            np.array([(n_below[label] - 1) / n_others for label in level_labels.tolist()])
        )
    return [*losses, np.full(len(counts), float(len(paths) + n_missing > 1))]


def _entropy_losses(
    ancestors: Sequence[Codes], counts: Values, labels: Sequence[NDArray[Any]], paths: Sequence[Row]
) -> list[Values]:
    """Return the bits that distinguish a value from other values with the same ancestor.

    The bits are divided by their mean at the last level, so that a column loses 1 there.
    """
    positive_counts = np.maximum(counts, 1)
    bits = [
        np.log2(
            np.maximum(np.bincount(level_ancestors, counts)[level_ancestors], 1) / positive_counts
        )
        for level_ancestors in ancestors
    ]
    max_bits = float((bits[-1] * counts).sum() / max(1.0, counts.sum()))
    return [level_bits / max_bits if max_bits else level_bits for level_bits in bits]


_LOSS_FUNCTIONS: dict[str, Callable[..., list[Values]]] = {
    "distinctions": _distinction_losses,
    "entropy": _entropy_losses,
    "discernibility": _distinction_losses,  # orders the search; nodes are compared by pairs
}
