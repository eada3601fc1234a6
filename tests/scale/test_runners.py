"""Dask and a pool of processes behind one interface: the same files, and clean failures."""

import contextlib
import multiprocessing
import os
import subprocess
import sys
import time
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from clusters import at_stages, people, write_files
from raising import raises
from shoal import Plan, scale
from shoal import _progress as progress
from shoal.errors import ClusterError, FileError, ParameterError
from shoal.partitioners import MDAV
from shoal.scale.runners import process_pool
from shoal.scale.runners.dask_cluster import DaskRunner
from shoal.scale.runners.runner import Runner, open_runner, run_stage

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")

PLAN = Plan.of(["age", "height", "job"], MDAV(k=4), within="region", other_columns="release")
WITHOUT_DASK = """
import sys, warnings
sys.modules["dask"] = sys.modules["distributed"] = None  # also in the processes of the pool
warnings.simplefilter("ignore")
from shoal import Plan, scale
from shoal.partitioners import MDAV

if __name__ == "__main__":
    source, target = sys.argv[1:]
    plan = Plan.of(["age", "height", "job"], MDAV(k=4), within="region", other_columns="release")
    scale.mask(source, plan, target, client="processes:1", chunk_size=500)
"""


@pytest.fixture(scope="module")
def pool():
    with scale.ProcessPool(n_jobs=2) as pool:
        yield pool


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return write_files(people(2000).drop(["name"]), tmp_path_factory.mktemp("people") / "in")


@pytest.fixture(scope="module")
def by_dask(client, source, tmp_path_factory):
    target = tmp_path_factory.mktemp("dask") / "out"
    return scale.mask(source, PLAN, target, client=client, chunk_size=500)


def content(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def test_both_runners_have_the_interface(client, pool):
    assert isinstance(pool, Runner)
    assert isinstance(DaskRunner(client), Runner)
    assert not isinstance(client, Runner)
    with open_runner(pool) as same:
        assert same is pool


def test_a_pool_without_dask_writes_the_same_bytes(by_dask, source, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(WITHOUT_DASK)
    arguments = [sys.executable, str(script), str(source), str(tmp_path / "out")]
    result = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert not result.returncode, result.stderr
    assert content(tmp_path / "out") == content(by_dask.target)


def test_a_pool_whose_process_is_killed_writes_the_same_bytes(by_dask, source, pool, tmp_path):
    def kill():
        multiprocessing.active_children()[0].kill()

    with at_stages(kill, "grouping"):
        release = scale.mask(source, PLAN, tmp_path / "out", client=pool, chunk_size=500)
    assert content(release.target) == content(by_dask.target)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_an_interrupt_ends_the_processes_and_not_only_the_wait():
    def interrupt(stage, done, total):
        if done:
            raise KeyboardInterrupt

    with scale.ProcessPool(2) as pool:
        with progress.reporting_to(interrupt), pytest.raises(KeyboardInterrupt):
            list(run_stage(pool, "grouping", time.sleep, [(0.01,), (3600,), (3600,)], [1, 1, 1]))
        assert not pool._processes
        assert list(run_stage(pool, "grouping", abs, [(-1,)], [1])) == [(0, 1)]


def test_a_task_that_ends_every_process_ends_the_run(monkeypatch):
    monkeypatch.setattr(process_pool, "MAX_LOSSES", 1)
    with scale.ProcessPool(2) as pool:
        with raises(ClusterError, "workers-died", exit_codes=[3]):
            list(run_stage(pool, "writing", os._exit, [(3,)], [1]))
        assert sorted(run_stage(pool, "writing", abs, [(-1,), (-2,)], [1, 1])) == [(0, 1), (1, 2)]


def wait_until_broken(pool):
    with contextlib.suppress(BrokenProcessPool):
        for _ in range(10_000):
            pool._executor.submit(abs, 0)
            time.sleep(0.01)
        pytest.fail("the pool does not notice that its process was killed")


def test_a_process_that_is_killed_between_two_tasks_changes_nothing():
    with scale.ProcessPool(1) as pool:
        results = run_stage(pool, "writing", abs, [(-1,), (-2,)], [1, 1])
        first = next(results)
        assert not pool._running
        pool._processes[0].kill()
        wait_until_broken(pool)
        assert [first, *results] == [(0, 1), (1, 2)]


def test_an_error_of_a_task_is_raised_unchanged_and_ends_the_other_tasks():
    with scale.ProcessPool(2) as pool:
        with pytest.raises(FileNotFoundError):
            list(run_stage(pool, "writing", os.stat, [("",)], [1]))
        assert list(run_stage(pool, "writing", int, [("1",)], [1])) == [(0, 1)]


def test_progress_is_reported_while_nothing_completes(monkeypatch):
    monkeypatch.setattr(process_pool, "HEARTBEAT", 0.01)
    reports = []
    with (
        progress.reporting_to(lambda *report: reports.append(report)),
        scale.ProcessPool(1) as pool,
    ):
        list(run_stage(pool, "writing", time.sleep, [(0.2,)], [5]))
    assert reports.count(("writing", 0, 5)) > 2
    assert reports[-1] == ("writing", 5, 5)


def test_processes_that_do_not_start_are_reported_as_such(monkeypatch):
    monkeypatch.setattr(process_pool, "worker_status", os._exit)
    monkeypatch.setattr(process_pool, "MAX_LOSSES", 0)
    with (
        scale.ProcessPool(1) as pool,
        raises(ClusterError, "cluster-not-started", exit_codes=[1]),
    ):
        pool.check(1)


def test_a_missing_folder_is_reported_as_not_shared(pool, tmp_path):
    pool.check(str(tmp_path))
    with raises(ClusterError, "folder-not-shared"):
        pool.check(str(tmp_path / "none"))


def test_a_dask_frame_needs_dask(pool, tmp_path):
    import dask.dataframe as frames

    frame = frames.from_pandas(people(40).drop(["name"]).to_pandas(), npartitions=2)
    with raises(ParameterError, "frame-needs-dask", parameter="client"):
        scale.mask(frame, PLAN, tmp_path / "out", client=pool)


@pytest.mark.parametrize("n_jobs", [0, "two", 1.5])
def test_a_number_of_processes_is_a_whole_number(n_jobs):
    with raises(ParameterError, "parameter-not-accepted", parameter="n_jobs"):
        scale.ProcessPool(n_jobs)


def test_a_damaged_file_is_named_by_a_pool_too(pool, tmp_path):
    folder = write_files(people(40).drop(["name"]), tmp_path / "in", files=2)
    (folder / "1.parquet").write_bytes(b"nothing of the kind")
    with raises(FileError, "file-damaged", file="1.parquet"):
        scale.mask(folder, PLAN, tmp_path / "out", client=pool)
    assert [path.name for path in tmp_path.iterdir()] == ["in"]
