"""Units counted and grouped the slow way."""

import numpy as np
import pandas as pd

from shoal.partitioners._base import sse


def fewest(labels, units):
    """Return the least number of different units in a group."""
    return int(pd.Series(units).groupby(np.asarray(labels)).nunique().min())


def partitions(n, most):
    """Yield all ways to split n records into at most so many groups, as labels."""

    def extend(labels, used):
        if len(labels) == n:
            yield labels
            return
        for label in range(min(used + 1, most)):
            yield from extend([*labels, label], max(used, label + 1))

    yield from extend([], 0)


def optimum(X, units, k):
    """Return the least SSE of groups that each hold k units; every partition is tried."""
    found = [
        sse(X, np.array(labels))
        for labels in partitions(len(X), len(X) // k)
        if fewest_of(labels, units) >= k
    ]
    return min(found)


def fewest_of(labels, units):
    """Return what `fewest` does, sooner for a handful of records."""
    held = {}
    for label, unit in zip(labels, units, strict=True):
        held.setdefault(label, set()).add(unit)
    return min(map(len, held.values()))
