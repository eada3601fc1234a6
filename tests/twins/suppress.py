"""Local suppression by trying every pattern for every record."""

from collections import Counter
from itertools import product

EMPTY = None


def released(rows, patterns):
    """Return the released rows: a pattern tells which cells are suppressed."""
    return [
        tuple(
            EMPTY if is_suppressed else cell
            for cell, is_suppressed in zip(row, pattern, strict=True)
        )
        for row, pattern in zip(rows, patterns, strict=True)
    ]


def weight(rows, patterns, importance):
    """Return the weight of the suppressed cells; those that were empty before are none."""
    return sum(
        column_weight
        for row, pattern in zip(rows, patterns, strict=True)
        for cell, is_suppressed, column_weight in zip(row, pattern, importance, strict=True)
        if is_suppressed and cell is not EMPTY
    )


def least_weight(rows, k, importance, units=None):
    """Return the least weight with which every class holds k; an empty cell is a value."""
    units = list(range(len(rows))) if units is None else units
    patterns = list(product([False, True], repeat=len(rows[0])))
    best = float("inf")
    for choice in product(patterns, repeat=len(rows)):
        cost = weight(rows, choice, importance)
        if cost < best and _fewest(released(rows, choice), units) >= k:
            best = cost
    return best


def _fewest(rows, units):
    return min(Counter(row for row, _ in {*zip(rows, units, strict=True)}).values())


def least_weight_any(rows, k, importance, units=None):
    """Return the least weight with which the cells that a record shows occur in k records."""
    units = list(range(len(rows))) if units is None else units
    patterns = list(product([False, True], repeat=len(rows[0])))
    total = 0.0
    for row in rows:
        costs = []
        for pattern in patterns:
            (shown,) = released([row], [pattern])
            matching_units = {
                unit
                for other, unit in zip(rows, units, strict=True)
                if all(
                    value is EMPTY or value == other_value
                    for value, other_value in zip(shown, other, strict=True)
                )
            }
            if len(matching_units) >= k:
                costs.append(weight([row], [pattern], importance))
        total += min(costs)
    return total


def fewest_matches(rows, units=None):
    """Return the least number of records that one matches, where an empty cell matches all."""
    units = list(range(len(rows))) if units is None else units
    return min(
        len(
            {
                unit
                for other, unit in zip(rows, units, strict=True)
                if all(EMPTY in pair or pair[0] == pair[1] for pair in zip(row, other, strict=True))
            }
        )
        for row in rows
    )
