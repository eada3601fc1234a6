"""The time of every partitioner and measure, beside the arithmetic that its definition requires.

    python benchmarks/costs.py                    n = 10,000 and 100,000: ten minutes
    python benchmarks/costs.py -n 10000 --output costs.json
    python benchmarks/costs.py -n 1000 --kinds clustered --only mdav blocked --output costs.json

The arithmetic of a definition is counted in three units, each timed on this machine when
the run begins: *gaps* (a difference of two values, its square and a sum, in a plain compiled
loop), *steps* (one operation on one value of a column that lies in the cache), and
*comparisons* of a sort. The ratio of CPU time to arithmetic shows how near a method is to the
machine's limit. Below 1, records are excluded instead of measured. Above 10, time is wasted.
Methods with a time budget are measured by `budgets.py`, in the same run.

An interrupted run continues where it stopped. Measurements of other commits are removed, so that
the file belongs to one commit.
"""

import argparse
import itertools
import math
import sys

import numpy as np

import budgets
import harness
from generators import table

WIDTH, K = 13, 5
KINDS = ["clustered", "gaussian"]
LENGTHS = [10_000, 100_000]
PUBLISHED = harness.HERE / "results" / "costs.json"
SKIPPED = {
    "two-mu-approx 100000": "a matching of 100,000 records takes more than a few minutes",
} | dict.fromkeys(budgets.RUNS, "it takes the time that it is given, or has no limit")
MAX_SECONDS = 90  # maximum time of one measurement
BLOCK = 5000  # records of a block
N_LLOYD_ROUNDS = 12  # rounds of Lloyd's algorithm from all three starts, as observed


def distances(n, k):
    """Return for each method the number of distances that its definition requires."""
    per_pair = n * n / (4 * k)  # one pass for every pair of groups, over the remaining records
    second_phase = n * n / k  # from every record to every centroid
    return {
        "mdav": 3 * per_pair, "mdav1": 3 * per_pair, "mdav-classic": 3 * per_pair,
        "auto": 3 * per_pair + n * n, "refine": 3 * per_pair + n * n,  # and the neighbours of all
        "blocked": (3 * per_pair + n * n) * BLOCK / max(n, BLOCK),
        "centroid-mdav": 4 * per_pair,
        "mdav2": 3 * per_pair + second_phase,
        "tfrp": 2 * per_pair + second_phase,
        "vmdav": 2 * per_pair * (k + 2), "cvmdav": 2 * per_pair * (k + 2),
        "dba1": n * n, "dba2": n * n + second_phase,
        "md": n * n, "mst": n * n / 2, "threshold": n * n,
        "mhm": 3 * per_pair + n * n / k**2, "mu-approx": n * n, "mward": n * n,
        "two-mu-approx": n * n / 2,
        "lloyd": n * n + (5 * per_pair + 3 * second_phase) + N_LLOYD_ROUNDS * second_phase,
        "sorted": n * WIDTH,
        "univariate": 150 * n,  # three losses a record, in sums of twice the precision
    }  # fmt: skip


# Operations on each pair of values: what `in_units_of` does, then the measure's own.
UNITS = 8
PAIRS = {
    "information_loss": UNITS + 5, "distortion_x": UNITS + 5, "euclidean_loss": UNITS + 5,
    "il1s": UNITS + 3, "certified_gap": UNITS + 3, "interval_disclosure": UNITS + 22,
    "weighted_total_change": 6,
    "std_ratio": UNITS + 6, "mean_change": UNITS + 2, "variance_change": UNITS + 6,
    "covariance_change": UNITS + 4 + 2 * WIDTH, "correlation_change": 12 + 2 * WIDTH,
    "loadings_change": 12 + 2 * WIDTH, "explained_change": 12 + 2 * WIDTH,
    "eigenvalue_change": 12 + 2 * WIDTH,
    "values_unchanged": 4, "levels_lost": 6, "entropy_loss": 16, "one_way_change": 10,
    "two_way_change": 6 * (WIDTH - 1), "association_change": 6 * (WIDTH - 1),
}  # fmt: skip
# Operations on each record, and sorts of all records, for one column of classes.
CLASSES = {"smallest_class": (5, 0), "class_sizes": (5, 0), "reidentification": (8, 1),
           "fewest_units": (12, 1), "largest_unit_share": (16, 1)}  # fmt: skip
