"""Run tasks on Apache Spark, by `mapInArrow`."""

import pickle
import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from shoal.errors import ClusterError
from shoal.scale.runners.process_pool import HEARTBEAT, Task
from shoal.scale.runners.workers import check_statuses, describe_worker_exits, worker_status

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CANCEL_INTERVAL = 0.5  # seconds between two attempts to cancel jobs
MAX_CANCELS = 60  # attempts to cancel jobs
LIBRARIES = ("pyspark", "py4j")  # whose exceptions are translated
SESSION_STOPPED = (
    "The Spark session was stopped. Nothing was released. Start another, then run again."
)


class SparkRunner:
    """Runs tasks on Apache Spark; see `shoal.scale.Runner`.

    Each task is a separate Spark job of one row; as many run at a time as the session has
    slots. Spark repeats a task whose executor died up to ``spark.task.maxFailures`` times.
    Shoal must be installed on all executors.

    Parameters
    ----------
    session : SparkSession
        The session; it is not stopped.
    n_tasks : int, optional
        Number of tasks that run at a time; by default the parallelism of the session.
    """

    def __init__(self, session: "SparkSession", n_tasks: int | None = None):
        self.session = session
        self.n_tasks = n_tasks or int(session.sparkContext.defaultParallelism)
        self._group = f"shoal-{uuid.uuid4().hex}"
        self._running: set[Future[Any]] = set()
        self._is_cancelled = threading.Event()

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Task:
        """Accept a task, which ``gather`` starts when a slot is free."""
        return Task(function, arguments)

    def gather(
        self, handles: Sequence[Task], heartbeat: Callable[[], None]
    ) -> Iterator[tuple[int, Any]]:
        """Yield position and result of each task; Spark repeats tasks whose executor died."""
        self._is_cancelled.clear()
        with ThreadPoolExecutor(self.n_tasks) as threads:
            positions = {
                threads.submit(self._run, task): position for position, task in enumerate(handles)
            }
            self._running = set(positions)
            try:
                while self._running:
                    done, self._running = wait(self._running, HEARTBEAT, FIRST_COMPLETED)
                    if not done:
                        heartbeat()
                    for future in done:
                        yield positions[future], _result(future)
            finally:  # before the pool waits for its threads
                self.cancel(handles)

    def cancel(self, handles: Sequence[Task]) -> None:
        """Stop the jobs that are running, and forget those that are not."""
        del handles
        for future in self._running:
            future.cancel()
        self._is_cancelled.set()
        attempts_left = MAX_CANCELS
        while self._running and attempts_left > 0:
            # A job that has not reached Spark yet is not cancelled by the first call.
            self.session.sparkContext.cancelJobGroup(self._group)
            _, self._running = wait(self._running, CANCEL_INTERVAL)
            attempts_left -= 1
        self._running = set()

    def check(self, folder: str) -> None:
        """Refuse executors with another version, or without access to the folder."""
        tasks = [self.submit(worker_status, folder) for _ in range(self.n_tasks)]
        statuses = self.gather(tasks, lambda: None)
        check_statuses({f"of slot {slot}": status for slot, status in statuses}, folder)

    def _run(self, task: Task) -> Any:
        """Run a task on an executor and wait for it, in a thread of this process."""
        if self._is_cancelled.is_set():
            raise CancelledError
        # The group applies to the jobs of this thread. With `interruptOnCancel`, Spark also ends
        # the Python process of a job.
        context = self.session.sparkContext
        context.setJobGroup(self._group, "shoal", interruptOnCancel=True)
        content = pickle.dumps((task.function, task.arguments))
        rows = self.session.createDataFrame([(content,)], "task binary").coalesce(1)
        (row,) = rows.mapInArrow(_run_tasks, "result binary").collect()
        return pickle.loads(row["result"])


def _run_tasks(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Run the tasks of rows on an executor; an error is a result, so its task is not repeated."""
    for batch in batches:
        for content in batch.column("task").to_pylist():
            function, arguments = pickle.loads(content)
            try:
                result = True, function(*arguments)
            except Exception as error:
                result = False, error
            yield pa.RecordBatch.from_pydict({"result": [pickle.dumps(result)]})


def _result(future: "Future[Any]") -> Any:
    """Return the result of a task, or raise its error; translate Spark errors."""
    try:
        succeeded, result = future.result()
    except Exception as error:
        library = type(error).__module__.partition(".")[0]
        if library not in LIBRARIES and not isinstance(error, ConnectionError):
            raise
        if "stopped" in str(error).lower() or isinstance(error, ConnectionError):
            raise ClusterError(SESSION_STOPPED, code="cluster-lost") from None
        raise ClusterError(describe_worker_exits([]), code="workers-died", exit_codes=[]) from None
    if not succeeded:
        raise result
    return result
