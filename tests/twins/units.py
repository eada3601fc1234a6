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
    actual = [
        sse(X, np.array(labels))
        for labels in partitions(len(X), len(X) // k)
        if fewest_of(labels, units) >= k
    ]
    return min(actual)


def fewest_of(labels, units):
    """Return what `fewest` does, sooner for a handful of records."""
    units_of_group = {}
    for label, unit in zip(labels, units, strict=True):
        units_of_group.setdefault(label, set()).add(unit)
    return min(map(len, units_of_group.values()))


def one_value_per_unit(data):
    """Return one row for each class and unit: the value that most units of the class have."""
    values = data.drop_duplicates(["class", "unit", "value"])
    n_units = values.groupby(["class", "value"])["unit"].nunique().rename("n_units").reset_index()
    ranked = values.merge(n_units).sort_values(["n_units", "value"], ascending=[False, True])
    return ranked.drop_duplicates(["class", "unit"])


def effective(values):
    """Return exp of the entropy of some values."""
    share = values.value_counts(normalize=True)
    return float(np.exp(-(share * np.log(share)).sum()))


def closeness(data, ordered):
    """Return the greatest distance of a class from the table; each unit counts once in both."""
    values = sorted(data["value"].unique())

    def shares(members):
        by_unit = [
            rows["value"].value_counts(normalize=True) for _, rows in members.groupby("unit")
        ]
        total = sum(one.reindex(values, fill_value=0.0) for one in by_unit)
        return (total / len(by_unit)).to_numpy()

    table, distances = shares(data), [0.0]
    for _, members in data.groupby("class"):
        gap = shares(members) - table
        if ordered:
            distances.append(np.abs(np.cumsum(gap)).sum() / max(len(values) - 1, 1))
        else:
            distances.append(np.abs(gap).sum() / 2)
    return max(distances)


def linked(before, after, units, guesses):
    """Return the share of masked records that a draw among the nearest links correctly."""
    chances = []
    for point, unit in zip(after, units, strict=True):
        squares = ((before - point) ** 2).sum(axis=1)
        is_own = units == unit
        least = squares[is_own].min()
        closer = (squares < least * (1 - 1e-9) - 1e-12).sum()
        is_tied = np.isclose(squares, least, rtol=1e-9, atol=1e-12)
        draws, t, m = guesses - closer, is_tied.sum(), (is_tied & is_own).sum()
        missed = 1.0
        for draw in range(max(0, min(draws, t))):
            missed *= max(t - draw - m, 0) / (t - draw)
        chances.append(1 - missed)
    return float(np.mean(chances))
