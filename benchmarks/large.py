"""How long large tables take on a local Dask cluster, and how much memory its workers need.

    python benchmarks/large.py --quick                   a minute: 100,000 records
    python benchmarks/large.py -n 100000 1000000         growth, and Dask beside joblib
    python benchmarks/large.py -n 10000000               minutes; needs about 5 GB of disk
    python benchmarks/large.py --borders                 what the borders of blocks cost
    python benchmarks/large.py --plot                    draw what was measured

Results go to ``--output`` after each measurement, as JSON with machine and commit. The table is
clustered, 13 columns, k = 5, in Parquet files of 100,000 records; it is written before the
clock starts. Seconds are wall time, from opening the files to the renamed folder; the cluster has a
process for each core and its kernels are compiled. Memory is the greatest peak of a worker.
``joblib`` is `Blocked` on the same table in memory, with its loss and its time without reading,
measuring or writing.
"""

import argparse
import itertools
import os
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

import harness

LENGTHS = [100_000, 1_000_000, 10_000_000]
METHODS = {
    "auto": {"k": 5},
    "mdav": {"k": 5, "block_size": 5000, "seams": "keep"},
}
KINDS = ["clustered", "heavy-tailed", "gaussian"]
P = 13
COLUMNS = [2, 4, 6, P]  # numbers of columns of the tables whose borders are measured
RECORDS_PER_FILE = 100_000
MAX_JOBLIB_RECORDS = 1_000_000  # longer tables are measured only with Dask
PUBLISHED = harness.HERE / "results" / "large.json"
KEY = ("engine", "method", "n", "p")


def table_piece(number):
    """Return one file's worth of a table: around the same centres, other records."""
    rng = np.random.default_rng(0)
    weights = rng.dirichlet(np.ones(100))
    centres = 3.0 * rng.normal(size=(100, P))
    widths = rng.uniform(0.2, 1.0, size=(100, 1))
    rng_of_piece = np.random.default_rng([1, number])
    cluster = rng_of_piece.choice(100, size=RECORDS_PER_FILE, p=weights)
    return centres[cluster] + widths[cluster] * rng_of_piece.normal(size=(RECORDS_PER_FILE, P))


