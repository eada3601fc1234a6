"""The distinct combinations of values of several columns, and how often each occurs.

The process that started the run holds all of them, in an order that follows from a hash of their
values, so that neither the order of records nor that of chunks matters.
"""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from shoal.errors import InputError
from shoal.frame.roles import name_columns
from shoal.scale.runners.runner import Runner, run_stage
from shoal.scale.sources.chunks import Chunk, read_batches
from shoal.scale.sources.sorting import sort_by
from shoal.scale.statistics.hashes import COMBINATION_SEED_OFFSET, Hashes, record_hashes
from shoal.scale.statistics.value_counts import count_each_once, sum_by_values
from shoal.scale.worker_task import worker_task

MAX_COMBINATIONS = 1_000_000  # combinations that the process that starts the run can hold
MIN_PENDING = 100_000  # minimum number of collected combinations that are merged


class Combinations:
    """Distinct combinations that are collected from parts of a table.

    Parameters
    ----------
    columns : list of str
        The columns whose values are combined.
    """

    def __init__(self, columns: Sequence[str]):
        self.columns = list(columns)
        self._tables: list[pa.Table] = []
        self._n_merged = 0

    def add(self, counts: pa.Table) -> None:
        """Add combinations with their counts; merge them from time to time to save memory."""
        self._tables.append(counts)
        pending = sum(map(len, self._tables)) - self._n_merged
        if pending > max(self._n_merged, MIN_PENDING):
            self.merge()

    def merge(self) -> pa.Table:
        """Merge the collected combinations; return them with their counts, or refuse too many."""
        merged = sum_by_values(self._tables, self.columns)
        if len(merged) > MAX_COMBINATIONS:
            raise InputError(
                f"{name_columns(self.columns)} have more than {MAX_COMBINATIONS:,} distinct"
                " combinations of values, and the process that starts the run must hold all of"
                " them. Recode or round the columns with the most values first, name fewer"
                " columns, or use the step 'microaggregate'.",
                code="too-many-combinations",
                limit=MAX_COMBINATIONS,
            )
        self._tables, self._n_merged = [merged], len(merged)
        return merged


def combination_hashes(table: pa.Table, columns: Sequence[str], seed: int) -> Hashes:
    """Return the hash of each combination, by which combinations are ordered."""
    return record_hashes(table, columns, seed + COMBINATION_SEED_OFFSET)


def find_combinations(
    runner: Runner, chunks: Sequence[Chunk], columns: Sequence[str], seed: int
) -> pa.Table:
    """Return the distinct combinations of a table with their counts, in the order of their hash.

    Parameters
    ----------
    runner : Runner
        What executes the tasks.
    chunks : list of Chunk
        The chunks of the table.
    columns : list of str
        The columns whose values are combined.
    seed : int
        Seed of the hash.

    Returns
    -------
    pyarrow.Table
        The columns and, last, the counts.
    """
    combinations = Combinations(columns)
    tasks = [(chunk, list(columns)) for chunk in chunks]
    sizes = [chunk.n_records for chunk in chunks]
    for _, counts in run_stage(runner, "counting", _count_combinations, tasks, sizes):
        combinations.add(counts)
    # Sorted first, so that combinations of equal hash have an order too.
    table = sort_by(combinations.merge(), columns)
    return table.take(np.argsort(combination_hashes(table, columns, seed), kind="stable"))


@worker_task
def _count_combinations(chunk: Chunk, columns: Sequence[str]) -> pa.Table:
    """Return the distinct combinations of a chunk with their counts."""
    combinations = Combinations(columns)
    for table in read_batches(chunk, columns, ()):
        combinations.add(count_each_once(table))
    return combinations.merge().combine_chunks()
