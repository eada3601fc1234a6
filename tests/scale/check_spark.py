"""Large tables on Apache Spark; ``make test-spark`` runs this where Java and pyspark are installed.

It is not among the tests that always run: a session takes ten seconds of CPU time to start.
"""

import os
import sys
from pathlib import Path

import pytest

from clusters import people, write_files
from raising import raises
from shoal import Plan, scale
from shoal import _progress as progress
from shoal.errors import ClusterError, FileError
from shoal.partitioners import MDAV
from shoal.scale.runners.runner import Runner, run_stage
from shoal.scale.runners.spark import SparkRunner

pytestmark = pytest.mark.filterwarnings("default")

PLAN = Plan.of(["age", "height", "job"], MDAV(k=4), within="region", unit="name",
               other_columns="release")  # fmt: skip


@pytest.fixture(scope="module")
def runner():
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    # Executors import tasks of this file, as pytest finds it.
    os.environ["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    session = (
        SparkSession.builder.master("local[2,2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield SparkRunner(session)
    session.stop()


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return write_files(people(2000), tmp_path_factory.mktemp("people") / "in")


def content(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def test_spark_writes_the_bytes_of_dask(runner, client, source, tmp_path):
    assert isinstance(runner, Runner)
    for name, where in (("spark", runner), ("dask", client)):
        scale.mask(source, PLAN, tmp_path / name, client=where, chunk_size=500)
    assert content(tmp_path / "spark") == content(tmp_path / "dask")


def die_once(folder):
    """Exit at the first call, and return at the second, as a task does whose worker was killed."""
    if not os.path.exists(f"{folder}/died"):  # noqa: PTH110
        Path(folder, "died").touch()
        os._exit(1)
    return "done"


def test_a_task_whose_worker_died_runs_again(runner, tmp_path):
    assert list(run_stage(runner, "writing", die_once, [(str(tmp_path),)], [1])) == [(0, "done")]


def test_a_task_that_ends_every_worker_ends_the_run(runner):
    with raises(ClusterError, "workers-died"):
        list(run_stage(runner, "writing", os._exit, [(1,)], [1]))
    assert list(run_stage(runner, "writing", abs, [(-1,)], [1])) == [(0, 1)]


def test_an_error_of_a_task_is_raised_unchanged(runner, source, tmp_path):
    folder = write_files(people(40), tmp_path / "in", files=2)
    (folder / "1.parquet").write_bytes(b"nothing of the kind")
    with raises(FileError, "file-damaged", file="1.parquet"):
        scale.mask(folder, PLAN, tmp_path / "out", client=runner)
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


def sleep_long():
    import time

    time.sleep(3600)


def test_an_interrupt_ends_the_jobs(runner):
    def interrupt(stage, done, total):
        if done:
            raise KeyboardInterrupt

    with progress.reporting_to(interrupt), pytest.raises(KeyboardInterrupt):
        list(run_stage(runner, "grouping", _either, [(0,), (1,), (1,)], [1, 1, 1]))
    assert list(run_stage(runner, "writing", abs, [(-1,)], [1])) == [(0, 1)]


def _either(which):
    return sleep_long() if which else None


def test_a_missing_folder_is_reported_as_not_shared(runner, tmp_path):
    with raises(ClusterError, "folder-not-shared"):
        runner.check(str(tmp_path / "none"))
