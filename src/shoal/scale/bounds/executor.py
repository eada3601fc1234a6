"""Execute the tasks of a certificate by a runner: in other processes, or on other machines.

The table is written to a scratch file once, and the duals of all rows before each search for
violated groups. A task contains numbers of rows and duals, never values of records, and can be
repeated.
"""

import os
import platform
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from typing import Any, NamedTuple

from shoal.partitioners._base import Indices
from shoal.partitioners._budget import OnProgress
from shoal.partitioners._dual_bound.block_ascent import AscendedBlock, BlockTask, ascend_block
from shoal.partitioners._dual_bound.executor import NumberedResults
from shoal.partitioners._dual_bound.long_table import LongTable
from shoal.partitioners._dual_bound.row_corrections import (
    CorrectionSearch,
    RowCorrections,
    row_corrections,
)
from shoal.scale.runners.runner import Runner, run_tasks
from shoal.scale.storage.array_files import ArrayFile, map_arrays, remove_arrays, write_arrays
from shoal.scale.storage.files import join

TableFile = ArrayFile[LongTable]
SearchFile = ArrayFile[CorrectionSearch]


class TimedResult(NamedTuple):
    """The result of a task, its CPU seconds, and the machine and process that it ran in."""

    value: Any
    seconds: float
    process: tuple[str, int]


def ascend_stored_block(table: TableFile, task: BlockTask) -> TimedResult:
    """Raise the duals of a block of a stored table."""
    return _timed(lambda: ascend_block(map_arrays(table), task))


def correct_stored_rows(table: TableFile, search: SearchFile, rows: Indices) -> TimedResult:
    """Search for the violated groups anchored at rows of a stored table."""
    # Arrays from Dask are read-only, for which kernels would be compiled again.
    return _timed(lambda: row_corrections(map_arrays(table), map_arrays(search), rows.copy()))


def _timed(function: Callable[[], Any]) -> TimedResult:
    start = time.thread_time()
    value = function()
    return TimedResult(value, time.thread_time() - start, _this_process())


def _this_process() -> tuple[str, int]:
    return platform.node(), os.getpid()


class RunnerExecutor:
    """Executes tasks by a runner; see `shoal.partitioners._dual_bound.executor.Executor`.

    ``worker_seconds`` are the CPU seconds that tasks have taken in processes other than this one.

    Parameters
    ----------
    runner : Runner
        What executes the tasks.
    folder : str
        Location of a folder for scratch files, which exists.
    """

    def __init__(self, runner: Runner, folder: str):
        self.runner, self.folder = runner, folder
        self.worker_seconds = 0.0
        self._n_searches = 0

    def share_table(self, table: LongTable) -> None:
        """Write the table to a scratch file."""
        self._table = write_arrays(join(self.folder, "table"), table)

    def ascend_blocks(
        self, tasks: Sequence[BlockTask], on_progress: OnProgress
    ) -> NumberedResults[AscendedBlock]:
        """Yield results in the order of completion."""
        return self._run(ascend_stored_block, [(self._table, task) for task in tasks], on_progress)

    def correct_chunks(
        self, search: CorrectionSearch, chunks: Sequence[Indices], on_progress: OnProgress
    ) -> NumberedResults[RowCorrections]:
        """Yield results in the order of completion."""
        if not chunks:
            return
        self._n_searches += 1
        file = write_arrays(join(self.folder, f"search-{self._n_searches:04d}"), search)
        try:
            tasks = [(self._table, file, rows) for rows in chunks]
            with closing(self._run(correct_stored_rows, tasks, on_progress)) as results:
                yield from results
        finally:
            remove_arrays(file)

    def _run(
        self,
        function: Callable[..., TimedResult],
        tasks: Sequence[tuple[Any, ...]],
        on_progress: OnProgress,
    ) -> Generator[tuple[int, Any], None, None]:
        with closing(run_tasks(self.runner, function, tasks, on_progress)) as results:
            for position, result in results:
                if result.process != _this_process():  # whose CPU time is known
                    self.worker_seconds += result.seconds
                yield position, result.value
