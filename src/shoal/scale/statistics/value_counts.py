"""The distinct values of columns with their counts, as tables that are merged in any order."""

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from shoal.errors import InputError

MAX_DISTINCT = 100_000  # distinct values of a categorical column, or strata, kept in memory
COUNT = "\0count"  # the name of a column of counts, which no data have


def count_each_once(table: pa.Table) -> pa.Table:
    """Return a table with a column of counts in which each record counts once."""
    return table.append_column(COUNT, pa.array(np.ones(len(table), np.int64)))


def sum_by_values(counts: Sequence[pa.Table], columns: Sequence[str]) -> pa.Table:
    """Return the distinct combinations of values of ``columns``, with the sums of their counts."""
    sums = pa.concat_tables(counts).group_by(list(columns)).aggregate([(COUNT, "sum")])
    return sums.rename_columns([*columns, COUNT])


def count_combinations(table: pa.Table, columns: Sequence[str]) -> pa.Table:
    """Return the distinct combinations of values with their counts; refuse too many."""
    return merge_combinations([count_each_once(table.select(list(columns)))], columns)


def merge_combinations(counts: Sequence[pa.Table], columns: Sequence[str]) -> pa.Table:
    """Return the combinations of several parts together; refuse too many for the memory."""
    merged = sum_by_values(counts, columns)
    if len(merged) > MAX_DISTINCT:
        names = " and ".join(map(repr, columns))
        raise InputError(
            f"{names}: more than {MAX_DISTINCT:,} distinct values, too many to keep in memory."
            " Use a coarser column, or declare numbers as numeric.",
            code="too-many-values",
        )
    return merged


def count_values(table: pa.Table, names: Sequence[str]) -> dict[str, pa.Table]:
    """Return the distinct values of each column with their counts; refuse too many."""
    return {name: count_combinations(table, [name]) for name in names}


def merge_values(counts_of_parts: Sequence[Mapping[str, pa.Table]]) -> dict[str, pa.Table]:
    """Return the counts of the values of each column in several parts together."""
    names = list(dict.fromkeys(name for counts in counts_of_parts for name in counts))
    return {
        name: merge_combinations(
            [counts[name] for counts in counts_of_parts if name in counts], [name]
        )
        for name in names
    }
