"""Warnings of a microaggregation about single columns."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from shoal.errors import ConstantColumn, MissingValues, ShoalWarning
from shoal.frame.columns import Column
from shoal.frame.new_values import RowGather, TextColumn
from shoal.frame.roles import name_columns
from shoal.partitioners import Partition
from shoal.steps.missing import describe_missing


def constant_column_warnings(names: list[str]) -> list[ShoalWarning]:
    """Return a warning about columns with a single value, if there are any."""
    if not names:
        return []
    verb = "is constant and does" if len(names) == 1 else "are constant and do"
    return [
        ConstantColumn(
            f"{name_columns(names)} {verb} not affect the grouping.",
            code="constant-column",
            columns=tuple(names),
        )
    ]


def missing_value_warnings(
    columns: list[Column],
    values: Mapping[str, Any],
    groups: Mapping[str, Partition],
    *,
    is_imputed: bool,
) -> list[ShoalWarning]:
    """Return warnings about cells that are missing, were filled in, or were suppressed."""
    released = {
        name: new_values.is_missing
        if isinstance(new_values, RowGather | TextColumn)
        else np.isnan(new_values)
        for name, new_values in values.items()
    }
    sentences = describe_missing(columns, released, groups, is_imputed=is_imputed)
    return [MissingValues(sentence) for sentence in sentences]
