"""Check of the dual values of a [1,2]-factor: pairs of records of negative reduced cost.

Record v has two slots, v and n + v: the first must be matched, the second may
be. An edge between two records joins two first slots, or the first of one and
the second of the other. Odd sets of slots are numbered from 2n on and nested by
``parent``; the dual of each is subtracted from the edges inside it.
"""

from shoal._kernels._compile import compiled


@compiled
def shared_dual(above, parent, a, b):
    """Return the sum of the duals of the odd sets that contain both slots, from ``above``."""
    inside = parent[a]
    while inside >= 0:
        other = parent[b]
        while other >= 0:
            if inside == other:
                return above[inside]
            other = parent[other]
        inside = parent[inside]
    return 0.0


@compiled
def sums_outwards(value, parent):
    """Return for each node the sum of its dual and those of the odd sets that contain it."""
    above = value.copy()
    for node in range(value.shape[0]):
        around = parent[node]
        while around >= 0:
            above[node] += value[around]
            around = parent[around]
    return above


@compiled
def distance_within(X, u, v, limit):
    """Return the squared distance of two records; any number above ``limit`` if it is above."""
    total = 0.0
    for j in range(X.shape[1]):
        gap = X[u, j] - X[v, j]
        total += gap * gap
        if total > limit:
            break
    return total


@compiled
def list_violated_pairs(X, value, parent, above, start, stop, least, pairs):
    """Find the pairs of negative reduced cost with a higher record in ``start`` to ``stop``.

    Pairs whose reduced cost is below ``-least`` fill the rows of ``pairs``, as far as they
    suffice. Return their number and the greatest violation.
    """
    n = X.shape[0]
    count, greatest = 0, 0.0
    for u in range(start, stop):
        for v in range(u):
            first_slots, to_v, to_u = (
                value[u] + value[v],
                value[u] + value[n + v],
                value[v] + value[n + u],
            )
            limit = max(first_slots, to_v, to_u)
            distance = distance_within(X, u, v, limit)
            if distance >= limit:
                continue
            violation = max(
                first_slots - shared_dual(above, parent, u, v),
                to_v - shared_dual(above, parent, u, n + v),
                to_u - shared_dual(above, parent, v, n + u),
            )
            violation -= distance
            greatest = max(greatest, violation)
            if violation > least and count < pairs.shape[0]:
                pairs[count, 0], pairs[count, 1] = u, v
                count += 1
    return count, greatest
