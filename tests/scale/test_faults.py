"""Dying workers, full disks and damaged files: a correct release, or none."""

import os
import resource
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from clusters import (
    PATIENCE,
    Client,
    at_stages,
    cluster,
    lose_connection,
    people,
    wait_for_two_workers,
    worker_pids,
    write_files,
)
from raising import raises
from shoal import Plan, scale
from shoal.errors import ClusterError, FileError
from shoal.partitioners import MDAV
from shoal.scale.runners import dask_cluster
from shoal.scale.runners.runner import run_stage

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning"),
]

PLAN = Plan.of(["age", "height"], MDAV(k=4), other_columns="release")
SOURCE = Path(__file__).parents[2] / "src"


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return write_files(people().drop(["name"]), tmp_path_factory.mktemp("people") / "in")


@pytest.fixture(scope="module")
def undisturbed(processes, source, tmp_path_factory):
    target = tmp_path_factory.mktemp("right") / "out"
    return scale.mask(source, PLAN, target, client=processes, chunk_size=500)


def hashes(release):
    return [(entry["name"], entry["sha256"]) for entry in release.files]


def test_a_run_whose_workers_are_killed_gives_the_same_files(
    processes, undisturbed, source, tmp_path
):
    def kill():
        wait_for_two_workers(processes)
        os.kill(worker_pids(processes)[0], signal.SIGKILL)

    with at_stages(kill, "grouping", "writing"):
        release = scale.mask(source, PLAN, tmp_path / "out", client=processes, chunk_size=500)
    assert hashes(release) == hashes(undisturbed)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["_SUCCESS", *(name for name, _ in hashes(release))]


def test_a_local_cluster_waits_for_a_worker_that_comes_back_late(monkeypatch):
    import dask

    # As if every start took longer than Dask waits.
    settings = {dask_cluster.LOST_WORKER_SETTING: "0.01s"}
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    with dask.config.set(settings), dask_cluster.connect(None) as client:
        wait_for_two_workers(client)
        earlier_pids = worker_pids(client)
        os.kill(earlier_pids[0], signal.SIGKILL)
        while earlier_pids[0] in worker_pids(client):
            time.sleep(0.1)
        wait_for_two_workers(client)
        assert earlier_pids[1] in worker_pids(client)


def test_a_run_one_of_whose_workers_loses_the_connection_gives_the_same_files(
    undisturbed, source, tmp_path
):
    with cluster(2) as local_cluster, Client(local_cluster, set_as_default=False) as client:

        def cut_connection():
            first_worker = sorted(client.scheduler_info()["workers"])[:1]
            client.run(lose_connection, workers=first_worker, on_error="ignore")

        with at_stages(cut_connection, "grouping"):
            release = scale.mask(source, PLAN, tmp_path / "out", client=client, chunk_size=500)
        assert len(client.scheduler_info()["workers"]) == 1
    assert hashes(release) == hashes(undisturbed)


@pytest.mark.parametrize("size", [2_000, 9_000])
def test_a_full_disk_leaves_no_files(size, processes, source, tmp_path):
    wait_for_two_workers(processes)
    unlimited = resource.RLIM_INFINITY
    processes.run(resource.setrlimit, resource.RLIMIT_FSIZE, (size, unlimited))
    try:
        with raises(FileError, "cannot-write"):
            scale.mask(source, PLAN, tmp_path / "out", client=processes, chunk_size=500)
    finally:
        processes.run(resource.setrlimit, resource.RLIMIT_FSIZE, (unlimited, unlimited))
    assert not list(tmp_path.iterdir())


