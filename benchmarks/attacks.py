"""The time of the default set of attacks, and of the search for special uniques (SUDA2).

    python benchmarks/attacks.py                  1,000,000 records
    python benchmarks/attacks.py -n 10000 --output attacks.json

Attacks: 13 columns, 10 of them known to the attacker and 3 confidential, masked with k = 5 in order
of the first column; 2,000 targets each. SUDA2: 10 columns of 2 to 20 categories, minimal sample
uniques of at most 3 columns, and of any number of columns. Figures are CPU seconds of one process,
after a run on a small table that loads the compiled code.
"""

import argparse
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

import harness
import shoal
from generators import table
from shoal.metrics.survey.suda import suda

PUBLISHED = harness.HERE / "results" / "attacks.json"
N, WIDTH, N_KNOWN, K = 1_000_000, 13, 10, 5
CATEGORIES = (2, 2, 3, 4, 5, 6, 8, 10, 15, 20)


def measure_attacks(n):
    """Attack a masked table of ``n`` records; return the result, CPU seconds and memory."""
    names = [f"v{j}" for j in range(WIDTH)]
    original = pd.DataFrame(table("clustered", n, WIDTH), columns=names)
    known, confidential = names[:N_KNOWN], names[N_KNOWN:]
    order = np.argsort(original["v0"].to_numpy(), kind="stable")
    labels = np.empty(n, np.int64)
    labels[order] = np.minimum(np.arange(n) // K, n // K - 1)
    masked = original.copy()
    for name in known:
        means = np.bincount(labels, original[name]) / np.bincount(labels)
        masked[name] = means[labels]
    return harness.time_run(
        lambda: shoal.attack(
            original,
            masked,
            quasi_identifiers=known,
            confidential=confidential,
            random_state=0,
            n_jobs=1,
        ),
        repeats=0,
    )


def measure_suda(n, max_size=3):
    """Search for special uniques among ``n`` records; of any size if ``max_size`` is None."""
    rng = np.random.default_rng(1)
    keys = np.column_stack([rng.integers(0, size, n) for size in CATEGORIES])
    return harness.time_run(lambda: suda(keys, max_size=max_size, sampling_fraction=0.1), repeats=0)


def main():
    """Measure the attacks and the searches, and write the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, default=N, help="number of records")
    parser.add_argument("--output", type=Path, default=PUBLISHED)
    options = parser.parse_args()
    measure_attacks(1000), measure_suda(1000)  # loads the compiled code
    measurements = []
    runs = {
        "attack": measure_attacks,
        "suda": measure_suda,
        "suda, all sizes": partial(measure_suda, max_size=None),
    }
    for name, run in runs.items():
        result, seconds, memory = run(options.n)
        entry = {"what": name, "n": options.n, "cpu_seconds": round(seconds, 2), "memory": memory}
        if name == "attack":
            entry |= {"k": result.k, "attacks": list(result), "exceeded": list(result.exceeded)}
        entry["commit"] = harness.commit()
        measurements.append(entry)
        print(f"{name}: {options.n:,} records, {seconds:.1f} CPU seconds")
    harness.save(options.output, measurements)


if __name__ == "__main__":
    main()
