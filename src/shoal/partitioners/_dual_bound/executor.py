"""What executes the tasks of a certificate: threads of this process, unless another is given."""

from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol, TypeVar

from joblib import effective_n_jobs

from shoal.partitioners._base import Indices
from shoal.partitioners._budget import OnProgress
from shoal.partitioners._dual_bound.block_ascent import AscendedBlock, BlockTask, ascend_block
from shoal.partitioners._dual_bound.long_table import LongTable
from shoal.partitioners._dual_bound.row_corrections import (
    CorrectionSearch,
    RowCorrections,
    row_corrections,
)

Task = TypeVar("Task")
Result = TypeVar("Result")
NumberedResults = Generator[tuple[int, Result], None, None]


class Executor(Protocol):
    """What executes the tasks of a certificate.

    `ascend_blocks` and `correct_chunks` yield the position and the result of each task, in any
    order. Closing the generator cancels the tasks that are left. ``on_progress`` may be called
    while no task completes; it may raise to end the work.
    """

    def share_table(self, table: LongTable) -> None:
        """Make a table available to all tasks; called once, before the first of them."""

    def ascend_blocks(
        self, tasks: Sequence[BlockTask], on_progress: OnProgress
    ) -> NumberedResults[AscendedBlock]:
        """Raise the duals of the blocks of ``tasks``; see `ascend_block`."""

    def correct_chunks(
        self, search: CorrectionSearch, chunks: Sequence[Indices], on_progress: OnProgress
    ) -> NumberedResults[RowCorrections]:
        """Search for the violated groups anchored at the rows of chunks; see `row_corrections`."""


class ThreadExecutor:
    """Executes tasks in threads of this process; kernels release the interpreter lock.

    Parameters
    ----------
    n_jobs : int or None
        Number of threads; all cores if None or -1.
    """

    def __init__(self, n_jobs: int | None = None):
        self.n_threads = effective_n_jobs(-1 if n_jobs is None else n_jobs)

    def share_table(self, table: LongTable) -> None:
        """Keep the table: threads share memory."""
        self.table = table

    def ascend_blocks(
        self, tasks: Sequence[BlockTask], on_progress: OnProgress
    ) -> NumberedResults[AscendedBlock]:
        """Yield results in the order of the tasks."""
        del on_progress  # not needed: tasks are short, and signals interrupt waiting for a thread
        return self._run(lambda task: ascend_block(self.table, task), tasks)

    def correct_chunks(
        self, search: CorrectionSearch, chunks: Sequence[Indices], on_progress: OnProgress
    ) -> NumberedResults[RowCorrections]:
        """Yield results in the order of the chunks."""
        del on_progress
        return self._run(lambda rows: row_corrections(self.table, search, rows), chunks)

    def _run(
        self, function: Callable[[Task], Result], tasks: Sequence[Task]
    ) -> NumberedResults[Result]:
        with ThreadPoolExecutor(self.n_threads) as pool:
            # A result is forgotten when it has been yielded.
            futures = deque(pool.submit(function, task) for task in tasks)
            try:
                for number in range(len(tasks)):
                    yield number, futures.popleft().result()
            finally:
                for future in futures:
                    future.cancel()
