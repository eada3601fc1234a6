"""Nearest records in tables of numbers and categories, with all that are equally near.

The squared distance of two records is the sum of the squared differences of their numbers and of 1
for each category that differs. A missing number, NaN, equals another missing one and is at
distance 1 from every value. Each target is compared with all records, a block of records at a time
that fits into the processor's cache; a comparison ends where the sum exceeds the bound.
"""

from shoal._kernels._compile import compiled

BLOCK = 2048  # records


@compiled
def mixed_square(numbers, codes, record, points, point_codes, i, bound):
    """Return the squared distance of a record from a target, or some sum above ``bound``."""
    total = 0.0
    for j in range(codes.shape[1]):
        if codes[record, j] != point_codes[i, j]:
            total += 1.0
    for j in range(numbers.shape[1]):
        if total > bound:
            break
        one, other = numbers[record, j], points[i, j]
        gap = one - other
        if gap == gap:
            total += gap * gap
        elif one == one or other == other:
            total += 1.0
    return total


@compiled
def lower_bounds(numbers, codes, points, point_codes, squares):
    """Lower each bound to the least squared distance of its target from any record."""
    n = numbers.shape[0]
    for start in range(0, n, BLOCK):
        stop = min(n, start + BLOCK)
        for i in range(points.shape[0]):
            best = squares[i]
            for record in range(start, stop):
                square = mixed_square(numbers, codes, record, points, point_codes, i, best)
                if square < best:
                    best = square
            squares[i] = best


@compiled
def count_within(numbers, codes, points, point_codes, bounds, counts):
    """Count the records whose squared distance from each target is at most its bound."""
    n = numbers.shape[0]
    for start in range(0, n, BLOCK):
        stop = min(n, start + BLOCK)
        for i in range(points.shape[0]):
            for record in range(start, stop):
                square = mixed_square(numbers, codes, record, points, point_codes, i, bounds[i])
                if square <= bounds[i]:
                    counts[i] += 1


@compiled
def list_within(numbers, codes, points, point_codes, bounds, position, records):
    """Write the records that `count_within` counts to ``records``, from ``position`` on."""
    n = numbers.shape[0]
    for start in range(0, n, BLOCK):
        stop = min(n, start + BLOCK)
        for i in range(points.shape[0]):
            for record in range(start, stop):
                square = mixed_square(numbers, codes, record, points, point_codes, i, bounds[i])
                if square <= bounds[i]:
                    records[position[i]] = record
                    position[i] += 1


@compiled
def agreement(one, other, close, near):
    """Return how well two numbers agree: 3 exactly, 2 within ``close``, 1 within ``near``, else 0.

    Two missing numbers agree exactly; a missing number does not agree with any value.
    """
    gap = abs(one - other)
    if gap == 0.0 or (one != one and other != other):
        return 3
    if gap <= close:
        return 2
    return 1 if gap <= near else 0


@compiled
def agreement_patterns(numbers, codes, points, point_codes, close, near, patterns):
    """Write the pattern of agreement of each record with each target.

    A pattern is a number to base 4, with a digit for each column: numbers first, then categories,
    which agree (3) or do not (0).
    """
    for record in range(numbers.shape[0]):
        for i in range(points.shape[0]):
            pattern = 0
            for j in range(numbers.shape[1]):
                pattern = 4 * pattern + agreement(numbers[record, j], points[i, j], close, near)
            for j in range(codes.shape[1]):
                pattern = 4 * pattern + 3 * (codes[record, j] == point_codes[i, j])
            patterns[record, i] = pattern


@compiled
def match_weight(numbers, codes, record, points, point_codes, i, close, near, weights):
    """Return the sum of the weights of the agreements between a record and a target."""
    total = 0.0
    for j in range(numbers.shape[1]):
        total += weights[j, agreement(numbers[record, j], points[i, j], close, near)]
    for j in range(codes.shape[1]):
        level = 3 if codes[record, j] == point_codes[i, j] else 0
        total += weights[numbers.shape[1] + j, level]
    return total


@compiled
def rank_own_by_weight(
    numbers, codes, sizes, points, point_codes, own, close, near, weights, slack, ties
):
    """Count the records whose weight is that of each target's own record; 0 if one has more.

    ``numbers`` and ``codes`` have a row for each class of ``sizes`` equal records. Weights that
    differ by at most ``slack`` are equal.
    """
    for i in range(points.shape[0]):
        mine = match_weight(numbers, codes, own[i], points, point_codes, i, close, near, weights)
        ties[i] = 0
        for record in range(numbers.shape[0]):
            weight = match_weight(
                numbers, codes, record, points, point_codes, i, close, near, weights
            )
            if weight > mine + slack:
                ties[i] = 0
                break
            if weight >= mine - slack:
                ties[i] += sizes[record]
