"""The time and memory of the steps for categorical keys: generalise and suppress.

    python benchmarks/categories.py                   a million records of eight keys, k = 5
    python benchmarks/categories.py -n 100000 --output categories.json

The keys are independent, and their categories are as frequent as the inverse of their rank, so
that most records are in classes below k. Each key has a hierarchy: its categories, groups of four
of them, and all. CPU seconds are those of one process; memory is what a step needs beyond the
table, as a multiple of the encoded table: one column of eight-byte integers for each key.
"""

import argparse

import numpy as np

import harness

CATEGORIES = (2, 5, 9, 7, 16, 41, 12, 6)
K = 5
PUBLISHED = harness.HERE / "results" / "categories.json"
SHOWN_FIGURES = ("count", "bound", "loss", "evaluated", "nodes", "suppressed")  # of a warning
NAMES = [f"key{i}" for i in range(len(CATEGORIES))]


def keys(n, seed=0):
    """Return a table of categorical keys."""
    import pyarrow as pa

    rng, columns = np.random.default_rng(seed), {}
    for name, n_categories in zip(NAMES, CATEGORIES, strict=True):
        share = 1 / np.arange(1, n_categories + 1) ** 1.2
        codes = rng.choice(n_categories, n, p=share / share.sum()).astype(np.int32)
        texts = [f"c{i:02d}" for i in range(n_categories)]
        columns[name] = pa.DictionaryArray.from_arrays(codes, texts)
    return pa.table(columns)


def types():
    """Return the types of the keys, with their hierarchies."""
    return {
        name: {
            "kind": "nominal",
            "hierarchy": [(f"c{i:02d}", f"group {i // 4}") for i in range(n_categories)],
        }
        for name, n_categories in zip(NAMES, CATEGORIES, strict=True)
    }


def steps():
    """Return the steps by name."""
    from shoal.steps import Generalise, Suppress

    return {
        "generalise": Generalise(NAMES, K),
        "generalise, 5 % of the records suppressed": Generalise(NAMES, K, suppression=0.05),
        "suppress": Suppress(NAMES, K),
        "suppress, missing_means any": Suppress(NAMES, K, missing_means="any"),
    }


def measure(name, n):
    """Return the time and memory of one step."""
    from shoal.frame.tables import open_frame
    from shoal.frame.types import as_types

    table, step = keys(n), steps()[name]
    declared_types = as_types(types())
    step.apply(open_frame(keys(2000)), [], declared_types)  # imports, and what is compiled
    result, seconds, extra_bytes = harness.time_run(
        lambda: step.apply(open_frame(table), [], declared_types)
    )
    attributes = result.warnings[0].attributes
    figures = {**attributes, **attributes.get("figures", {})}

    return {
        "step": name, "n": n, "k": K, "cpu_seconds": float(f"{seconds:.3g}"),
        "memory": None if extra_bytes is None else round(extra_bytes / (8 * n * len(NAMES)), 2),
        **{key: figures[key] for key in SHOWN_FIGURES if key in figures},
        "commit": harness.commit(),
    }  # fmt: skip


def main(arguments=None):
    """Measure the steps and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, default=1_000_000)
    options = harness.parse(parser, arguments, PUBLISHED, measure)
    entries = []
    for name in steps():
        (entry,) = harness.run_cases(__file__, [{"name": name, "n": options.n}])
        entries.append(entry)
        print(entry, flush=True)
        harness.save(options.output, entries)


if __name__ == "__main__":
    main()
