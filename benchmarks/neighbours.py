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
QUICK = 10_000  # records
PLAIN_MOST = 3e10  # differences of values, above which the plain MDAV is not run
PUBLISHED = harness.HERE / "results" / "neighbours.json"


def measure(kind, n, p):
    """Return one measurement."""
    from baseline import mdav
    from shoal._kernels.spatial import neighbours as module
    from shoal.partitioners import MDAV
    from shoal.partitioners._local_search.refine import refine

    least = module.MIN_DIFFERENCES
    MDAV(k=K).fit(table("gaussian", 12_000, 3))  # compiles the searches of the index
    warm = table("gaussian", 2000, 3)
    refine(warm, MDAV(k=K).fit_predict(warm), K)
    module.MIN_DIFFERENCES, module.MIN_RECORDS_PER_COLUMN = 0, 10**9
    module.neighbours(warm, NEAREST)  # compiles the products
    module.MIN_RECORDS_PER_COLUMN = 16
    mdav(warm, K)

    X = table(kind, n, p)
    labels, mdav_seconds = cpu(lambda: MDAV(k=K).fit_predict(X))
    plain = cpu(lambda: mdav(X, K))[1] if n * n * p / K <= PLAIN_MOST else None
    results, seconds = {}, {}
    for _ in range(REPEATS):
        for way, limit in (("index", 10**30), ("chosen", least)):
            module.MIN_DIFFERENCES = limit
            near, first = cpu(lambda: module.neighbours(X, NEAREST))
            refined, second = cpu(lambda: refine(X, labels, K))
            results[way] = near, refined
            seconds.setdefault(way, []).append((first, second))
    if not all(map(np.array_equal, results["index"], results["chosen"])):
        raise SystemExit(f"The two ways differ: {kind}, {n}, {p}")
    best = {way: np.min(times, axis=0) for way, times in seconds.items()}
    entry = {"kind": kind, "n": n, "p": p, "k": K, "mdav": mdav_seconds, "plain": plain}
    for way, (first, second) in best.items():
        entry |= {f"neighbours_{way}": float(first), f"refine_{way}": float(second)}
    return {key: float(f"{v:.3g}") if isinstance(v, float) else v for key, v in entry.items()}


def cpu(run):
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
    seen = {(e["kind"], e["n"], e["p"]): e for e in harness.load(options.output)}
    for case in CASES:
        if case[1] not in options.n or (options.quick and case[1] > QUICK):
            continue
        asked = dict(zip(("kind", "n", "p"), case, strict=True))
        for entry in harness.run_cases(__file__, [asked], settings={}):
            seen[case] = {**entry, "commit": harness.commit()}
            print(entry, file=sys.stderr, flush=True)
            harness.save(options.output, [seen[c] for c in CASES if c in seen])


if __name__ == "__main__":
    main()
