"""Local Dask clusters, and small tables in many files to mask on them."""

import os
import time
from contextlib import contextmanager, suppress

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from shoal import _progress as progress
from shoal import scale
from shoal.scale.runners.dask_cluster import LOST_WORKER_SETTING
from skipping import skip_or_fail_in_ci

try:
    import dask
    from distributed import Client, LocalCluster
except ImportError:
    Client = LocalCluster = None


PATIENCE = 600  # seconds until a killed worker must be replaced, also on a busy machine


def cluster(workers, **options):
    """Return a local cluster, whose workers import the same modules as this process."""
    if LocalCluster is None:
        skip_or_fail_in_ci("It needs Dask: pip install 'shoal[scale]'.")
    # On a busy machine it takes long to replace a killed worker.
    dask.config.set({LOST_WORKER_SETTING: "600s"})
    if options.get("processes", True):
        fork_workers()
        options = {"env": dict(os.environ), **options}
    options = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", **options}
    return LocalCluster(n_workers=workers, silence_logs=50, **options)


def fork_workers():
    """Fork workers from a server that has imported their modules, which saves time."""
    if LocalCluster is None:
        return
    dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"})
    with suppress(ImportError):  # versions before 2026 call it otherwise
        from distributed.utils import get_mp_context

        get_mp_context().set_forkserver_preload(
            ["distributed", "shoal.scale.microaggregation.masked_blocks"]
        )


def lose_connection(dask_worker):
    """Close the connection between a worker and its scheduler, as a network failure does."""
    dask_worker.batched_stream.comm.abort()


def people(n=3000, seed=0):
    """Return a table with columns of every kind, ties, and regions as strata."""
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "name": [f"p{i}" for i in range(n)],
            "age": rng.integers(18, 90, n),
            "height": rng.normal(170, 9, n).round(1),
            "job": rng.choice(["baker", "clerk", "nurse", "smith"], n, p=[0.4, 0.3, 0.2, 0.1]),
            "born": pa.array(rng.integers(0, 9000, n).astype("datetime64[D]")),
            "region": rng.choice(["north", "south"], n),
            "ill": rng.choice(["no", "yes"], n, p=[0.8, 0.2]),
        }
    )


def write_files(table, folder, files=3, row_group_size=400):
    """Write a table to Parquet files in a new folder; return the folder."""
    folder.mkdir(parents=True)
    edges = np.linspace(0, len(table), files + 1).astype(int)
    for i, (start, stop) in enumerate(zip(edges[:-1], edges[1:], strict=True)):
        path = folder / f"{i}.parquet"
        pq.write_table(table.slice(start, stop - start), path, row_group_size=row_group_size)
    return folder


def masked_in_two_orders(table, plan, folder, client, **options):
    """Mask a table in one file, and its shuffled records in two files; return both releases."""
    shuffled = table.take(np.random.default_rng(2).permutation(len(table)))
    return [
        scale.mask(
            write_files(records, folder / f"in{i}", i + 1, 60), plan, folder / f"out{i}",
            client=client, **options,
        )
        for i, records in enumerate((table, shuffled))
    ]  # fmt: skip


@contextmanager
def at_stages(action, *stages):
    """Call ``action`` once in each stage of the enclosed code, after its first task."""
    remaining = list(stages)

    def listener(stage, done, total):
        if stage in remaining and 0 < done < total:
            remaining.remove(stage)
            action()

    with progress.reporting_to(listener):
        yield
    assert not remaining


def wait_for_two_workers(client):
    """Wait until two workers answer, since an earlier test may have killed one.

    Their nannies must have registered them too: a worker that is killed during its start is not
    always replaced.
    """
    deadline = time.monotonic() + PATIENCE
    while len(worker_pids(client)) < 2 or not all(
        map(has_running_worker, client.cluster.workers.values())
    ):
        nannies = {name: nanny.status.name for name, nanny in client.cluster.workers.items()}
        assert len(nannies) == 2, f"the cluster does not replace a worker: {nannies}"
        assert time.monotonic() < deadline, f"not two workers after {PATIENCE} seconds: {nannies}"
        time.sleep(0.1)


def has_running_worker(nanny):
    return nanny.process is not None and nanny.process.status.name == "running"


def worker_pids(client):
    """Return the process ids of the workers that answer."""
    return sorted(client.run(os.getpid, on_error="ignore").values())
