"""Local recoding: the values of a group become their lowest common ancestor, or their range."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ValuesGeneralised
from shoal.frame.columns import Column
from shoal.frame.replacement import TextColumn
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.partitioners import Partition
from shoal.steps.microaggregation.centroid import suppress_single_values
from shoal.steps.recoding.hierarchies import RecodableColumn, read_hierarchy

Mask = NDArray[np.bool_]
LOCAL_AGGREGATES = ("ancestor", "range")  # the aggregates that release text


class LocalRecoding(NamedTuple):
    """The released texts of a column, the mean loss of its cells, and the use of its levels.

    ``levels`` is the result of `RecodableColumn.level_usage`, or an empty dict for ranges.
    """

    values: TextColumn
    loss: float
    levels: dict[str, list[int]]


class LocallyRecodedColumns(NamedTuple):
    """The columns of a table that are released as ancestors or as ranges, by name.

    ``numbers`` are the columns released as ranges, divided by the range of the whole column.
    """

    ancestors: Mapping[str, RecodableColumn]
    numbers: Mapping[str, NDArray[np.float64]]

    def select(
        self, names: Sequence[str], rows: NDArray[np.int64]
    ) -> tuple[list[RecodableColumn], NDArray[np.float64]]:
        """Return the given rows of columns released as ancestors, and of those as ranges."""
        columns = [self.ancestors[name] for name in names if name in self.ancestors]
        numbers = [self.numbers[name][rows] for name in names if name in self.numbers]
        return (
            [replace(column, codes=column.codes[rows]) for column in columns],
            np.column_stack(numbers) if numbers else np.empty((len(rows), 0)),
        )


def read_locally_recoded(
    frame: Frame, columns: Sequence[Column], as_range: Container[str], types: Mapping[str, Type]
) -> LocallyRecodedColumns:
    """Return columns to release as ancestors, or as ranges if they are numbers in ``as_range``."""
    numbers = {
        column.name: column.values
        for column in columns
        if column.name in as_range and column.kind == "numeric"
    }
    column_ranges: dict[str, float] = {}
    for name, values in numbers.items():
        present_values = values[~np.isnan(values)]
        column_ranges[name] = float(np.ptp(present_values)) if len(present_values) else 0.0
    return LocallyRecodedColumns(
        {
            column.name: read_hierarchy(frame, column.name, types.get(column.name))
            for column in columns
            if column.name not in numbers
        },
        {name: values / (column_ranges[name] or 1.0) for name, values in numbers.items()},
    )


def common_ancestors(recoded: RecodableColumn, groups: Partition, missing: Mask) -> LocalRecoding:
    """Return for each record the lowest common ancestor of its group's values.

    The loss of a cell is the share of the other values of its hierarchy that it is merged
    with, as in `shoal.steps.Generalise`.
    """
    labels, has_value = groups.labels, ~suppress_single_values(groups, missing)
    level_of_group = np.full(len(groups.sizes), -1)
    for level, ancestors in enumerate(recoded.levels.ancestors):
        low, high = _extremes(ancestors[recoded.codes], labels, has_value)
        level_of_group[(level_of_group < 0) & (low == high)] = level
    level_of_record = level_of_group[labels]
    # All values of a group have the same ancestor, so the first of its values gives the label.
    first_records = np.full(len(groups.sizes), -1)
    rows = np.flatnonzero(has_value)[::-1]
    first_records[labels[rows]] = rows
    texts = np.full(len(labels), None, object)
    is_released = first_records[labels] >= 0
    for level, level_labels in enumerate(recoded.labels):
        is_at_level = is_released & (level_of_record == level)
        texts[is_at_level] = level_labels[recoded.codes[first_records[labels[is_at_level]]]]
    losses = np.array(recoded.levels.losses)[level_of_record, recoded.codes]
    return LocalRecoding(
        TextColumn(texts),
        float(losses[is_released].mean()) if is_released.any() else 0.0,
        recoded.level_usage(np.where(is_released, level_of_record, -1)),
    )


def group_ranges(column: Column, groups: Partition, missing: Mask) -> LocalRecoding:
    """Return for each record the range of its group's numbers.

    The loss of a cell is the width of its range as a share of the range of the whole column.
    """
    labels, has_value = groups.labels, ~suppress_single_values(groups, missing)
    low, high = _extremes(column.values, labels, has_value)
    is_whole = all(float(value).is_integer() for value in column.values[has_value])
    texts = np.array(
        [_format_range(*ends, is_whole) for ends in zip(low, high, strict=True)], object
    )
    column_range = float(np.ptp(column.values[has_value])) if has_value.any() else 0.0
    with np.errstate(invalid="ignore"):
        shares = (high - low)[labels][has_value] / (column_range or 1.0)
    loss = float(shares.mean()) if has_value.any() else 0.0
    return LocalRecoding(TextColumn(texts[labels]), loss, {})


def local_recoding_warnings(recoded: Mapping[str, LocalRecoding]) -> list[ValuesGeneralised]:
    """Return a warning with the loss by local recoding, if any column was recoded."""
    if not recoded:
        return []
    losses = {name: recoding.loss for name, recoding in recoded.items()}
    shares = ", ".join(f"{name!r} {100 * loss:.3g} %" for name, loss in losses.items())
    mean = sum(losses.values()) / len(losses)
    return [
        ValuesGeneralised(
            "Values were replaced by the lowest common ancestor or the range of their group:"
            f" {100 * mean:.3g} % of the distinctions were lost ({shares}).",
            code="values-generalised",
            columns=tuple(recoded),
            figures={
                "loss": mean,
                "losses": losses,
                "levels": {
                    name: recoding.levels for name, recoding in recoded.items() if recoding.levels
                },
            },
        )
    ]


def _extremes(
    values: NDArray[np.float64] | NDArray[np.int64], labels: NDArray[np.int64], has_value: Mask
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the minimum and the maximum of each group; inf and -inf if all values are missing."""
    n_groups = int(labels.max()) + 1
    low = np.full(n_groups, np.inf)
    high = np.full(n_groups, -np.inf)
    np.minimum.at(low, labels[has_value], values[has_value])
    np.maximum.at(high, labels[has_value], values[has_value])
    return low, high


def _format_range(low: float, high: float, is_whole: bool) -> str | None:
    """Return a range as text, or None for a group without values."""
    if low > high:
        return None
    first, last = (f"{end:.0f}" if is_whole else repr(float(end)) for end in (low, high))
    if low == high:
        return first
    return f"{first}-{last}" if low >= 0 else f"{first} to {last}"