# The same for each confidential column.
CONFIDENTIAL = {
    "l_diversity": (30, 2), "p_sensitivity": (10, 1), "homogeneous_classes": (10, 1),
    "t_closeness": (40, 1), "average_diversity": (40, 2), "distortion_y": (35, 0),
    "mutual_information": (20, 1), "delta_disclosure": (20, 1),
}  # fmt: skip


def count_operations(what, name, n, k):
    """Return the gaps, steps and comparisons of a definition."""
    n_comparisons = n * math.log2(n)
    if what == "method":
        width = 1 if name == "univariate" else WIDTH
        sorts = n_comparisons if name in ("sorted", "univariate") else 0.0
        return distances(n, k)[name] * width, 0.0, sorts
    if name.startswith("linkage"):
        return n * n / k * WIDTH, 0.0, 0.0  # equal masked records are searched once
    if name in PAIRS:
        return 0.0, PAIRS[name] * n * WIDTH, 0.0
    steps, sorts = CLASSES.get(name) or CONFIDENTIAL[name]
    columns = 1 if name in CLASSES else 2
    return 0.0, columns * steps * n, columns * sorts * n_comparisons


def measure_unit_seconds():
    """Return the seconds of one gap, one step and one comparison on this machine."""
    from baseline import measure_distances

    X, ones, other_ones = table("gaussian", 20_000, WIDTH), np.ones(20_000), np.ones(20_000)
    result, unsorted = np.empty(20_000), np.random.default_rng(0).normal(size=20_000)
    measure_distances(X, 2, X[0], result)

    def seconds_per_operation(run, n_operations):
        harness.time_run(run)
        return min(harness.time_run(run)[1] for _ in range(20)) / n_operations

    return [
        seconds_per_operation(
            lambda: [measure_distances(X, len(X), X[0], result) for _ in range(10)], 10 * X.size
        ),
        seconds_per_operation(
            lambda: [np.add(ones, other_ones, out=result) for _ in range(100)], 100 * len(ones)
        ),
        seconds_per_operation(
            lambda: [np.sort(unsorted) for _ in range(10)], 10 * len(ones) * math.log2(len(ones))
        ),
    ]


def tenths(values, X):
    """Return numbers as categories: their tenths of the range of a column."""
    low, high = X.min(axis=0), X.max(axis=0)
    return np.asfortranarray((9.99 * (values - low) / (high - low)).astype(np.int64))


def measure_arguments(kind, n):
    """Return the arguments of measures: a table masked by group means, and two further columns."""
    from shoal.partitioners import MDAV
    from shoal.steps.microaggregation.aggregates import group_mean

    Z = table(kind, n, WIDTH + 2)
    X, Y = Z[:, :WIDTH], np.asfortranarray(Z[:, WIDTH:])
    labels = MDAV(k=K).fit_predict(X)
    masked = np.asfortranarray(np.column_stack([group_mean(x, labels) for x in X.T]))
    return {
        "original_categories": tenths(X, X), "masked_categories": tenths(masked, X),
        "original": np.asfortranarray(X), "masked": masked, "released": labels[:, np.newaxis],
        "confidential": Y, "confidential_codes": Y, "ordered": np.ones(2, bool),
        "lower_bound": 1.0, "weights": np.ones((n, 1)), "units": np.arange(n) // 2,
    }  # fmt: skip


def measure(what, names, kind, n):
    """Return the CPU seconds and the memory of methods or measures on one table."""
    if what == "budget":
        return [budgets.measure(name, kind, n) for name in names]
    return [
        timed_entry(what, name, kind, n, run) for name, run in compiled_runs(what, names, kind, n)
    ]


