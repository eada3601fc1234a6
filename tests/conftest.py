"""Configuration of all tests: their own compiled kernels, their order, and reference tables."""

import gc
import os
import signal
from pathlib import Path

# The tests do not share compiled kernels with other programs, nor kernels with poisoned arrays with
# those without.
CACHE = "poison" if os.environ.get("SHOAL_POISON") else "numba"
os.environ["NUMBA_CACHE_DIR"] = str(Path(__file__).parents[1] / ".build" / CACHE)

# A shell may start the tests with interrupts ignored, which the programs they start would inherit.
signal.signal(signal.SIGINT, signal.default_int_handler)

os.environ["SCIPY_ARRAY_API"] = "1"  # one of scikit-learn's checks asks for it

import numpy as np  # noqa: E402
import pytest  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402

import poison  # noqa: E402
import shared_compilation  # noqa: E402
from example_counts import EXAMPLES  # noqa: E402
from shoal import datasets  # noqa: E402

shared_compilation.start(Path(os.environ["NUMBA_CACHE_DIR"]) / "locks")

if os.environ.get("SHOAL_POISON"):
    poison.fill_empty_arrays()

settings.register_profile(
    "shoal",
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
settings.load_profile("shoal")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Begin with the files that have slow tests, so that none of these is the last to run.

    Tests of methods and kernels come next: xdist gives each worker a part of this order, so one
    worker compiles most kernels, and their common parts only once.
    """
    slow_files = {item.path for item in items if item.get_closest_marker("slow")}
    with_kernels = {"_kernels", "partitioners"}
    items.sort(
        key=lambda item: (item.path not in slow_files, with_kernels.isdisjoint(item.path.parts))
    )


@pytest.hookimpl(trylast=True)
def pytest_collection_finish():
    """Exclude modules and the 10,000 collected tests from garbage collection, which saves time."""
    gc.collect()
    gc.freeze()


def reference_matrix(name: str) -> np.ndarray:
    """Return a reference table as the literature uses it, in original units."""
    table = datasets.CATALOGUE[name].load(kind="pyarrow").select(datasets.COLUMNS[name])
    return np.column_stack([column.to_numpy() for column in table.columns]).astype(np.float64)


def zscores(X: np.ndarray) -> np.ndarray:
    """Return the columns of a matrix in z-scores."""
    return (X - X.mean(axis=0)) / X.std(axis=0)


@pytest.fixture(scope="session")
def reference():
    """Return a function that gives the z-scores of a reference table by its name."""
    cache = {}

    def table(name):
        if name not in cache:
            cache[name] = zscores(reference_matrix(name))
        return cache[name]

    return table
