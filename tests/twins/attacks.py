"""Attacks on small tables, one record at a time, straight from their definitions."""

import math


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


def linkage(released, original, names, numbers):
    """Return the expected share of targets whose nearest released record is their own."""
    after, before = scaled(released, original, names, numbers)
    total = 0.0
    for own, target in enumerate(before):
        near = nearest(target, after, names, numbers)
        total += (own in near) / len(near)
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
