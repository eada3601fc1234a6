"""Other packages on the same tables: time, memory, loss.

    python benchmarks/rivals.py                       a few minutes; writes results/rivals.json
    python benchmarks/rivals.py --seconds 10 --output rivals.json

Each package gets an environment of its own in the user's cache folder, made at the first run
with ``venv`` and ``pip``. Tables grow until one takes ``--seconds``, or until the next would
need more memory than the machine has free. A package that cannot be installed or
does not run is listed with the last line of its output.

anonypyx       ``MDAV-generic``. It requires a category column: all records have the same category.
k-means-constrained   ``size_min=k`` with n / k clusters, one start instead of its ten.
"""

import argparse
import os
import subprocess
import sys
import venv
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import harness
from generators import table

LENGTHS = [1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000]
KIND, WIDTH, K = "clustered", 13, 5
GROWTH = {"anonypyx": 2.0, "k-means-constrained": 2.4, "shoal mdav": 2.0, "shoal lloyd": 2.0}
# Bytes at the peak, as a multiple of n²: a float64 matrix and its copies; a cost per edge.
BYTES_PER_SQUARE = {"anonypyx": 32.0, "k-means-constrained": 64.0 / K}


def anonypyx(X, k):
    """Group by the MDAV of anonypyx; return labels."""
    import numpy as np
    import pandas as pd
    from anonypyx.microaggregation import MDAVGeneric

    data = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    data["same"] = pd.Categorical([0] * len(X))
    labels = np.empty(len(X), np.int64)
    for group, records in enumerate(MDAVGeneric(data, list(data.columns)).partition(k)):
        labels[np.asarray(records)] = group
    return labels


def k_means_constrained(X, k):
    """Group by k-means with a minimum size; return labels."""
    from k_means_constrained import KMeansConstrained

    model = KMeansConstrained(len(X) // k, size_min=k, n_init=1, random_state=0, n_jobs=1)
    return model.fit_predict(X)


def shoal(X, k, method):
    """Group by a method of Shoal; return labels."""
    from shoal.partitioners import METHODS

    return METHODS[method](k=k).fit_predict(X)


RUNS = {
    "anonypyx": anonypyx,
    "k-means-constrained": k_means_constrained,
    "shoal mdav": lambda X, k: shoal(X, k, "mdav"),
    "shoal lloyd": lambda X, k: shoal(X, k, "lloyd"),
}


def measure(rival, n):
    """Return the time, memory and loss of a package on one table; runs in its environment."""
    run = RUNS[rival]
    # A first call imports and compiles; which kernels Shoal needs depends on the length.
    run(table(KIND, 10_000 if rival.startswith("shoal") else 200, WIDTH), K)
    X = table(KIND, n, WIDTH)
    labels, seconds, extra_bytes = harness.time_run(lambda: run(X, K))
    try:
        release = version(rival.partition(" ")[0])
    except PackageNotFoundError:
        release = None
    return {
        "package": rival, "version": release, "kind": KIND, "n": n, "p": WIDTH, "k": K,
        "cpu_seconds": float(f"{seconds:.4g}"),
        "loss": round(harness.loss(X, labels), 4),
        "megabytes": None if extra_bytes is None else round((extra_bytes + X.nbytes) / 1e6, 1),
    }  # fmt: skip


def environment(package):
    """Return the Python of an environment with ``package``; create it if there is none."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "shoal-benchmarks" / f"{package}-{sys.version_info[0]}.{sys.version_info[1]}"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not (folder / "ready").exists():
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run(
            [python, "-m", "pip", "install", "--quiet", package],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        (folder / "ready").touch()
    return python


def free_memory():
    """Return the bytes that a process may take, or a cautious guess."""
    lines = Path("/proc/meminfo")
    if not lines.exists():
        return 4e9
    entries = dict(line.split(":") for line in lines.read_text().splitlines())
    return 1024 * int(entries["MemAvailable"].split()[0])


def measure_growing_tables(rival, seconds):
    """Yield measurements on longer and longer tables, then why they end."""
    fields = {"package": rival, "kind": KIND, "p": WIDTH, "k": K}
    try:
        python = sys.executable if rival.startswith("shoal") else environment(rival)
    except subprocess.CalledProcessError as error:
        yield {**fields, "stopped": f"not installed: {error.stderr.strip().splitlines()[-1]}"}
        return
    last = None
    for n in LENGTHS:
        if last and last["cpu_seconds"] * (n / last["n"]) ** GROWTH[rival] > seconds:
            yield {**fields, "stopped": f"n = {n} would take more than {seconds:g} s"}
            return
        if BYTES_PER_SQUARE.get(rival, 0) * n * n > free_memory():
            yield {**fields, "stopped": f"n = {n} needs more memory than is free"}
            return
        cases = [{"rival": rival, "n": n}]
        settings = harness.RETURN_FREED_MEMORY if rival.startswith("shoal") else {}
        last = next(harness.run_cases(__file__, cases, python=python, settings=settings), None)
        if last is None:
            yield {**fields, "stopped": f"n = {n} failed; its error is above"}
            return
        yield last


def main(arguments=None):
    """Measure all packages and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=90, help="CPU seconds a table may take")
    parser.add_argument("--rivals", nargs="+", default=list(RUNS), choices=list(RUNS))
    parser.add_argument("--output", type=Path, default=harness.HERE / "results" / "rivals.json")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.worker:
        harness.serve_cases(measure)
        return
    entries = [
        entry for entry in harness.load(options.output) if entry["package"] not in options.rivals
    ]
    for rival in options.rivals:
        for entry in measure_growing_tables(rival, options.seconds):
            print(entry, file=sys.stderr, flush=True)
            entries.append(entry)
            harness.save(options.output, entries)


if __name__ == "__main__":
    main()