def compiled_runs(what, names, kind, n):
    """Yield functions that do the work once, after a run that compiles."""
    if what == "method":
        from shoal.partitioners import METHODS

        for name in names:
            X = table(kind, n, 1 if name == "univariate" else WIDTH)
            method = METHODS[name](k=2 if name == "two-mu-approx" else K)
            for n in (500, 10_000)[: 1 if name == "two-mu-approx" else 2]:
                method.fit(X[:n])
            yield name, lambda X=X, method=method: method.fit(X)
    else:
        from shoal.metrics import compute

        arguments, short_arguments = measure_arguments(kind, n), measure_arguments(kind, 500)
        for name in names:
            compute(name, short_arguments)
            yield name, lambda name=name: compute(name, arguments)


def timed_entry(what, name, kind, n, run):
    """Return the time of one run, and the operations counted."""
    _, seconds, extra_bytes = harness.time_run(run)
    k = 2 if name == "two-mu-approx" else K
    return {
        "what": what, "name": name, "kind": kind, "n": n,
        "p": 1 if name == "univariate" else WIDTH, "k": k,
        "cpu_seconds": float(f"{seconds:.4g}"),
        "megabytes": None if extra_bytes is None else round(extra_bytes / 1e6, 1),
        "counts": [float(f"{count:.3g}") for count in count_operations(what, name, n, k)],
    }  # fmt: skip


def cases(kinds, lengths):
    """Yield what to measure, a process each."""
    from shoal.metrics import MEASURES
    from shoal.partitioners import METHODS

    for kind in kinds:
        for n in lengths:
            names = [m for m in METHODS if m not in SKIPPED and f"{m} {n}" not in SKIPPED]
            yield {"what": "method", "names": names, "kind": kind, "n": n}
            yield {"what": "measure", "names": list(MEASURES), "kind": kind, "n": n}
    for name, kind, n in budgets.CASES:
        yield {"what": "budget", "names": [name], "kind": kind, "n": n}


def main(arguments=None):
    """Measure what the output file does not contain yet."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, nargs="+", default=LENGTHS)
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS)
    parser.add_argument("--only", nargs="+", help="names of methods and measures")
    options = harness.parse(parser, arguments, PUBLISHED, measure)
    if options.only and options.output == PUBLISHED:
        parser.error("The published file must be whole. Use another --output for a part of it.")
    sys.path.insert(0, str(harness.SOURCE))
    unit_seconds, commit = measure_unit_seconds(), harness.commit()
    measurements = [e for e in harness.load(options.output) if e["commit"] == commit]
    for case in cases(options.kinds, options.n):
        names = [name for name in case["names"] if not options.only or name in options.only]
        names = [name for name in names if not find_measurement(measurements, name, case)]
        skipped = [skipped_entry(case, name, measurements) for name in names]
        names = [name for name, skip in zip(names, skipped, strict=True) if not skip]
        worker_cases = [{**case, "names": [name]} for name in names]
        if case["what"] == "measure":  # all measures of a table share a process
            worker_cases = [{**case, "names": names}] if names else []
        skipped = [skip for skip in skipped if skip]
        for entries in itertools.chain([skipped], harness.run_cases(__file__, worker_cases)):
            for entry in entries:
                if "counts" in entry:
                    arithmetic = np.dot(entry["counts"], unit_seconds)
                    entry["ratio"] = float(f"{entry['cpu_seconds'] / arithmetic:.2g}")
                print(entry, file=sys.stderr, flush=True)
                measurements.append({**entry, "commit": commit})
            harness.save(options.output, measurements, seconds_of_gap_step_comparison=unit_seconds)


def find_measurement(entries, name, case):
    """Return the measurement of a method or measure on the table of a case, or None."""
    key = (name, case["kind"], case["n"])
    return next((e for e in entries if (e["name"], e["kind"], e["n"]) == key), None)


def skipped_entry(case, name, entries):
    """Return an entry without a time if a method would take minutes, otherwise None."""
    shorter_table = find_measurement(entries, name, {**case, "n": LENGTHS[0]})
    if case["n"] <= LENGTHS[0] or not shorter_table or "cpu_seconds" not in shorter_table:
        return None
    expected = shorter_table["cpu_seconds"] * (case["n"] / LENGTHS[0]) ** 1.9
    if expected <= MAX_SECONDS:
        return None
    entry = {"what": case["what"], "name": name, "kind": case["kind"], "n": case["n"]}
    return {**entry, "skipped": f"would take {expected:.0f} s"}


if __name__ == "__main__":
    main()
