"""How long MDAV takes, beside a plain compiled MDAV.

    python benchmarks/speed.py --quick                    a minute: one width, one k, short tables
    python benchmarks/speed.py --cut                      what is published: a quarter of an hour
    python benchmarks/speed.py                            the whole grid: hours
    python benchmarks/speed.py --wide                     48 to 2,000 columns, beside plain passes
    python benchmarks/speed.py -n 1000000 -p 13 -k 10 --kinds clustered
    python benchmarks/speed.py --plot docs/pictures/growth.svg     draw what was measured

Results go to ``--output`` after each measurement, as JSON with machine and commit; an interrupted
run continues where it stopped. Each entry has the CPU seconds of one process on one core (the least
of several runs if they are short), the loss, and the peak memory as a multiple of the table; those
of Shoal also the ratio to the baseline if that was run, and the growth: the exponent of CPU time in
n since the next shorter table. A measurement is left out if it is expected to take longer than
``--most`` seconds.
"""

import argparse
import itertools
import math
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

import harness

LENGTHS = [1000, 10_000, 50_000, 100_000, 1_000_000]
WIDTHS = [2, 6, 13, 30]
KS = [3, 5, 10, 50]
KINDS = ["gaussian", "clustered", "heavy-tailed"]
MAX_SHORT = 100_000  # tables of up to so many records are measured in one process
MAX_PLAIN_DIFFERENCES = 5e10  # differences of values; with more, plain passes take minutes
WIDE = {
    "n": [15_000], "p": [48, 480, 2000], "k": [10], "engines": ["shoal", "flat"],
    "kinds": ["gaussian", "clustered", "load-profiles"],
}  # fmt: skip
PUBLISHED = harness.HERE / "results" / "speed.json"


class Case(NamedTuple):
    """What is measured: an engine, and the kind, the size and the k of a table."""

    engine: str
    kind: str
    n: int
    p: int
    k: int


KEY = Case._fields


def engine(name):
    """Return a function (table, k) -> labels."""
    if name == "shoal":
        from shoal.partitioners import MDAV

        return lambda X, k: MDAV(k=k).fit_predict(X)
    if name == "baseline":
        from baseline import mdav
    else:
        from flat import mdav
    return mdav


@cache
def compiled_engine(name, p):
    """Return an engine after runs that compile it, for short and for long tables."""
    from generators import table

    run = engine(name)
    for n in (500, 10_000):
        run(table("gaussian", n, p), 3)
    return run


def measure(engine_name, kind, n, p, k):
    """Return one measurement."""
    from generators import table

    run = compiled_engine(engine_name, p)
    X = table(kind, n, p)
    labels, seconds, extra_bytes = harness.time_run(lambda: run(X, k))
    return {
        "engine": engine_name, "kind": kind, "n": n, "p": p, "k": k,
        "cpu_seconds": float(f"{seconds:.4g}"),
        "loss": round(harness.loss(X, labels), 4),
        "memory": None if extra_bytes is None else round((extra_bytes + X.nbytes) / X.nbytes, 2),
    }  # fmt: skip


def grid(options):
    """Return the cases to measure, tables of one kind and width together, short ones first."""
    combinations = itertools.product(
        options.kinds, options.p, options.n, options.k, options.engines
    )
    cases = [Case(engine, kind, n, p, k) for kind, p, n, k, engine in combinations]
    if options.cut:
        cases = [case for case in cases if is_in_cut(*case[1:])]
    return [case for case in cases if case.engine == "shoal" or is_short_enough(case)]


def is_short_enough(case):
    """Return whether plain passes over the records take seconds, not minutes."""
    return case.n**2 * case.p / case.k <= MAX_PLAIN_DIFFERENCES


def is_in_cut(kind, n, p, k):
    """Return whether a case is published: all widths for one k, all k for two, some long tables."""
    if n <= MAX_SHORT:
        return p in (13, 30) or k == 10
    if p == 13:
        return k == 10 or (k == 3 and kind != "gaussian")
    return p < 13 and k == 10 and kind == "clustered"


