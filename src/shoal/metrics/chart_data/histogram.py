"""Counts for histograms and bar charts, without counts of few records."""

from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

import numpy as np

from shoal.frame.notation.texts import text_of
from shoal.metrics._array_types import Counts, Values

MAX_BARS = 24  # bars of a chart, including the bar of combined categories
TAIL_SHARE = 0.05  # share of the masked values in either tail; the values in between are the bulk
MAX_BINS = 16  # bins that cover the bulk
MARGIN_BINS = 6  # bins on either side of the bulk, since masking narrows the range of the original
MIN_RANGE = 1e-300  # smallest range that can be divided into bins without underflow


class Histogram(NamedTuple):
    """Numbers of original and of masked values in bins between ``edges``.

    The first and the last bin are open. A withheld number of original values is None; ``withheld``
    is the sum of all withheld numbers.
    """

    edges: list[float]
    original: list[int | None]
    masked: list[int]
    withheld: int

    def to_dict(self) -> dict[str, Any]:
        """Return the histogram as plain data, with the keys of a profile."""
        return {
            "edges": self.edges,
            "before": self.original,
            "after": self.masked,
            "withheld": self.withheld,
        }


class Bars(NamedTuple):
    """Numbers of records of each category in the original and in the masked table.

    If there are ``others``, the number of combined categories, their records are counted last.
    """

    categories: list[str]
    others: int
    original: list[int]
    masked: list[int]

    def to_dict(self) -> dict[str, Any]:
        """Return the bar chart as plain data, with the keys of a profile."""
        return {
            "categories": self.categories,
            "others": self.others,
            "before": self.original,
            "after": self.masked,
        }


def histogram(
    original: Values,
    masked: Values,
    min_count: int,
    *,
    is_whole: bool = False,
    counts: tuple[Counts, Counts] | None = None,
) -> Histogram:
    """Count original and masked values in the same bins, without small original counts.

    The edges are round numbers that cover the bulk of the masked values and a margin, and depend on
    released values only. Counts of fewer than ``min_count`` original values are withheld. If the
    withheld counts add up to less than ``min_count``, the next smallest counts are withheld too, so
    that no small count can be derived from the others.

    Parameters
    ----------
    original : ndarray of shape (n_original,)
        Original values.
    masked : ndarray of shape (n_masked,)
        Masked values.
    min_count : int
        Counts of fewer original values are withheld.
    is_whole : bool
        Whether the values are whole numbers; then bins are centred on them.
    counts : tuple of ndarray, optional
        How often each of the values ``original`` and ``masked`` occurs; once by default. Values
        that are counted must then be in ascending order.

    Returns
    -------
    Histogram
        The counts, without bins at the ends in which there is nothing to show.

    Examples
    --------
    >>> histogram(np.array([0, 1, 2, 8, 9, 9.5]), np.repeat([1.0, 9.0], 3), min_count=3)
    Histogram(edges=[0.0, 5.0, 10.0], original=[None, 3, 3, None], masked=[0, 3, 3, 0], withheld=0)
    """
    original_occurrences, masked_occurrences = (None, None) if counts is None else counts
    n_masked = len(masked) if masked_occurrences is None else int(masked_occurrences.sum())
    edges = _round_edges(
        masked, min(MAX_BINS, max(2, n_masked // (3 * min_count))), is_whole, masked_occurrences
    )
    original_counts = _count_in_bins(original, edges, original_occurrences)
    masked_counts = _count_in_bins(masked, edges, masked_occurrences)
    is_published = original_counts >= min_count
    for i in np.argsort(original_counts, kind="stable"):
        if not 0 < original_counts[~is_published].sum() < min_count:
            break
        is_published[i] = False
    visible = np.flatnonzero(is_published | (masked_counts > 0))
    first, last = max(visible[0] - 1, 0), min(visible[-1] + 1, len(original_counts) - 1)
    pairs = zip(original_counts.tolist(), is_published.tolist(), strict=True)
    return Histogram(
        edges[first:last].tolist(),
        [count if is_public else None for count, is_public in pairs][first : last + 1],
        masked_counts[first : last + 1].tolist(),
        int(original_counts[~is_published].sum()),
    )


def bars(original: Mapping[Hashable, int], masked: Mapping[Hashable, int], min_count: int) -> Bars:
    """Count the records of each category, with rare categories combined.

    Parameters
    ----------
    original : mapping
        How often each original category occurs.
    masked : mapping
        How often each masked category occurs.
    min_count : int
        Categories of fewer original records are combined. If the combined categories have fewer
        records even together, the next rarest category is combined with them.

    Returns
    -------
    Bars
        The categories, the most frequent first.

    Examples
    --------
    >>> bars({"a": 5, "b": 4, "c": 1}, {"a": 10}, min_count=3)
    Bars(categories=['a'], others=2, original=[5, 5], masked=[10, 0])
    """
    order = sorted({**masked, **original}, key=lambda name: (-original.get(name, 0), str(name)))
    frequent = [name for name in order if original.get(name, 0) >= min_count][: MAX_BARS - 1]
    rare = order[len(frequent) :]
    while frequent and 0 < sum(original.get(name, 0) for name in rare) < min_count:
        rare.append(frequent.pop())
    original_bars, masked_bars = (
        [
            *(counts.get(name, 0) for name in frequent),
            *([sum(counts.get(name, 0) for name in rare)] if rare else []),
        ]
        for counts in (original, masked)
    )
    names = ["missing" if name is None else text_of(name) for name in frequent]
    return Bars(names, len(rare), original_bars, masked_bars)


def _round_edges(
    masked: Values, n_bins: int, is_whole: bool, counts: Counts | None = None
) -> Values:
    """Return multiples of 1, 2 or 5 times a power of ten that cover the bulk of ``masked``.

    If the bulk is a single value, the edges cover all values.
    """
    if counts is None:
        low, high = np.quantile(masked, [TAIL_SHARE, 1 - TAIL_SHARE], method="nearest")
    else:
        masked, counts = masked[counts > 0], counts[counts > 0]
        ranks = np.rint(np.array([TAIL_SHARE, 1 - TAIL_SHARE]) * (counts.sum() - 1))
        low, high = masked[np.searchsorted(np.cumsum(counts), ranks, side="right")]
    if not high - low > MIN_RANGE:
        low, high = masked.min(), masked.max()
    if not high - low > MIN_RANGE:
        return np.array([low])
    min_width = (high - low) / n_bins
    power = 10.0 ** np.floor(np.log10(min_width))
    step = power * next(m for m in (1, 2, 5, 10) if m * power >= min_width * (1 - 1e-9))
    step = max(step, 1.0) if is_whole else step
    first, last = np.floor(low / step) - MARGIN_BINS, np.ceil(high / step) + MARGIN_BINS
    return np.asarray(np.arange(first, last + 1) * step - (0.5 if is_whole else 0.0))


def _count_in_bins(values: Values, edges: Values, counts: Counts | None = None) -> Counts:
    """Return the number of values in each bin, including the open bins at both ends."""
    bins = np.searchsorted(edges, values, side="right")
    return np.bincount(bins, counts, len(edges) + 1).astype(np.int64)
