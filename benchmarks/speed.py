"""How long MDAV takes, beside a plain compiled MDAV and one over a flat pool.

    python benchmarks/speed.py --quick             a minute: one width, one k, to 20,000 records
    python benchmarks/speed.py > speed.json        n to 100,000, p = 2, 6, 13, 30, k = 3, 5, 10, 50
    python benchmarks/speed.py -n 1000000 -p 13 -k 10 --kinds clustered

It prints JSON: machine, commit, and one entry per measurement with the CPU seconds
of one process on one core (the least of several runs where they are short), the
loss, the peak memory as a multiple of the table, and the ratio to the yardstick
where that was run. Each measurement has a process of its own; compiled code is
warm. Growth is the exponent of CPU time in n from one length to the next.
"""

import argparse
import json
import math
import os
import platform
import resource
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
SOURCE = HERE.parent / "src"
PLAIN_MOST = 5e10  # column differences: beyond so many, plain passes take minutes
REPEAT_BELOW = 1.0  # seconds
ENGINES = ("shoal", "yardstick", "flat")


def engine(name):
    """Return a function (table, k) -> labels."""
    if name == "shoal":
        from shoal.partitioners import MDAV

        return lambda X, k: MDAV(k=k).fit_predict(X)
    if name == "yardstick":
        from yardstick import mdav
    else:
        from flat import mdav
    return mdav


def peak_memory(forget=False):
    """Return the most bytes this process held; forget before what it held once, if Linux can."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    if forget:
        Path("/proc/self/clear_refs").write_text("5")
    lines = status.read_text().splitlines()
    return 1024 * next(int(x.split()[1]) for x in lines if x.startswith("VmHWM"))


def measure(name, kind, n, p, k):
    """Return what one measurement saw; meant for a process of its own."""
    import numpy as np

    from generators import table

    run = engine(name)
    run(table(kind, min(n, 10_000), p), k)  # what is compiled depends on the length
    X = table(kind, n, p)
    before = peak_memory(forget=True)
    start = time.process_time()
    labels = run(X, k)
    seconds = time.process_time() - start
    memory = peak_memory()
    for _ in range(4 if seconds < REPEAT_BELOW else 0):
        start = time.process_time()
        run(X, k)
        seconds = min(seconds, time.process_time() - start)
    sizes = np.bincount(labels)
    within = 0.0
    for column in X.T:
        means = np.bincount(labels, column) / sizes
        within += ((column - means[labels]) ** 2).sum()
    return {
        "engine": name, "kind": kind, "n": n, "p": p, "k": k,
        "cpu_seconds": round(seconds, 4),
        "loss": round(100 * within / X.size, 4),
        "memory": round((max(memory - before, 0) + X.nbytes) / X.nbytes, 2),
    }  # fmt: skip


def measure_apart(*case):
    """Measure in a fresh process on one core."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
                   "MALLOC_MMAP_THRESHOLD_": "100000",  # freed memory is given back, not kept
                   "PYTHONPATH": f"{SOURCE}{os.pathsep}{HERE}"}  # fmt: skip
    command = [sys.executable, __file__, "--one", *map(str, case)]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(result.stdout)


def machine():
    """Return what the figures depend on."""
    commit = subprocess.run(
        ["git", "-C", HERE, "describe", "--always", "--dirty"], capture_output=True, text=True
    ).stdout.strip()
    model = ""
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next((x.split(":")[1].strip() for x in lines if x.startswith("model name")), "")
    return {
        "commit": commit,
        "processor": model or platform.processor(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "system": platform.platform(),
        "python": platform.python_version(),
    }


def compare(kinds, lengths, widths, ks):
    """Yield all measurements, with ratios to the yardstick and growth in n."""
    for kind in kinds:
        for p in widths:
            for k in ks:
                last = None
                for n in lengths:
                    plain = n * n * p / k <= PLAIN_MOST
                    seen = {
                        e: measure_apart(e, kind, n, p, k) for e in ENGINES[: 3 if plain else 1]
                    }
                    ours = seen["shoal"]
                    if plain:
                        seconds = seen["yardstick"]["cpu_seconds"]
                        ours["times_faster"] = round(seconds / ours["cpu_seconds"], 2)
                    if last:
                        rise = math.log(ours["cpu_seconds"] / last["cpu_seconds"])
                        ours["growth"] = round(rise / math.log(n / last["n"]), 2)
                    last = ours
                    yield from seen.values()


def main():
    """Measure what the command line asks for and print it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a small part of it")
    parser.add_argument("--one", nargs=5, help=argparse.SUPPRESS)
    parser.add_argument("-n", type=int, nargs="+", default=[1000, 10_000, 50_000, 100_000])
    parser.add_argument("-p", type=int, nargs="+", default=[2, 6, 13, 30])
    parser.add_argument("-k", type=int, nargs="+", default=[3, 5, 10, 50])
    parser.add_argument("--kinds", nargs="+", default=["gaussian", "clustered", "heavy-tailed"])
    options = parser.parse_args()
    if options.one:
        name, kind, *numbers = options.one
        print(json.dumps(measure(name, kind, *map(int, numbers))))
        return
    if options.quick:
        options.n, options.p, options.k = [1000, 5000, 20_000], [13], [3]
    found = []
    for entry in compare(options.kinds, options.n, options.p, options.k):
        print(entry, file=sys.stderr)
        found.append(entry)
    print(json.dumps({"machine": machine(), "measurements": found}, indent=1))


if __name__ == "__main__":
    main()
