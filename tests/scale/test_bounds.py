"""Lower bounds by the workers of a runner: that of threads to the last bit, whatever happens."""

import multiprocessing
import os
import pickle
import signal
from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest

from clusters import wait_for_two_workers, worker_pids
from raising import raises
from s3_server import BUCKET, environment, store
from shoal import _progress as progress
from shoal import lower_bound, scale
from shoal._kernels.dual_bound.row_boxes import RowBoxes
from shoal.errors import ClusterError, FileError, InputError, ParameterError
from shoal.partitioners._dual_bound import certificate, corrections
from shoal.partitioners._dual_bound.executor import ThreadExecutor
from shoal.partitioners._dual_bound.row_corrections import CorrectionSearch
from shoal.scale.bounds import distributed_bound
from shoal.scale.bounds.executor import RunnerExecutor
from shoal.scale.storage import array_files
from shoal.scale.storage.array_files import map_arrays, write_arrays
from shoal.scale.storage.files import _open_store

K = 4


@pytest.fixture(autouse=True, scope="module")
def small_blocks():
    """Let a small table have many blocks, four of which are ascended together."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(certificate, "BLOCK", 70)
        patch.setattr(certificate, "MIN_SPACING", 3)
        patch.setattr(corrections, "STRIDE", 100)
        yield


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(5)
    return rng.normal(size=(1000, 3)) * rng.choice([0.3, 1, 5], (1000, 1))


@pytest.fixture(scope="module")
def bound_of_threads(X):
    return lower_bound(X, K, "blocks", n_jobs=1)


@pytest.fixture(scope="module")
def pool():
    with scale.ProcessPool(n_jobs=2) as pool:
        yield pool


class InThisProcess:
    """Runs tasks in this process: each twice, as if a worker had died, and the last one first."""

    def __init__(self):
        self.waves, self.task_bytes = [], []

    def submit(self, function, *arguments):
        self.task_bytes.append(len(pickle.dumps((function, arguments))))
        return function, arguments

    def gather(self, handles, heartbeat):
        self.waves.append(len(handles))
        for number, (function, arguments) in reversed(list(enumerate(handles))):
            heartbeat()
            function(*arguments)
            yield number, function(*arguments)

    def cancel(self, handles):
        pass

    def check(self, folder):
        pass


def ticking():
    """Return a clock that is one second later at every call."""
    ticks = count()
    return lambda: float(next(ticks))


def interrupt():
    raise KeyboardInterrupt


def at_reports(action, *stage_phrases):
    """Return a listener that calls ``act`` once for each part of a stage, amid its tasks."""
    remaining = list(stage_phrases)

    def listener(stage, done, total):
        for phrase in remaining:
            if phrase in stage and 0 < done < total:
                remaining.remove(phrase)
                action()
                break

    return listener, remaining


@pytest.mark.parametrize("runner", ["processes:1", "pool", "client"])
def test_every_runner_proves_the_bound_of_threads(runner, X, bound_of_threads, request, tmp_path):
    client = runner if ":" in runner else request.getfixturevalue(runner)
    assert scale.lower_bound(X, K, client=client, scratch=tmp_path) == bound_of_threads
    assert not list(tmp_path.iterdir())


def test_neither_repeated_tasks_nor_their_order_change_the_bound(X, bound_of_threads):
    runner = InThisProcess()
    assert scale.lower_bound(X, K, client=runner) == bound_of_threads
    assert max(runner.waves) == 10  # chunks of all rows
    assert runner.waves.count(4) > 20  # blocks that are ascended together


def test_duals_are_those_of_threads_too(X, tmp_path):
    executor = RunnerExecutor(InThisProcess(), str(tmp_path))
    actual = certificate.certify(X, K, executor=executor)
    expected = certificate.certify(X, K, executor=ThreadExecutor(2))
    np.testing.assert_array_equal(actual.duals, expected.duals)
    assert actual.complete
    assert [path.name for path in tmp_path.iterdir()] == ["table"]  # which the run removes


def test_tasks_contain_no_records(X):
    runner = InThisProcess()
    scale.lower_bound(np.tile(X, 40), K, client=runner, budget=1e-9)
    assert max(runner.task_bytes) < X.nbytes


def test_a_killed_process_of_a_pool_changes_nothing(X, bound_of_threads, pool, tmp_path):
    def kill():
        multiprocessing.active_children()[0].kill()

    listener, remaining = at_reports(kill, "correcting", "temperature 0.1")
    with progress.reporting_to(listener):
        assert scale.lower_bound(X, K, client=pool, scratch=tmp_path) == bound_of_threads
    assert not remaining
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_killed_worker_of_a_cluster_changes_nothing(X, bound_of_threads, processes, tmp_path):
    def kill():
        wait_for_two_workers(processes)
        os.kill(worker_pids(processes)[0], signal.SIGKILL)

    listener, remaining = at_reports(kill, "correcting", "temperature 0.05")
    with progress.reporting_to(listener):
        assert scale.lower_bound(X, K, client=processes, scratch=tmp_path) == bound_of_threads
    assert not remaining
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("budget", [0, 3, 30, 150])
def test_a_budget_keeps_the_bound_so_far(budget, X, bound_of_threads, tmp_path):
    clock = ticking()
    options = {"client": InThisProcess(), "scratch": tmp_path, "budget": budget, "clock": clock}
    bound = scale.lower_bound(X, K, **options)
    assert lower_bound(X, K) * (1 - 1e-9) <= bound < bound_of_threads
    assert clock() < 3 * budget + 100  # calls, of the hundreds that a whole run makes
    assert not list(tmp_path.iterdir())


def test_a_budget_counts_the_seconds_of_workers(X, bound_of_threads, pool, monkeypatch):
    monkeypatch.setattr(distributed_bound, "time", SimpleNamespace(process_time=lambda: 0.0))
    assert scale.lower_bound(X, K, client=pool, budget=0.01) < bound_of_threads
    assert scale.lower_bound(X, K, client=InThisProcess(), budget=0.01) == bound_of_threads


@pytest.mark.parametrize("part", ["correcting", "temperature 0.1", "temperature 0.007"])
def test_an_interrupt_keeps_the_bound_so_far(part, X, bound_of_threads, tmp_path):
    listener, remaining = at_reports(interrupt, part)
    with progress.reporting_to(listener):
        bound = scale.lower_bound(X, K, client=InThisProcess(), scratch=tmp_path)
    assert not remaining
    assert lower_bound(X, K) * (1 - 1e-9) <= bound < bound_of_threads
    assert not list(tmp_path.iterdir())


def test_an_interrupt_ends_the_tasks_of_a_pool(X, bound_of_threads, pool, tmp_path):
    listener, remaining = at_reports(interrupt, "temperature 0.01")
    with progress.reporting_to(listener):
        bound = scale.lower_bound(X, K, client=pool, scratch=tmp_path)
    assert not remaining
    assert lower_bound(X, K) * (1 - 1e-9) <= bound < bound_of_threads
    assert not pool._processes
    assert not list(tmp_path.iterdir())


def test_progress_shows_the_bound_so_far(X):
    reports = []
    with progress.reporting_to(lambda *report: reports.append(report)):
        scale.lower_bound(X, K, client=InThisProcess())
    reports = [(stage, done) for stage, done, _ in reports if "loss at least" in stage]
    losses = [float(stage.split()[4]) for stage, _ in reports]
    assert losses == sorted(losses)
    assert losses[0] < losses[-1]
    assert min(done for _, done in reports) == 0  # also while no task completes


def test_an_error_leaves_no_scratch_files(X, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(array_files, "_write_to_stream", full)
    with raises(FileError, "cannot-write"):
        scale.lower_bound(X, K, client=InThisProcess(), scratch=tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_lost_table_is_named(X, tmp_path):
    def lose():
        for path in tmp_path.rglob("table"):
            path.unlink()

    listener, _ = at_reports(lose, "correcting")
    with progress.reporting_to(listener), raises(FileError, "file-unreadable"):
        scale.lower_bound(X, K, client=InThisProcess(), scratch=tmp_path)
    assert not list(tmp_path.iterdir())


def test_workers_without_the_folder_are_refused(X, tmp_path):
    class Elsewhere(scale.ProcessPool):
        def check(self, folder):
            super().check(f"{folder}/not-there")

    with Elsewhere(1) as pool, raises(ClusterError, "folder-not-shared"):
        scale.lower_bound(X, K, client=pool, scratch=tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def s3():
    _open_store.cache_clear()
    with store() as server, environment(server.endpoint):
        yield server
    _open_store.cache_clear()


def test_scratch_files_can_be_in_a_store(s3, X, bound_of_threads):
    scratch, earlier = f"s3://{BUCKET}/private", len(s3.log)
    assert scale.lower_bound(X, K, client="processes:2", scratch=scratch) == bound_of_threads
    assert not s3.files()
    reads = [
        key for method, key in s3.log[earlier:] if method == "GET" and key.endswith("/arrays/table")
    ]
    assert 2 <= len(reads) <= 4  # once in each process, with no more than one request for its size


def test_a_store_that_fails_is_reported(s3, X):
    s3.fails = lambda method, key: method == "GET" and "arrays/" in key
    try:
        with raises(FileError, "store-unreachable"):
            scale.lower_bound(X, K, client="processes:1", scratch=f"s3://{BUCKET}/private")
    finally:
        s3.fails = lambda method, key: False
    assert not s3.files()


def test_mapped_arrays_are_those_written_and_their_file_is_not_changed(tmp_path):
    inner = RowBoxes(64, *(np.full((2, 2), float(value)) for value in range(2)))
    content = CorrectionSearch(np.arange(3.0), np.empty((0, 2), np.int32), inner, None)
    file = write_arrays(str(tmp_path / "file"), content)
    mapped = map_arrays(pickle.loads(pickle.dumps(file)))
    np.testing.assert_array_equal(mapped.dual, content.dual)
    assert mapped.net_dual.shape == (0, 2)
    assert (mapped.boxes.rows_per_box, mapped.effort) == (64, None)
    np.testing.assert_array_equal(mapped.boxes.high, inner.high)
    mapped.dual[0] = 9.0
    np.testing.assert_array_equal(map_arrays(file).dual, content.dual)


@pytest.mark.parametrize("k", [1, 5, 8])
def test_short_tables_need_no_workers(k):
    X = np.random.default_rng(0).normal(size=(8, 2))
    assert scale.lower_bound(X, k, client=None) == lower_bound(X, k, "blocks")


def test_equal_records_have_the_bound_zero():
    assert scale.lower_bound(np.ones((20, 2)), 3, client=InThisProcess()) == 0


@pytest.mark.parametrize(("options", "name"), [({"k": 0}, "k"), ({"k": 2, "budget": -1}, "budget")])
def test_a_wrong_option_is_refused(options, name):
    with raises(ParameterError, "parameter-not-accepted", parameter=name):
        scale.lower_bound([[0.0], [1.0]], **options)


def test_a_table_shorter_than_k_is_refused():
    with raises(InputError, "too-few-records", k=5, records=2):
        scale.lower_bound([[0.0], [1.0]], 5)
