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

# The files with slow tests that take longest, longest first.
LONGEST = [
    "docs/test_site.py",
    "reproduction/test_pages.py",
    "docs/test_pages.py",
    "scale/test_faults.py",
    "test_install.py",
]

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


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """Let each worker begin to collect at another place.

    Pytest compiles all files of tests at its first run, which takes as long as all else before the
    first test. A worker then finds most of them compiled by another one.
    """
    report = yield
    worker = os.environ.get("PYTEST_XDIST_WORKER", "").removeprefix("gw")
    if worker and collector.path == Path(__file__).parent:
        at = len(report.result) * int(worker) // int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
        report.result = report.result[at:] + report.result[:at]
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items):
    """Let each worker begin with its share of the files that have slow tests.

    Each worker first gets an equal part of the order; one that is done takes half of what another
    has left, from its end. Many short tests are then left for the end, which no worker spends idle,
    and no costly fixture is made by two workers because they share a file.
    """
    items.sort(key=lambda item: item.path)  # the same for all workers, wherever they began
    result = yield  # the order is shuffled
    shares = [[] for _ in range(int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))]
    files = {item.path: [] for item in items if item.get_closest_marker("slow")}
    short = []
    for item in items:
        files.get(item.path, short).append(item)
    for at, path in enumerate(sorted(files, key=_from_long_to_short)):
        # The longest last: their processes would compile side by side what others compile once.
        shares[at % len(shares)][:0] = files[path]
    # Tests of methods and kernels come next, so that one worker compiles most kernels: what they
    # have in common is then compiled once.
    compiling = {"_kernels", "partitioners"}
    short.sort(key=lambda item: compiling.isdisjoint(item.path.parts))
    n_items = len(items)
    items.clear()
    for at, share in enumerate(shares):
        part = (n_items - len(items)) // (len(shares) - at)
        n_short = max(0, part - len(share))
        items += share + short[:n_short]
        del short[:n_short]
    items += short
    return result


def _from_long_to_short(path):
    """Return the place of a file among those with slow tests; files that are not listed are last.

    The order is that of the time that they take, which has to be right only roughly.
    """
    name = path.relative_to(Path(__file__).parent).as_posix()
    return (LONGEST.index(name) if name in LONGEST else len(LONGEST), name)


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
