"""What a choice costs: method, k, dependence, effort, blocks and guarantees, by kind of table.

    python benchmarks/choose.py                    a few minutes
    python benchmarks/choose.py --parts k blocks   only these

Each entry is one call of ``shoal.microaggregate`` on a seeded table: its loss, its risk, and its
CPU seconds, measures included. Entries go into
benchmarks/results/choose.json; ``published.py`` writes them into docs/choose/index.md.
"""

import argparse
import json
import sys
import warnings

import numpy as np

import harness
from generators import table as drawn

PUBLISHED = harness.HERE / "results" / "choose.json"
KNOWN = ["age", "height", "weight", "years_of_education", "household_size"]
PAID = ["income", "blood_pressure"]
X, Y = [f"x{j}" for j in range(6)], [f"y{j}" for j in range(2)]
DRAWN = ("heavy-tailed", "clustered", "gaussian")
# What a kind of table is called -> its quasi-identifiers and its confidential columns.
COLUMNS = {
    "survey": (KNOWN, PAID),
    "categories": (["region", "age", "years_of_education", "household_size"], PAID),
    **dict.fromkeys(DRAWN, (X, Y)),
    "one column": (["income"], ["blood_pressure"]),
}
METHODS = (
    "sorted", "mst", "mu-approx", "dba2", "mdav", "vmdav", "cvmdav", "mdav2", "tfrp", "md", "mward",
    "lloyd", "univariate", "auto", "search",
)  # fmt: skip
LONG = {"sorted": 100_000, "mdav": 100_000, "vmdav": 100_000, "lloyd": 10_000, "auto": 100_000}
PROMISES = {
    "k alone": {},
    "no class shares a value": {"homogeneity": "merge"},
    "1.5 values by entropy": {"diversity": 1.5, "diversity_kind": "entropy"},
    "closeness 0.3": {"closeness": 0.3, "closeness_by": "swap"},
    "closeness 0.2": {"closeness": 0.2, "closeness_by": "swap"},
    "closeness 0.1": {"closeness": 0.1, "closeness_by": "swap"},
}
SEED, BUDGET = 1, 20.0  # of what draws; seconds of a proof


def everything():
    """Return the cases of each part: kind of table, records, k and further options."""
    return {
        "method": [
            (kind, 1000, 5, {"method": method})
            for kind in COLUMNS
            for method in METHODS
            if method != "univariate" or kind == "one column"
        ],
        "k": [("survey", 1000, k, {}) for k in (2, 3, 5, 10, 20, 50)],
        "dependence": [
            ("survey", 1000, 5, {"method": "mdav", "dependence": share})
            for share in (0, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1)
        ],
        "effort": [
            (kind, 200, 3, {"effort": effort})
            for kind in ("survey", "heavy-tailed", "clustered")
            for effort in ("quick", "refine", "search", "prove")
        ],
        "length": [
            ("clustered", n, 10, {"method": method})
            for n in (1_000, 10_000, 100_000)
            for method, most in LONG.items()
            if n <= most
        ],
        "blocks": [
            (kind, 1000, 5, {"method": "mdav", "blocks": size})
            for kind in ("survey", "heavy-tailed")
            for size in (1, 2, 3, None)
        ],
        "promise": [("survey", 1000, 5, {"method": "mdav", "promise": name}) for name in PROMISES],
    }


def table(kind, n):
    """Return a table of one kind."""
    import pandas as pd

    import shoal

    if kind in DRAWN:
        return pd.DataFrame(drawn(kind, n, len(X) + len(Y)), columns=[*X, *Y])
    return shoal.datasets.survey(n)


def settings(options):
    """Return options as ``microaggregate`` takes them, with a seed where something draws."""
    made = {name: value for name, value in options.items() if name != "promise"}
    made |= PROMISES.get(options.get("promise"), {})
    if {"mu-approx", "search", "prove"} & {made.get("method"), made.get("effort")}:
        made["random_state"] = SEED
    return made | ({"budget": BUDGET} if made.get("effort") == "prove" else {})


def measure(part, kind, n, k, options, *, repeats=2):
    """Return an entry: the loss, the risk and the time of one call."""
    import shoal
    from shoal.errors import ShoalWarning

    known, secret = COLUMNS[kind]
    secret = ["blood_pressure", "smoker"] if part == "promise" else secret
    data = table(kind, n)[[*known, *secret]]

    def run():
        return shoal.microaggregate(data, known, k=k, confidential=secret, **settings(options))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        if repeats:
            run()  # compiled before the clock starts
        release, seconds, _ = harness.timed(run, repeats=repeats)
        linked = n <= 10_000 and shoal.assess(
            data, release.data, quasi_identifiers=known, measures=["linkage"]
        )
    entry = {"part": part, "kind": kind, "n": n, "k": k, **options}
    entry |= {name: round(value, 5) for name, value in losses(data, release, known, secret)}
    entry |= {"linkage": round(linked["linkage"], 5)} if linked else {}
    return entry | {"cpu_seconds": round(seconds, 4)}


def losses(data, release, known, secret):
    """Yield the losses of a release and the values that classes share, by name."""
    measures = release.measures
    yield "loss", measures["information_loss"]
    if "correlation_change" in measures:
        yield "correlation_change", measures["correlation_change"]["mean"]
    if "certified_gap" in measures:
        yield "gap", measures["certified_gap"]
    if "distortion_y" in measures:
        yield "distortion_y", measures["distortion_y"]
    if set(secret) == set(PAID) and set(known) == set(KNOWN):
        yield "explained_before", explained(data, known, "blood_pressure")
        yield "explained", explained(release.data, known, "blood_pressure")
    if "smoker" in secret:
        yield "homogeneous", measures["homogeneous_classes"]["smoker"]
        yield "smallest_class", measures["smallest_class"]
        yield "classes", sum(measures["class_sizes"].values())


def explained(data, known, outcome):
    """Return the share of a column's variance that a linear regression on others explains."""
    A = np.column_stack([np.ones(len(data)), data[known].to_numpy(float)])
    y = data[outcome].to_numpy(float)
    left = y - A @ np.linalg.lstsq(A, y, rcond=None)[0]
    return 1 - left.var() / y.var()


def main(arguments=None):
    """Measure some parts, and keep the others."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    every = everything()
    parser.add_argument("--parts", nargs="+", choices=every, default=list(every))
    options = parser.parse_args(arguments)
    sys.path.insert(0, str(harness.SOURCE))
    kept = {part: [e for e in harness.load(PUBLISHED) if e["part"] == part] for part in every}
    for part in options.parts:
        kept[part] = []
        for case in every[part]:
            entry = measure(part, *case)
            print(json.dumps(entry), flush=True)
            kept[part].append(entry)
        harness.save(PUBLISHED, [entry for entries in kept.values() for entry in entries])


if __name__ == "__main__":
    main()
