"""What all tests share: fresh compiled kernels, reference tables, tie-heavy random tables."""

import hashlib
import os
import signal
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "shoal" / "_kernels"

# Numba looks only at the file of a kernel, not at the kernels it calls, to see whether its
# cache is stale; so the cache of the tests is named after all of them.
_digest = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(SOURCE.glob("*.py"))))
os.environ["NUMBA_CACHE_DIR"] = str(
    SOURCE.parents[2] / ".build" / "numba" / _digest.hexdigest()[:16]
)

# A shell may start the tests with interrupts ignored; the programs they start would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

os.environ["SCIPY_ARRAY_API"] = "1"  # one of scikit-learn's checks asks for it

import numpy as np  # noqa: E402
import pytest  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402

from shoal import datasets  # noqa: E402

settings.register_profile(
    "shoal",
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
settings.load_profile("shoal")


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
