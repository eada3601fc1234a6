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

import harness

LENGTHS = [1000, 10_000, 50_000, 100_000, 1_000_000]
WIDTHS = [2, 6, 13, 30]
KS = [3, 5, 10, 50]
KINDS = ["gaussian", "clustered", "heavy-tailed"]
SHORT = 100_000  # records: tables up to here are measured in one process
PLAIN_MOST = 5e10  # differences of values; with more, plain passes take minutes
WIDE = {
    "n": [15_000], "p": [48, 480, 2000], "k": [10], "engines": ["shoal", "flat"],
    "kinds": ["gaussian", "clustered", "load-profiles"],
}  # fmt: skip
PUBLISHED = harness.HERE / "results" / "speed.json"
KEY = ("engine", "kind", "n", "p", "k")


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
def warm(name, p):
    """Return an engine after runs that compile it, for short and for long tables."""
    from generators import table

    run = engine(name)
    for n in (500, 10_000):
        run(table("gaussian", n, p), 3)
    return run


def measure(engine_name, kind, n, p, k):
    """Return one measurement."""
    from generators import table

    run = warm(engine_name, p)
    X = table(kind, n, p)
    labels, seconds, extra_bytes = harness.timed(lambda: run(X, k))
    return {
        "engine": engine_name, "kind": kind, "n": n, "p": p, "k": k,
        "cpu_seconds": float(f"{seconds:.4g}"),
        "loss": round(harness.loss(X, labels), 4),
        "memory": None if extra_bytes is None else round((extra_bytes + X.nbytes) / X.nbytes, 2),
    }  # fmt: skip


def grid(options):
    """Return the cases to measure, tables of one kind and width together, short ones first."""
    whole = itertools.product(options.kinds, options.p, options.n, options.k, options.engines)
    cases = [(e, kind, n, p, k) for kind, p, n, k, e in whole]
    if options.cut:
        cases = [case for case in cases if in_cut(*case[1:])]
    plain = [n * n * p / k <= PLAIN_MOST for _, _, n, p, k in cases]
    return [case for case, may in zip(cases, plain, strict=True) if may or case[0] == "shoal"]


def in_cut(kind, n, p, k):
    """Return whether a case is published: all widths for one k, all k for two, some long tables."""
    if n <= SHORT:
        return p in (13, 30) or k == 10
    if p == 13:
        return k == 10 or (k == 3 and kind != "gaussian")
    return p < 13 and k == 10 and kind == "clustered"


def run(cases, path, *, most, everything):
    """Measure the cases that ``path`` does not contain yet, and add them."""
    now = harness.commit()
    kept = [e for e in harness.load(path) if everything or e["commit"] == now]
    seen = {key(entry): entry for entry in kept}
    for _, group in itertools.groupby(cases, lambda case: (case[1], case[3])):
        left = [case for case in group if case not in seen]
        while left:
            # The time of a long table is estimated from shorter ones, so these come first.
            n = max(min(case[2] for case in left), SHORT)
            batch, left = [c for c in left if c[2] <= n], [c for c in left if c[2] > n]
            batch = [case for case in batch if expected_seconds(case, seen) <= most]
            asked = [dict(zip(("engine_name", *KEY[1:]), case, strict=True)) for case in batch]
            for entry in harness.run_cases(__file__, asked):
                seen[key(entry)] = {**entry, "commit": now}
                print(entry, file=sys.stderr, flush=True)
                harness.save(path, with_ratios(seen))
    return with_ratios(seen)


def key(entry):
    """Return the key of a measurement."""
    return tuple(entry[name] for name in KEY)


def expected_seconds(case, seen):
    """Return an estimate of the seconds of a case, from the next shorter table."""
    name, kind, n, p, k = case
    shorter = [e for e in seen.values() if key(e)[:2] == (name, kind) and e["n"] < n]
    shorter = [e for e in shorter if (e["p"], e["k"]) == (p, k)]
    if not shorter:
        return 0.0
    last = max(shorter, key=lambda entry: entry["n"])
    return last["cpu_seconds"] * (n / last["n"]) ** 1.9


def with_ratios(seen):
    """Return the measurements in order, those of Shoal with ratio and growth."""
    entries = []
    for name, kind, n, p, k in sorted(seen, key=lambda c: (c[1], c[3], c[4], c[2], c[0])):
        entry = dict(seen[name, kind, n, p, k])
        plain = seen.get(("baseline", kind, n, p, k))
        shorter = [m for e, m in rows_of(seen, kind, p, k) if e == name and m < n]
        if name == "shoal" and plain:
            if abs(plain["loss"] - entry["loss"]) > 1e-3 * plain["loss"]:
                raise SystemExit(f"Shoal and the baseline form different groups: {entry}, {plain}")
            entry["times_faster"] = round(plain["cpu_seconds"] / entry["cpu_seconds"], 2)
        if shorter:
            last = seen[name, kind, max(shorter), p, k]
            rise = math.log(entry["cpu_seconds"] / last["cpu_seconds"])
            entry["growth"] = round(rise / math.log(n / last["n"]), 2)
        entries.append(entry)
    return entries


def rows_of(seen, kind, p, k):
    """Return engine and length of the measurements on tables of one kind, width and k."""
    return [(c[0], c[2]) for c in seen if (c[1], c[3], c[4]) == (kind, p, k)]


def options_of(arguments):
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a small part of it")
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
    published, asked = options.cut or options.plot, options.output
    options.output = options.output or (PUBLISHED if published else Path("speed.json"))
    if options.wide:
        vars(options).update(WIDE)
        options.output = options.output if asked else PUBLISHED.with_name("wide.json")
    if options.quick:
        options.n, options.p, options.k = [1000, 5000, 20_000], [13], [3]
    return options


def main(arguments=None):
    """Measure, or draw what was measured."""
    options = options_of(arguments)
    if options.worker:
        harness.serve_cases(measure)
    elif options.plot:
        from pictures import growth

        growth(harness.load(options.output), options.plot)
    else:
        run(grid(options), options.output, most=options.most, everything=options.any_commit)


if __name__ == "__main__":
    main()