def run(cases, path, *, max_seconds, any_commit):
    """Measure the cases that ``path`` does not contain yet, and add them."""
    commit = harness.commit()
    entries = [e for e in harness.load(path) if any_commit or e["commit"] == commit]
    entry_by_case = {case_of(entry): entry for entry in entries}
    for _, group in itertools.groupby(cases, lambda case: (case.kind, case.p)):
        remaining = [case for case in group if case not in entry_by_case]
        while remaining:
            # The time of a long table is estimated from shorter ones, so these come first.
            n = max(min(case.n for case in remaining), MAX_SHORT)
            batch = [case for case in remaining if case.n <= n]
            remaining = [case for case in remaining if case.n > n]
            worker_cases = [
                dict(zip(("engine_name", *KEY[1:]), case, strict=True))
                for case in batch
                if expected_seconds(case, entry_by_case) <= max_seconds
            ]
            for entry in harness.run_cases(__file__, worker_cases):
                entry_by_case[case_of(entry)] = {**entry, "commit": commit}
                print(entry, file=sys.stderr, flush=True)
                harness.save(path, with_ratios(entry_by_case))
    return with_ratios(entry_by_case)


def case_of(entry):
    """Return the case to which a measurement belongs."""
    return Case(*(entry[name] for name in KEY))


def expected_seconds(case, entry_by_case):
    """Return an estimate of the seconds of a case, from the next shorter table; 0 without one."""
    shorter = next_shorter(case, entry_by_case)
    return shorter["cpu_seconds"] * (case.n / shorter["n"]) ** 1.9 if shorter else 0.0


def next_shorter(case, entry_by_case):
    """Return the measurement that differs only in having the next smaller n, or None."""
    shorter = [c for c in entry_by_case if c._replace(n=case.n) == case and c.n < case.n]
    return entry_by_case[max(shorter, key=lambda c: c.n)] if shorter else None


def with_ratios(entry_by_case):
    """Return the measurements in order, those of Shoal with ratio and growth."""
    entries = []
    for case in sorted(entry_by_case, key=lambda c: (c.kind, c.p, c.k, c.n, c.engine)):
        entry = dict(entry_by_case[case])
        baseline = entry_by_case.get(case._replace(engine="baseline"))
        if case.engine == "shoal" and baseline:
            if abs(baseline["loss"] - entry["loss"]) > 1e-3 * baseline["loss"]:
                raise SystemExit(
                    f"Shoal and the baseline form different groups: {entry}, {baseline}"
                )
            entry["times_faster"] = round(baseline["cpu_seconds"] / entry["cpu_seconds"], 2)
        shorter = next_shorter(case, entry_by_case)
        if shorter:
            log_ratio = math.log(entry["cpu_seconds"] / shorter["cpu_seconds"])
            entry["growth"] = round(log_ratio / math.log(case.n / shorter["n"]), 2)
        entries.append(entry)
    return entries


def options_of(arguments):
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a small part of the grid")
    parser.add_argument("--cut", action="store_true", help="the part that is published")
    parser.add_argument("--wide", action="store_true", help="wide tables, which are published")
    parser.add_argument("--plot", type=Path, help="draw the content of --output; measure nothing")
    parser.add_argument("--output", type=Path, help="default: speed.json here")
    parser.add_argument("--most", type=float, default=600, help="seconds a measurement may take")
    parser.add_argument(
        "--any-commit", action="store_true", help="keep measurements of other commits"
    )
    parser.add_argument("-n", type=int, nargs="+", default=LENGTHS)
    parser.add_argument("-p", type=int, nargs="+", default=WIDTHS)
    parser.add_argument("-k", type=int, nargs="+", default=KS)
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=[*KINDS, "load-profiles"])
    parser.add_argument("--engines", nargs="+", default=["shoal", "baseline"])
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    is_published, given_output = options.cut or options.plot, options.output
    options.output = options.output or (PUBLISHED if is_published else Path("speed.json"))
    if options.wide:
        vars(options).update(WIDE)
        options.output = options.output if given_output else PUBLISHED.with_name("wide.json")
    if options.quick:
        options.n, options.p, options.k = [1000, 5000, 20_000], [13], [3]
    return options


def main(arguments=None):
    """Measure, or draw what was measured."""
    options = options_of(arguments)
    if options.worker:
        harness.serve_cases(measure)
    elif options.plot:
        from pictures import draw_growth

        draw_growth(harness.load(options.output), options.plot)
    else:
        run(grid(options), options.output, max_seconds=options.most, any_commit=options.any_commit)


if __name__ == "__main__":
    main()
