"""Local suppression by trying every pattern for every record."""

from collections import Counter
from itertools import product

EMPTY = None


def released(trial_rows, patterns):
    """Return the released rows: a pattern tells which cells are suppressed."""
    return [
        tuple(EMPTY if lost else cell for cell, lost in zip(row, pattern, strict=True))
        for row, pattern in zip(trial_rows, patterns, strict=True)
    ]


def weight(trial_rows, patterns, importance):
    """Return the weight of the suppressed cells; those that were empty before are none."""
    return sum(
        heavy
        for row, pattern in zip(trial_rows, patterns, strict=True)
        for cell, lost, heavy in zip(row, pattern, importance, strict=True)
        if lost and cell is not EMPTY
    )


def least_weight(trial_rows, k, importance, units=None):
    """Return the least weight with which every class holds k; an empty cell is a value."""
    units = list(range(len(trial_rows))) if units is None else units
    patterns = list(product([False, True], repeat=len(trial_rows[0])))
    best = float("inf")
    for choice in product(patterns, repeat=len(trial_rows)):
        cost = weight(trial_rows, choice, importance)
        if cost < best and _fewest(released(trial_rows, choice), units) >= k:
            best = cost
    return best


def _fewest(trial_rows, units):
    return min(Counter(row for row, _ in {*zip(trial_rows, units, strict=True)}).values())


def least_weight_any(trial_rows, k, importance, units=None):
    """Return the least weight with which the cells that a record shows occur in k records."""
    units = list(range(len(trial_rows))) if units is None else units
    patterns = list(product([False, True], repeat=len(trial_rows[0])))
    total = 0.0
    for row in trial_rows:
        costs = []
        for pattern in patterns:
            (shown,) = released([row], [pattern])
            alike = {
                unit
                for other, unit in zip(trial_rows, units, strict=True)
                if all(one is EMPTY or one == two for one, two in zip(shown, other, strict=True))
            }
            if len(alike) >= k:
                costs.append(weight([row], [pattern], importance))
        total += min(costs)
    return total


def fewest_matches(trial_rows, units=None):
    """Return the least number of records that one matches, where an empty cell matches all."""
    units = list(range(len(trial_rows))) if units is None else units
    return min(
        len(
            {
                unit
                for other, unit in zip(trial_rows, units, strict=True)
                if all(EMPTY in pair or pair[0] == pair[1] for pair in zip(row, other, strict=True))
            }
        )
        for row in trial_rows
    )
