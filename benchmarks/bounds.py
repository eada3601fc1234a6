"""Certificates of long tables: how far the loss is from the bound, and what the bound costs.

    python benchmarks/bounds.py --records 1000 10000                    a minute
    python benchmarks/bounds.py --records 100000 --budget 1800          half an hour of CPU time
    python benchmarks/bounds.py --records 1000000 --budget 3600         three hours of CPU time
    python benchmarks/bounds.py --records 1000000 --quick               ten minutes of CPU time

Tables are drawn with 13 columns, k is 5. Each entry goes into docs/bounds.json: the loss in % of
the groups of ``auto``, the quick bound and that of ``effort="blocks"``, the gap between loss and
bound, CPU seconds of all threads for groups and bounds, and the greatest growth of memory during
the certificate, as a multiple of the table. If ``auto`` groups block by block, the loss after
refining these groups across all blocks and its gap are added. The kernels of the certificate are
compiled before. A budget in CPU seconds may end a certificate early, and ``--quick`` leaves it out.
Then docs/quality.md is written again. Set MALLOC_MMAP_THRESHOLD_=100000 on Linux, so that freed
memory does not count.
"""

import argparse
import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
STORE = HERE.parent / "docs" / "bounds.json"
sys.path.append(str(HERE))  # for the generators
COLUMNS, K = 13, 5


def measure(kind, n, budget=None, quick_only=False):
    """Return the entry of one table: losses, bounds, gaps, times and memory."""
    from generators import table
    from harness import machine, time_run
    from shoal.partitioners import METHODS, lower_bound
    from shoal.partitioners._base import sse
    from shoal.partitioners._dual_bound.certificate import certify
    from shoal.partitioners._dual_bound.executor import ThreadExecutor
    from shoal.partitioners._local_search.refine import refine
    from shoal.partitioners.blocked import Blocked

    entry = {"table": kind, "n": n, "p": COLUMNS, "k": K, "machine": machine()}
    certify(table(kind, 300, COLUMNS), K)  # compiled before the clock starts
    X = table(kind, n, COLUMNS)
    bound, seconds, extra_bytes = None, None, None
    if not quick_only:
        bound, seconds, extra_bytes = time_run(
            lambda: certify(X, K, budget=budget, executor=ThreadExecutor(1)), repeats=0
        )
    quick, quick_seconds, quick_extra_bytes = time_run(lambda: lower_bound(X, K), repeats=0)
    auto = METHODS["auto"](k=K, n_jobs=1)
    labels, group_seconds, _ = time_run(lambda: auto.fit_predict(X), repeats=0)
    loss = sse(X, labels)
    extra_bytes = quick_extra_bytes if extra_bytes is None else extra_bytes
    entry |= {
        "loss": round(100 * loss / X.size, 5), "group_seconds": round(group_seconds, 1),
        "quick": round(100 * quick / X.size, 5), "quick_gap": round(100 * (loss / quick - 1), 2),
        "quick_seconds": round(quick_seconds, 2),
        "memory": None if extra_bytes is None else round(extra_bytes / X.nbytes, 1),
    }  # fmt: skip
    best = quick
    if bound is not None:
        best = bound.bound
        entry |= {
            "bound": round(100 * best / X.size, 5), "gap": round(100 * (loss / best - 1), 2),
            "bound_seconds": round(seconds, 1), "budget": budget, "complete": bound.complete,
        }  # fmt: skip
    if isinstance(auto.chosen_, Blocked):
        refined = sse(X, refine(X, labels, K))
        entry["refined"] = round(100 * refined / X.size, 5)
        entry["refined_gap"] = round(100 * (refined / best - 1), 2)
    return entry


def main():
    """Measure the given tables and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", nargs="+", default=["clustered", "heavy-tailed", "gaussian"])
    parser.add_argument("--records", type=int, nargs="+", default=[10_000])
    parser.add_argument("--budget", type=float, help="CPU seconds of a certificate")
    parser.add_argument("--quick", action="store_true", help="the quick bound only")
    options = parser.parse_args()
    sys.path.insert(0, str(HERE.parent / "src"))
    for n in options.records:
        for kind in options.tables:
            entry = measure(kind, n, options.budget, options.quick)
            print(json.dumps(entry), flush=True)
            entries = json.loads(STORE.read_text()) if STORE.exists() else []
            entries = [other for other in entries if (other["table"], other["n"]) != (kind, n)]
            entries = sorted([*entries, entry], key=lambda other: (other["n"], other["table"]))
            STORE.write_text(json.dumps(entries, indent=1) + "\n")
    import quality

    quality.write_page()


if __name__ == "__main__":
    main()