def write_table(folder, n):
    """Write a table of ``n`` records to a folder."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir()
    for number in range(n // RECORDS_PER_FILE):
        X = table_piece(number)
        table = pa.table({f"c{j}": X[:, j] for j in range(P)})
        pq.write_table(table, folder / f"{number:05d}.parquet")


def partitioner(method):
    """Return the partitioner of a case."""
    from shoal.partitioners import partitioner as by_name

    return by_name(method, METHODS[method])


def measure_joblib(method, n):
    """Measure `Blocked` on a table in memory."""
    from shoal.partitioners import Blocked

    X = np.concatenate([table_piece(number) for number in range(n // RECORDS_PER_FILE)])
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    blocked = Blocked(k=5) if method == "auto" else partitioner(method)
    blocked.fit(X[:20_000])
    memory_before, start, cpu_start = (
        harness.peak_memory(reset=True),
        time.monotonic(),
        time.process_time(),
    )
    labels = blocked.fit_predict(X)
    return {
        "seconds": round(time.monotonic() - start, 2),
        "cpu_seconds": round(time.process_time() - cpu_start, 2),
        "megabytes": round((harness.peak_memory() - memory_before + X.nbytes) / 2**20),
        "loss": round(harness.loss(X, labels), 4),
    }


def measure_dask(method, n, folder):
    """Measure a whole run, from files to files."""
    from distributed import Client, LocalCluster

    from shoal import Plan, scale
    from shoal import _progress as progress
    from shoal.errors import ShoalWarning

    write_table(folder / "in", n)
    plan = Plan.of([f"c{j}" for j in range(P)], partitioner(method))
    stages, last = {}, ["", time.monotonic()]

    def record_stage(stage, done, total):
        now = time.monotonic()
        if stage != last[0]:
            last[:] = [stage, now]
        stages[stage] = round(now - last[1], 2)

    warnings.simplefilter("ignore", ShoalWarning)
    options = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "silence_logs": 50}
    with LocalCluster(n_workers=os.cpu_count(), **options) as cluster, Client(cluster) as client:
        client.run(compile_kernels, method)
        client.run(harness.peak_memory, reset=True)
        before = max(client.run(harness.peak_memory).values())
        cpu = sum(client.run(time.process_time).values())
        start = time.monotonic()
        with progress.reporting_to(record_stage):
            release = scale.mask(folder / "in", plan, folder / "out", client=client)
        seconds = time.monotonic() - start
        peak = max(client.run(harness.peak_memory).values())
        cpu = sum(client.run(time.process_time).values()) - cpu
    assert release.measures["smallest_class"] >= 5
    return {
        "seconds": round(seconds, 2),
        "cpu_seconds": round(cpu, 2),
        "rows_per_second": round(n / seconds),
        "megabytes": round(peak / 2**20),
        "idle_megabytes": round(before / 2**20),
        "client_megabytes": round(harness.peak_memory() / 2**20),
        "loss": round(release.measures["information_loss"], 4),
        "linkage": round(release.measures["linkage"], 4),
        "blocks": release.provenance["blocks"],
        "stages": stages,
    }


def measure_borders(kind, n, p):
    """Measure the loss of blocks against that of MDAV on the whole table, as ratios."""
    from generators import table
    from shoal.partitioners import MDAV, Blocked

    X = table(kind, n, p)
    mdav_loss = harness.loss(X, MDAV(k=5).fit_predict(X))
    loss_with_seams_kept, loss_with_seams_refined = (
        harness.loss(X, Blocked(k=5, seams=seams).fit_predict(X)) / mdav_loss
        for seams in ("keep", "refine")
    )
    return {
        "loss": round(mdav_loss, 4),
        "keep": round(loss_with_seams_kept, 4),
        "refine": round(loss_with_seams_refined, 4),
    }


def compile_kernels(method):
    """Compile what a worker needs, as the first task of a long-lived cluster would."""
    from shoal.metrics.risk.linkage import linkage_chances
    from shoal.scale.microaggregation.grouping import single_threaded

    X = table_piece(0)[:20_000]
    single_threaded(partitioner(method), 200_000).fit(X)
    linkage_chances(X, X + 0.1, np.arange(20))


def measure(engine, method, n, p, scratch=None):
    """Return one measurement."""
    if engine == "joblib":
        figures = measure_joblib(method, n)
    elif engine == "borders":
        figures = measure_borders(method, n, p)
    else:
        with tempfile.TemporaryDirectory(dir=scratch) as folder:
            figures = measure_dask(method, n, Path(folder))
    return {"engine": engine, "method": method, "n": n, "p": p, **figures}


def run(options):
    """Measure the given cases; in the results, they replace older measurements."""
    commit = harness.commit()
    entry_by_case = {tuple(e[name] for name in KEY): e for e in harness.load(options.output)}
    cases = itertools.product(options.methods, options.n, [P], ("joblib", "dask"))
    if options.borders:
        cases = itertools.product(KINDS, [100_000], COLUMNS, ["borders"])
    for method, n, p, engine in cases:
        if engine == "joblib" and n > MAX_JOBLIB_RECORDS:
            continue
        case = {"engine": engine, "method": method, "n": n, "p": p, "scratch": options.scratch}
        for entry in harness.run_cases(__file__, [case], settings={}):
            entry_by_case[engine, method, n, p] = {**entry, "commit": commit}
            print(entry, file=sys.stderr, flush=True)
            ordered = sorted(entry_by_case, key=lambda key: (key[1], key[2], key[3], key[0]))
            harness.save(options.output, [entry_by_case[key] for key in ordered])


def main(arguments=None):
    """Measure, or draw what was measured."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="only the shortest table")
    parser.add_argument("--borders", action="store_true", help="what borders cost; no cluster")
    parser.add_argument("--plot", action="store_true", help="draw; measure nothing")
    parser.add_argument("--output", type=Path, default=PUBLISHED)
    parser.add_argument("--scratch", help="folder for tables and releases; by default the system's")
    parser.add_argument("-n", type=int, nargs="+", default=LENGTHS)
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.quick:
        options.n, options.output = LENGTHS[:1], Path(tempfile.gettempdir()) / "large.json"
    if options.worker:
        harness.serve_cases(measure)
    elif options.plot:
        from pictures import draw_large_tables

        draw_large_tables(harness.load(options.output))
    else:
        run(options)


if __name__ == "__main__":
    main()
