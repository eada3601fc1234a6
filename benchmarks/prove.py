"""How far a proof comes on the reference tables: loss, bound, gap.

    python benchmarks/prove.py --quick                 a minute: Census at k = 2 and 3
    python benchmarks/prove.py > results/prove.json    three tables, k = 2, 3, 4, 5, 10
    python benchmarks/prove.py -t eia -k 5 --budget 120

It prints JSON: machine, commit, and one entry per table and k. The budget is in CPU
seconds of the process, so that a busy machine gives the same figures. The start is
MDAV and, where it is there, refine. SHOAL_DATA names the folder of the tables.
"""

import argparse
import json
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "src"), str(HERE)]

import numpy as np  # noqa: E402

from harness import machine  # noqa: E402
from shoal import datasets  # noqa: E402
from shoal.partitioners import MDAV  # noqa: E402
from shoal.partitioners.prove import prove  # noqa: E402


def reference(name):
    """Return the z-scores of a reference table."""
    table = datasets.CATALOGUE[name].load(kind="pyarrow").select(datasets.COLUMNS[name])
    X = np.column_stack([column.to_numpy() for column in table.columns]).astype(np.float64)
    return (X - X.mean(axis=0)) / X.std(axis=0)


def start(Z, k):
    """Return the groups to start from."""
    labels = MDAV(k=k).fit_predict(Z)
    try:
        from shoal.partitioners.refine import refine
    except ImportError:
        return labels
    return refine(Z, labels, k)


def measure(name, k, budget):
    """Return how far a proof of one table came."""
    Z = reference(name)
    labels = start(Z, k)
    prove(Z[: 40 * k], start(Z[: 40 * k], k), k, budget=1)  # compiled code is warm
    begin = time.process_time()
    found = prove(Z, labels, k, budget=budget, clock=time.process_time)
    seconds = time.process_time() - begin
    total = float((Z**2).sum()) / 100
    return {
        "table": name, "k": k, "loss": round(found.sse / total, 6),
        "bound": round(found.bound / total, 6), "gap": round(100 * found.gap, 5),
        "optimal": found.optimal, "cpu_seconds": round(seconds, 1),
    }  # fmt: skip


def main():
    """Measure what the command line asks for and print it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a small part of it")
    parser.add_argument("-t", nargs="+", default=["tarragona", "census", "eia"])
    parser.add_argument("-k", type=int, nargs="+", default=[2, 3, 4, 5, 10])
    parser.add_argument("--budget", type=float, default=120.0)
    options = parser.parse_args()
    if options.quick:
        options.t, options.k, options.budget = ["census"], [2, 3], 20.0
    found = []
    for name in options.t:
        for k in options.k:
            found.append(measure(name, k, options.budget))
            print(found[-1], file=sys.stderr, flush=True)
    print(json.dumps({"machine": machine(), "budget": options.budget, "proofs": found}, indent=1))


if __name__ == "__main__":
    main()
