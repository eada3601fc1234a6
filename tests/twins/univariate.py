"""The best runs of an order, slow and exact: fractions, no rounding anywhere."""

from fractions import Fraction

from twins.mdav import labels_of


def exactly(X):
    return [[Fraction(float(value)) for value in row] for row in X]


def sum_of_squares(rows):
    total = Fraction(0)
    for column in zip(*rows, strict=True):
        mean = sum(column) / len(column)
        total += sum((value - mean) ** 2 for value in column)
    return total


def shortest_path(X, k, order=None):
    """Return the labels of the best runs; of equal losses the shortest last group wins."""
    if order is None:
        order = sorted(range(len(X)), key=lambda i: (X[i, 0], i))
    rows = exactly(X[order])
    best = {0: (Fraction(0), [])}
    for j in range(k, len(rows) + 1):
        for m in range(k, 2 * k):
            if j - m in best:
                loss = best[j - m][0] + sum_of_squares(rows[j - m : j])
                if j not in best or loss < best[j][0]:
                    best[j] = loss, [*best[j - m][1], list(order[j - m : j])]
    return labels_of(best[len(rows)][1], len(X))


def partitions(records, k):
    """Yield every way to split ``records`` into groups of at least ``k``, neighbours or not."""
    if not records:
        yield []
        return
    first, others = records[0], records[1:]
    for subset in range(1 << len(others)):
        group = [first, *(r for position, r in enumerate(others) if subset >> position & 1)]
        if len(group) >= k:
            remaining = [r for position, r in enumerate(others) if not subset >> position & 1]
            for other_groups in partitions(remaining, k):
                yield [group, *other_groups]


def least_loss(X, k):
    """Return the smallest sum of squares of all partitions, by trying each of them."""
    rows = exactly(X)
    return min(
        sum(sum_of_squares([rows[i] for i in group]) for group in groups)
        for groups in partitions(list(range(len(rows))), k)
    )
