"""Clusters to mask large tables on; small tables in many files."""

import os
import time
from contextlib import contextmanager, suppress

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from needs import lacking
from shoal import _progress as progress
from shoal import scale
from shoal.scale.runners.dask_cluster import LOST_WORKER_SETTING

try:
    import dask
    from distributed import Client, LocalCluster
except ImportError:
    Client = LocalCluster = None


PATIENCE = 600  # seconds for a killed worker to come back, also on a busy machine


def cluster(workers, **options):
    """Return a local cluster; its workers find the sources as this process does."""
    if LocalCluster is None:
        lacking("It needs Dask: pip install 'shoal[scale]'.")
    # A killed worker may come late on a busy machine.
    dask.config.set({LOST_WORKER_SETTING: "600s"})
    if options.get("processes", True):
        fork_workers()
        options = {"env": dict(os.environ), **options}
    options = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", **options}
    return LocalCluster(n_workers=workers, silence_logs=50, **options)


def fork_workers():
    """Fork workers from a process that has imported what they need: each need not import it."""
    if LocalCluster is None:
        return
    dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"})
    with suppress(ImportError):  # before 2026 it had another name
        from distributed.utils import get_mp_context

        get_mp_context().set_forkserver_preload(
            ["distributed", "shoal.scale.microaggregation.masked_blocks"]
        )


def lose_connection(dask_worker):
    """Cut the line between a worker and its scheduler, as a network does."""
    dask_worker.batched_stream.comm.abort()


def people(n=3000, seed=0):
    """Return a table of every kind of column, with ties and with strata."""
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "name": [f"p{number}" for number in range(n)],
            "age": rng.integers(18, 90, n),
            "height": rng.normal(170, 9, n).round(1),
            "job": rng.choice(["baker", "clerk", "nurse", "smith"], n, p=[0.4, 0.3, 0.2, 0.1]),
            "born": pa.array(rng.integers(0, 9000, n).astype("datetime64[D]")),
            "region": rng.choice(["north", "south"], n),
            "ill": rng.choice(["no", "yes"], n, p=[0.8, 0.2]),
        }
    )


def write_files(table, folder, files=3, row_group_size=400):
    """Write a table to a folder, in several files; return the folder."""
    folder.mkdir(parents=True)
    borders = np.linspace(0, len(table), files + 1).astype(int)
    for number, (start, stop) in enumerate(zip(borders[:-1], borders[1:], strict=True)):
        path = folder / f"{number}.parquet"
        pq.write_table(table.slice(start, stop - start), path, row_group_size=row_group_size)
    return folder


def masked_in_two_orders(table, plan, folder, client, **options):
    """Mask a table in one file and, shuffled, in two; return both releases."""
    shuffled = table.take(np.random.default_rng(2).permutation(len(table)))
    return [
        scale.mask(
            write_files(records, folder / f"in{number}", number + 1, 60),
            plan,
            folder / f"out{number}",
            client=client,
            **options,
        )
        for number, records in enumerate((table, shuffled))
    ]


@contextmanager
def at_stages(action, *stages):
    """Call ``act`` once in each stage, when its first task has ended."""
    remaining = list(stages)

    def listener(stage, done, total):
        if stage in remaining and 0 < done < total:
            remaining.remove(stage)
            action()

    with progress.reporting_to(listener):
        yield
    assert not remaining


def wait_for_two_workers(client):
    """Wait until two workers answer: a test before may have ended one.

    Their nannies must know of them too: a worker that dies while it starts is not
    always started again.
    """
    deadline = time.monotonic() + PATIENCE
    while len(worker_pids(client)) < 2 or not all(map(is_running, client.cluster.workers.values())):
        nannies = {name: nanny.status.name for name, nanny in client.cluster.workers.items()}
        assert len(nannies) == 2, f"the cluster gave a worker up: {nannies}"
        assert time.monotonic() < deadline, f"no worker in {PATIENCE} seconds: {nannies}"
        time.sleep(0.1)


def is_running(nanny):
    return nanny.process is not None and nanny.process.status.name == "running"


def worker_pids(client):
    return sorted(client.run(os.getpid, on_error="ignore").values())
