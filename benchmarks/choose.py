"""The loss, risk and time of each choice: method, k, dependence, effort, blocks and guarantees.

    python benchmarks/choose.py                    a few minutes
    python benchmarks/choose.py --parts k blocks   only these

Each entry is one call of ``shoal.microaggregate`` on a seeded table: its loss, its risk, and its
CPU seconds, measures included. Entries go into benchmarks/results/choose.json; ``published.py``
writes them into docs/choose/index.md.
"""

import argparse
import json
import sys
import warnings

import numpy as np

import harness
from generators import table as random_table

PUBLISHED = harness.HERE / "results" / "choose.json"
QUASI_IDENTIFIERS = ["age", "height", "weight", "years_of_education", "household_size"]
NUMERIC_CONFIDENTIAL = ["income", "blood_pressure"]
X, Y = [f"x{j}" for j in range(6)], [f"y{j}" for j in range(2)]
RANDOM_KINDS = ("heavy-tailed", "clustered", "gaussian")
# The quasi-identifiers and the confidential columns of each kind of table.
COLUMNS = {
    "survey": (QUASI_IDENTIFIERS, NUMERIC_CONFIDENTIAL),
    "categories": (["region", "age", "years_of_education", "household_size"], NUMERIC_CONFIDENTIAL),
    **dict.fromkeys(RANDOM_KINDS, (X, Y)),
    "one column": (["income"], ["blood_pressure"]),
}
METHODS = (
    "sorted", "mst", "mu-approx", "dba2", "mdav", "vmdav", "cvmdav", "mdav2", "tfrp", "md", "mward",
    "lloyd", "univariate", "auto", "search",
)  # fmt: skip
MAX_RECORDS = {
    "sorted": 100_000,
    "mdav": 100_000,
    "vmdav": 100_000,
    "lloyd": 10_000,
    "auto": 100_000,
}
GUARANTEES = {
    "k alone": {},
    "no class shares a value": {"homogeneity": "merge"},
    "1.5 values by entropy": {"diversity": 1.5, "diversity_kind": "entropy"},
    "closeness 0.3": {"closeness": 0.3, "closeness_by": "swap"},
    "closeness 0.2": {"closeness": 0.2, "closeness_by": "swap"},
    "closeness 0.1": {"closeness": 0.1, "closeness_by": "swap"},
}
SEED, BUDGET = 1, 20.0  # seed of random methods; seconds of a proof


def cases_by_part():
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
            for method, max_records in MAX_RECORDS.items()
            if n <= max_records
        ],
        "blocks": [
            (kind, 1000, 5, {"method": "mdav", "blocks": size})
            for kind in ("survey", "heavy-tailed")
            for size in (1, 2, 3, None)
        ],
        "promise": [
            ("survey", 1000, 5, {"method": "mdav", "promise": name}) for name in GUARANTEES
        ],
    }


def table(kind, n):
    """Return a table of one kind."""
    import pandas as pd

    import shoal

    if kind in RANDOM_KINDS:
        return pd.DataFrame(random_table(kind, n, len(X) + len(Y)), columns=[*X, *Y])
    return shoal.datasets.survey(n)


def arguments_of(options):
    """Return options as arguments of ``microaggregate``, with a seed for random methods."""
    arguments = {name: value for name, value in options.items() if name != "promise"}
    arguments |= GUARANTEES.get(options.get("promise"), {})
    if {"mu-approx", "search", "prove"} & {arguments.get("method"), arguments.get("effort")}:
        arguments["random_state"] = SEED
    return arguments | ({"budget": BUDGET} if arguments.get("effort") == "prove" else {})


def measure(part, kind, n, k, options, *, repeats=2):
    """Return an entry: the loss, the risk and the time of one call."""
    import shoal
    from shoal.errors import ShoalWarning

    quasi_identifiers, confidential = COLUMNS[kind]
    confidential = ["blood_pressure", "smoker"] if part == "promise" else confidential
    data = table(kind, n)[[*quasi_identifiers, *confidential]]

    def run():
        return shoal.microaggregate(
            data, quasi_identifiers, k=k, confidential=confidential, **arguments_of(options)
        )

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        if repeats:
            run()  # compiled before the clock starts
        release, seconds, _ = harness.time_run(run, repeats=repeats)
        risk = n <= 10_000 and shoal.assess(
            data, release.data, quasi_identifiers=quasi_identifiers, measures=["linkage"]
        )
    entry = {"part": part, "kind": kind, "n": n, "k": k, **options}
    measures = measures_of_release(data, release, quasi_identifiers, confidential)
    entry |= {name: round(value, 5) for name, value in measures}
    entry |= {"linkage": round(risk["linkage"], 5)} if risk else {}
    return entry | {"cpu_seconds": round(seconds, 4)}


def measures_of_release(data, release, quasi_identifiers, confidential):
    """Yield the losses of a release and the values that classes share, by name."""
    measures = release.measures
    yield "loss", measures["information_loss"]
    if "correlation_change" in measures:
        yield "correlation_change", measures["correlation_change"]["mean"]
    if "certified_gap" in measures:
        yield "gap", measures["certified_gap"]
    if "distortion_y" in measures:
        yield "distortion_y", measures["distortion_y"]
    has_survey_columns = set(quasi_identifiers) == set(QUASI_IDENTIFIERS)
    if has_survey_columns and set(confidential) == set(NUMERIC_CONFIDENTIAL):
        yield "explained_before", share_explained(data, quasi_identifiers, "blood_pressure")
        yield "explained", share_explained(release.data, quasi_identifiers, "blood_pressure")
    if "smoker" in confidential:
        yield "homogeneous", measures["homogeneous_classes"]["smoker"]
        yield "smallest_class", measures["smallest_class"]
        yield "classes", sum(measures["class_sizes"].values())


def share_explained(data, predictors, outcome):
    """Return the share of a column's variance that a linear regression on others explains."""
    A = np.column_stack([np.ones(len(data)), data[predictors].to_numpy(float)])
    y = data[outcome].to_numpy(float)
    residuals = y - A @ np.linalg.lstsq(A, y, rcond=None)[0]
    return 1 - residuals.var() / y.var()


def main(arguments=None):
    """Measure some parts again, and keep the measurements of the others."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    cases = cases_by_part()
    parser.add_argument("--parts", nargs="+", choices=cases, default=list(cases))
    options = parser.parse_args(arguments)
    sys.path.insert(0, str(harness.SOURCE))
    published = harness.load(PUBLISHED)
    entries_by_part = {part: [e for e in published if e["part"] == part] for part in cases}
    for part in options.parts:
        entries_by_part[part] = []
        for case in cases[part]:
            entry = measure(part, *case)
            print(json.dumps(entry), flush=True)
            entries_by_part[part].append(entry)
        harness.save(
            PUBLISHED, [entry for entries in entries_by_part.values() for entry in entries]
        )


if __name__ == "__main__":
    main()
