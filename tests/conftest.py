"""What all tests share: fresh compiled kernels, reference tables, tie-heavy random tables."""

import gc
import os
import signal
from pathlib import Path

# The tests compile for themselves; the folder within is named after the text of all kernels.
# Kernels whose empty arrays are poisoned are kept apart from the others.
KEPT = "poison" if os.environ.get("SHOAL_POISON") else "numba"
os.environ["NUMBA_CACHE_DIR"] = str(Path(__file__).parents[1] / ".build" / KEPT)

# A shell may start the tests with interrupts ignored; the programs they start would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

os.environ["SCIPY_ARRAY_API"] = "1"  # one of scikit-learn's checks asks for it

import numpy as np  # noqa: E402
import pytest  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402

import kernels_once  # noqa: E402
import poison  # noqa: E402
from shoal import datasets  # noqa: E402
from tries import EXAMPLES  # noqa: E402

kernels_once.start(Path(os.environ["NUMBA_CACHE_DIR"]) / "locks")

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
    """Begin with the files that have slow tests, so that no worker is left with one at the end.

    Each worker first gets a part of this order. Tests of methods and kernels come next, so that
    one worker compiles most kernels: what they have in common is then compiled once.
    """
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    compiling = {"_kernels", "partitioners"}
    items.sort(key=lambda item: (item.path not in slow, compiling.isdisjoint(item.path.parts)))


@pytest.hookimpl(trylast=True)
def pytest_collection_finish():
    """Search for garbage only among what the tests make, not among modules and 10,000 tests."""
    gc.collect()
    gc.freeze()


def reference_matrix(name: str) -> np.ndarray:
    """Return a reference table as the literature uses it, in original units."""
    table = datasets.CATALOGUE[name].load(kind="pyarrow").select(datasets.COLUMNS[name])
    return np.column_stack([column.to_numpy() for column in table.columns]).astype(np.float64)


def zscores(X: np.ndarray) -> np.ndarray:
    return (X - X.mean(axis=0)) / X.std(axis=0)


@pytest.fixture(scope="session")
def reference():
    """Return a function: name of a reference table -> its z-scores."""
    cache = {}

    def table(name):
        if name not in cache:
            cache[name] = zscores(reference_matrix(name))
        return cache[name]

    return table
