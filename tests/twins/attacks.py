"""Attacks on small tables, one record at a time, straight from their definitions."""

import math
from collections import Counter


def scaled(released, original, names, numbers):
    """Return both tables as lists of dicts, with numbers on the scale of the release."""
    result = [[dict(row) for row in table] for table in (released, original)]
    for name in names:
        if name not in numbers:
            continue
        known = [row[name] for row in released if not math.isnan(row[name])]
        mean = sum(known) / len(known) if known else 0.0
        spread = math.sqrt(sum((v - mean) ** 2 for v in known) / len(known)) if known else 0.0
        for table in result:
            for row in table:
                row[name] = (row[name] - mean) / (spread or 1.0)
    return result


def square(one, other, names, numbers):
    """Return the squared distance of two records."""
    total = 0.0
    for name in names:
        a, b = one[name], other[name]
        if name not in numbers:
            total += a != b
        elif math.isnan(a) or math.isnan(b):
            total += math.isnan(a) != math.isnan(b)
        else:
            total += (a - b) ** 2
    return total


def nearest(target, table, names, numbers):
    """Return the records nearest to a target; several if they are equally near."""
    squares = [square(target, row, names, numbers) for row in table]
    least = min(squares)
    return {i for i, value in enumerate(squares) if value <= least * (1 + 1e-9)}


def linkage(released, original, names, numbers, units=None):
    """Return the expected share of targets whose nearest released record is of their unit."""
    units = units or range(len(original))
    after, before = scaled(released, original, names, numbers)
    total = 0.0
    for own, target in enumerate(before):
        near = nearest(target, after, names, numbers)
        total += sum(units[i] == units[own] for i in near) / len(near)
    return total / len(before)


def ranked(table, numbers):
    """Return a table with numbers replaced by their ranks in it; equal ones share the mean rank."""
    result = [dict(row) for row in table]
    for name in numbers:
        known = [row[name] for row in table if not math.isnan(row[name])]
        for row in result:
            below = sum(value < row[name] for value in known)
            if not math.isnan(row[name]):
                row[name] = (below + (known.count(row[name]) + 1) / 2) / len(known)
    return result


def level(one, other, is_number):
    """Return how well two values agree, from 3 for exactly to 0."""
    if not is_number or one == other:
        return 3 * (one == other)
    gap = abs(one - other)
    return 2 if gap <= 0.1 else int(gap <= 0.5)


def probabilistic(released, original, names, numbers, units, estimate):
    """Return the expected share of targets whose record of greatest weight is of their unit.

    ``estimate`` returns how often matching and other pairs agree, from patterns and counts.
    """
    after, before = scaled(released, original, names, numbers)
    patterns = [
        [tuple(level(target[n], row[n], n in numbers) for n in names) for row in after]
        for target in before
    ]
    counts = Counter(pattern for row in patterns for pattern in row)
    m, u = estimate(list(counts), list(counts.values()), 1 / len(original))
    total = 0.0
    for own, row in enumerate(patterns):
        weights = [sum(math.log(m[j][p] / u[j][p]) for j, p in enumerate(one)) for one in row]
        best = [i for i, weight in enumerate(weights) if weight >= max(weights) - 1e-9]
        total += sum(units[i] == units[own] for i in best) / len(best)
    return total / len(before)


def linkability(released, original, halves, numbers):
    """Return the expected share of targets whose halves lead to the same released record."""
    after, before = scaled(released, original, [*halves[0], *halves[1]], numbers)
    total = 0.0
    for target in before:
        one, other = (nearest(target, after, half, numbers) for half in halves)
        total += len(one & other) / (len(one) * len(other))
    return total / len(before)


def inference(released, original, names, numbers, secret):
    """Return the expected share of targets whose category is that of most near records."""
    after, before = scaled(released, original, names, numbers)
    total = 0.0
    for own, target in enumerate(before):
        values = [released[i][secret] for i in nearest(target, after, names, numbers)]
        most = max(values.count(value) for value in values)
        modes = {value for value in values if values.count(value) == most}
        total += (original[own][secret] in modes) / len(modes)
    return total / len(before)
