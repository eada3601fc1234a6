"""What all tests share: fresh compiled kernels, reference tables, tie-heavy random tables."""

import os
from pathlib import Path
from typing import NoReturn

# The tests compile for themselves; the folder within is named after the text of all kernels.
os.environ["NUMBA_CACHE_DIR"] = str(Path(__file__).parents[1] / ".build" / "numba")

os.environ["SCIPY_ARRAY_API"] = "1"  # one of scikit-learn's checks asks for it

import numpy as np  # noqa: E402
import pytest  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402

import poison  # noqa: E402
from shoal import datasets  # noqa: E402
from shoal.datasets import fetch  # noqa: E402
from shoal.errors import FileError  # noqa: E402

if os.environ.get("SHOAL_POISON"):
    poison.fill_empty_arrays()

settings.register_profile(
    "shoal",
    max_examples=int(os.environ.get("SHOAL_EXAMPLES", "40")),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
settings.load_profile("shoal")


# Tests never leave this machine: where one forgets to start a server, nobody answers.
fetch.ADDRESS = "http://127.0.0.1:9/data/"


def without_reference(name: str, reason: object) -> NoReturn:
    """Skip a test that lacks a reference table, or fail it where the table must be there."""
    beside = Path(__file__).parents[2] / "shared"
    if os.environ.get("CI") == "true" and beside.exists():
        pytest.fail(f"The reference table {name} must be there. {reason}")
    pytest.skip(f"needs the reference table {name}. {reason}")


def reference_matrix(name: str) -> np.ndarray:
    """Return a reference table as the literature uses it, in original units.

    It comes from the folder that SHOAL_DATA names. A table that is there but
    wrong is an error, never a skip.
    """
    if not os.environ.get("SHOAL_DATA"):
        without_reference(name, "Set SHOAL_DATA to a folder with the CSVs.")
    try:
        table = datasets.CATALOGUE[name].load(kind="pyarrow").select(datasets.COLUMNS[name])
    except FileError as reason:
        without_reference(name, reason)
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
