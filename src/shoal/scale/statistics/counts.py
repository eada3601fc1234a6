"""Counts of groups, classes and records, and their sums over the parts of a table."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.metrics.findings.shared_values import SharedCounts


def count_sizes(sizes: NDArray[np.int64]) -> Mapping[int, int]:
    """Return the number of groups or classes of each size."""
    size, count = np.unique(sizes, return_counts=True)
    return dict(zip(size.tolist(), count.tolist(), strict=True))


def sum_shared_counts(mappings: Iterable[Mapping[str, SharedCounts]]) -> dict[str, SharedCounts]:
    """Return the sum, by column, of counts of classes that share a value."""
    total: dict[str, SharedCounts] = {}
    for mapping in mappings:
        for name, counts in mapping.items():
            previous = total.get(name, SharedCounts(0, 0, 0))
            total[name] = SharedCounts(*map(sum, zip(previous, counts, strict=True)))
    return total


def sum_counts(counts: Iterable[Mapping[Any, int]]) -> dict[Any, int]:
    """Return the sum of counts with the same key, sorted by key."""
    total: Counter[Any] = Counter()
    for mapping in counts:
        total.update(mapping)
    return {key: total[key] for key in sorted(total)}
