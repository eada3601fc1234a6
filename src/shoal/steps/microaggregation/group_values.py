"""The values that a microaggregation releases for its groups: centroids, ancestors or ranges."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.frame import tables
from shoal.frame.columns import Column
from shoal.frame.notation.decimals import decimals_of_values
from shoal.frame.replacement import RowGather, TextColumn
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.partitioners import Partition
from shoal.steps.microaggregation.centroid import centroid
from shoal.steps.recoding.local_recoding import (
    LocallyRecodedColumns,
    LocalRecoding,
    common_ancestors,
    group_ranges,
    read_locally_recoded,
)

if TYPE_CHECKING:
    from shoal.steps.microaggregate import Microaggregate

Mask = NDArray[np.bool_]
Values = NDArray[Any] | RowGather | TextColumn


def read_recoded_columns(
    step: "Microaggregate", frame: Frame, columns: Sequence[Column], types: Mapping[str, Type]
) -> LocallyRecodedColumns:
    """Return the columns that a step releases as ancestors or ranges, with their hierarchies."""
    as_range = [name for name in step.columns if step.aggregate_of(name) == "range"]
    recoded = [column for column in columns if column.name in step.recoded_columns]
    return read_locally_recoded(frame, recoded, as_range, types)


@dataclass
class GroupValues:
    """The released values of the columns of a step, computed block by block.

    Parameters
    ----------
    step : Microaggregate
        The step.
    frame : Frame
        The table.
    recoded : LocallyRecodedColumns
        The columns that become ancestors or ranges.
    weights : ndarray of shape (n_records,), optional
        Survey weights of the records.
    values : dict
        The released values of each column.
    groups : dict
        The groups of each column.
    recodings : dict
        The local recoding of each column that becomes ancestors or ranges.
    """

    step: "Microaggregate"
    frame: Frame
    recoded: LocallyRecodedColumns
    weights: NDArray[np.float64] | None
    values: dict[str, Values] = field(default_factory=dict)
    groups: dict[str, Partition] = field(default_factory=dict)
    recodings: dict[str, LocalRecoding] = field(default_factory=dict)

    def add(self, column: Column, groups: Partition, missing: Mask) -> None:
        """Compute the released values of a column, in which ``missing`` cells are ignored."""
        self.groups[column.name] = groups
        if column.name in self.step.recoded_columns:
            recoding = self._recode(column, groups, missing)
            self.values[column.name], self.recodings[column.name] = recoding.values, recoding
        else:
            self.values[column.name] = self._aggregate(column, groups, missing)

    def _recode(self, column: Column, groups: Partition, missing: Mask) -> LocalRecoding:
        """Return the ranges or the ancestors that a column is released as."""
        if column.name in self.recoded.numbers:
            return group_ranges(column, groups, missing)
        return common_ancestors(self.recoded.ancestors[column.name], groups, missing)

    def _aggregate(
        self, column: Column, groups: Partition, missing: Mask
    ) -> NDArray[Any] | RowGather:
        """Return the centroids of a column, rounded as the step requires."""
        decimals = self.step.decimals_of(column.name)
        if decimals is None and self.step.round == "original" and column.kind == "numeric":
            decimals = decimals_of_values(column.values)
        return centroid(
            column,
            groups,
            missing,
            aggregate=self.step.aggregate_of(column.name),
            trim=self.step.trim,
            decimals=decimals,
            is_whole=tables.has_integer_type(self.frame, column.name),
            weights=self.weights,
        )
