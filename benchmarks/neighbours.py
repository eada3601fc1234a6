"""The neighbours of all records and `refine`, through the index alone and with matrix products.

    python benchmarks/neighbours.py            six minutes
    python benchmarks/neighbours.py --quick    the short tables
    python benchmarks/neighbours.py -n 3000    tables of one length; the others are kept

Each entry has CPU seconds of one process on one core: of the 8 nearest others of all records
through the index (``index``) and as Shoal chooses (``chosen``), of `refine` with either, of MDAV,
and of a plain compiled MDAV (``plain``). The two ways alternate and must give equal results.
"""

import argparse
import sys
import time

import numpy as np

import harness
from generators import table

K, NEAREST, REPEATS = 5, 8, 2
CASES = [
    ("gaussian", 5000, 48), ("load-profiles", 5000, 48),
    ("gaussian", 5000, 200), ("load-profiles", 5000, 200), ("gaussian", 10_000, 200),
    ("gaussian", 3000, 2000), ("load-profiles", 3000, 2000),
    ("clustered", 30_000, 13), ("heavy-tailed", 30_000, 13), ("gaussian", 30_000, 13),
    ("gaussian", 100_000, 13),
]  # fmt: skip
MAX_QUICK_RECORDS = 10_000  # records
MAX_PLAIN_DIFFERENCES = 3e10  # differences of values, above which the plain MDAV is not run
PUBLISHED = harness.HERE / "results" / "neighbours.json"


def measure(kind, n, p):
    """Return one measurement."""
    from baseline import mdav
    from shoal._kernels.spatial import neighbours as module
    from shoal.partitioners import MDAV
    from shoal.partitioners._local_search.refine import refine

    default_limit = module.MIN_DIFFERENCES
    MDAV(k=K).fit(table("gaussian", 12_000, 3))  # compiles the searches of the index
    short_table = table("gaussian", 2000, 3)
    refine(short_table, MDAV(k=K).fit_predict(short_table), K)
    module.MIN_DIFFERENCES, module.MIN_RECORDS_PER_COLUMN = 0, 10**9
    module.neighbours(short_table, NEAREST)  # compiles the products
    module.MIN_RECORDS_PER_COLUMN = 16
    mdav(short_table, K)

    X = table(kind, n, p)
    labels, mdav_seconds = with_cpu_seconds(lambda: MDAV(k=K).fit_predict(X))
    plain_seconds = None
    if n * n * p / K <= MAX_PLAIN_DIFFERENCES:
        plain_seconds = with_cpu_seconds(lambda: mdav(X, K))[1]
    results, seconds_by_search = {}, {}
    for _ in range(REPEATS):
        for search, limit in (("index", 10**30), ("chosen", default_limit)):
            module.MIN_DIFFERENCES = limit
            nearest, neighbour_seconds = with_cpu_seconds(lambda: module.neighbours(X, NEAREST))
            refined_labels, refine_seconds = with_cpu_seconds(lambda: refine(X, labels, K))
            results[search] = nearest, refined_labels
            seconds_by_search.setdefault(search, []).append((neighbour_seconds, refine_seconds))
    if not all(map(np.array_equal, results["index"], results["chosen"])):
        raise SystemExit(f"The two ways differ: {kind}, {n}, {p}")
    least_seconds = {search: np.min(times, axis=0) for search, times in seconds_by_search.items()}
    entry = {"kind": kind, "n": n, "p": p, "k": K, "mdav": mdav_seconds, "plain": plain_seconds}
    for search, (neighbour_seconds, refine_seconds) in least_seconds.items():
        entry[f"neighbours_{search}"] = float(neighbour_seconds)
        entry[f"refine_{search}"] = float(refine_seconds)
    return {
        key: float(f"{value:.3g}") if isinstance(value, float) else value
        for key, value in entry.items()
    }


def with_cpu_seconds(run):
    """Return a result and its CPU seconds."""
    start = time.process_time()
    result = run()
    return result, time.process_time() - start


def main(arguments=None):
    """Measure all cases, each in its own process."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="short tables alone")
    parser.add_argument("-n", type=int, nargs="+", default=sorted({n for _, n, _ in CASES}))
    options = harness.parse(parser, arguments, PUBLISHED, measure)
    entry_by_case = {(e["kind"], e["n"], e["p"]): e for e in harness.load(options.output)}
    for case in CASES:
        if case[1] not in options.n or (options.quick and case[1] > MAX_QUICK_RECORDS):
            continue
        arguments_of_case = dict(zip(("kind", "n", "p"), case, strict=True))
        for entry in harness.run_cases(__file__, [arguments_of_case], settings={}):
            entry_by_case[case] = {**entry, "commit": harness.commit()}
            print(entry, file=sys.stderr, flush=True)
            harness.save(options.output, [entry_by_case[c] for c in CASES if c in entry_by_case])


if __name__ == "__main__":
    main()