def damage(path, damage_kind):
    content = bytearray(path.read_bytes())
    if damage_kind == "cut off":
        del content[len(content) // 2 :]
    elif damage_kind == "no Parquet":
        content = b"nothing of the kind"
    else:
        content[300:320] = bytes(20)
    path.write_bytes(content)


@pytest.mark.parametrize("damage_kind", ["cut off", "no Parquet", "bits flipped"])
def test_a_damaged_file_is_named_and_no_files_are_left(damage_kind, processes, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("a", "b", "c"):
        table = pa.table({"age": np.random.default_rng(0).normal(size=500)})
        pq.write_table(table, folder / f"{name}.parquet", write_page_checksum=True)
    damage(folder / "b.parquet", damage_kind)
    with raises(FileError, "file-damaged", file="b.parquet"):
        scale.mask(
            folder,
            Plan.of(["age"], MDAV(k=4), other_columns="release"),
            tmp_path / "out",
            client=processes,
        )
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


def test_a_task_that_kills_every_worker_ends_the_run(processes, monkeypatch, source, tmp_path):
    monkeypatch.setattr("shoal.scale.microaggregation.run.MicroaggregationRun._write_shards", _die)
    with pytest.raises(ClusterError) as caught:
        scale.mask(source, PLAN, tmp_path / "out", client=processes, chunk_size=500)
    assert caught.value.code == "workers-died"
    assert 1 in caught.value.attributes["exit_codes"]  # on a busy machine Dask may kill others
    assert not list(tmp_path.iterdir())


def _die(run, blocks):
    return dict(run_stage(run.runner, "writing", os._exit, [(1,)], [1]))


def test_a_cluster_without_workers_is_not_waited_for(monkeypatch, source, tmp_path):
    monkeypatch.setattr(dask_cluster, "NO_WORKER_TIMEOUT", 1.0)
    monkeypatch.setattr(dask_cluster, "FIRST_WORKER_TIMEOUT", 0.5)
    with cluster(1, processes=False) as release, Client(release, set_as_default=False) as client:
        with (
            at_stages(lambda: release.scale(0), "counting"),
            raises(ClusterError, "no-workers"),
        ):
            scale.mask(source, PLAN, tmp_path / "out", client=client, chunk_size=500)
        with raises(ClusterError, "no-workers"):
            scale.mask(source, PLAN, tmp_path / "out", client=client)
    assert not list(tmp_path.iterdir())


def start_process(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-m", *arguments],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


@contextmanager
def scheduler(folder):
    """Start a scheduler and a worker, as people do on two machines; yield address and process."""
    file = folder / "scheduler.json"
    options = ["--scheduler-file", str(file), "--no-dashboard"]
    scheduler_process = start_process(
        "dask", "scheduler", "--host", "127.0.0.1", "--port", "0", *options, cwd=folder
    )
    worker = start_process("dask", "worker", *options, "--no-nanny", "--nthreads", "1", cwd=folder)
    try:
        import json

        deadline = time.monotonic() + PATIENCE
        while not (file.exists() and file.read_text().strip()):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        yield json.loads(file.read_text())["address"], scheduler_process
    finally:
        for process in (scheduler_process, worker):
            process.kill()
            process.communicate()


def test_a_scheduler_elsewhere_is_used_and_its_loss_is_reported(source, tmp_path):
    (tmp_path / "cluster").mkdir()
    with scheduler(tmp_path / "cluster") as (address, process):
        with Client(address, set_as_default=False) as client:
            client.wait_for_workers(1, timeout=PATIENCE)
        arguments = [
            "mask",
            str(source),
            str(tmp_path / "out"),
            "-c",
            "age",
            "-k",
            "4",
            "-m",
            "mdav",
        ]
        command = start_process("shoal", *arguments, "--scheduler", address)
        output, errors = command.communicate(timeout=PATIENCE)
        assert "3,000 records in" in output, errors
        with (
            at_stages(process.kill, "assigning cells"),
            raises(ClusterError, "cluster-lost"),
        ):
            scale.mask(source, PLAN, tmp_path / "lost", client=address, chunk_size=500)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cluster", "out"]


def test_a_table_several_times_larger_than_the_memory_of_the_workers_is_masked(tmp_path):
    (tmp_path / "in").mkdir()
    # Few records with long texts: what counts is the size in bytes.
    texts = pa.array([f"{number} " * 16_000 for number in range(50)])
    essays = pa.DictionaryArray.from_arrays(np.arange(2_000) % 50, texts)
    for number in range(20):
        values = np.random.default_rng(number).normal(size=2_000)
        pq.write_table(
            pa.table({"age": values, "essay": essays}), tmp_path / f"in/{number}.parquet"
        )
    limit = 850 * 2**20  # the libraries and the compiler alone take 500 MB
    assert 20 * essays.cast(pa.string()).nbytes > 2 * limit
    plan = PLAN.replace(
        roles={"essay": "non-confidential"}, steps=Plan.of(["age"], MDAV(k=4)).steps
    )
    with (
        cluster(1, memory_limit=limit) as local_cluster,
        Client(local_cluster, set_as_default=False) as client,
    ):
        earlier_pids = worker_pids(client)
        release = scale.mask(tmp_path / "in", plan, tmp_path / "out", client=client, chunk_size=500)
        assert worker_pids(client) == earlier_pids  # nobody was ended for lack of memory
        (status,) = client.run(Path.read_text, Path("/proc/self/status")).values()
    assert release.provenance["records"] == 40_000
    assert release.measures["smallest_class"] >= 4
    peak = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
    assert 1024 * peak < limit, peak / 1024  # compiling included


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "", "somewhere", "http://127.0.0.1:9"])
def test_an_address_without_a_scheduler_is_refused(address, monkeypatch, source, tmp_path):
    monkeypatch.setattr(dask_cluster, "SCHEDULER_TIMEOUT", 0.5)
    with raises(ClusterError, "no-scheduler"):
        scale.mask(source, PLAN, tmp_path / "out", client=address)


def test_ctrl_c_leaves_no_files(source, tmp_path):
    arguments = ["mask", str(source), str(tmp_path / "out"), "-c", "age", "-c", "height", "-k", "4"]
    command = start_process("shoal", *arguments, "-m", "mdav", "--chunk-size", "100")
    while not list(tmp_path.glob(".out.*.part/cells/*")) and command.poll() is None:
        time.sleep(0.01)
    command.send_signal(signal.SIGINT)
    _, errors = command.communicate()
    assert command.returncode == 130, errors
    assert "nothing was written" in errors
    assert not list(tmp_path.iterdir())
