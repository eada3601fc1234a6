"""Which group comes next: a tournament, played again along one path at a time.

``first`` is a tree. Its leaves, the second half, are the players by number or -1;
every other node holds the winner of the two below it, and node 1 the winner of all.
"""

import numpy as np

from shoal._kernels._compile import compiled


def bracket(players):
    """Return a tournament in which the lowest number among ``players`` (a mask) leads."""
    leaves = 1 << (len(players) - 1).bit_length()
    first = np.full(2 * leaves, -1)
    first[leaves : leaves + len(players)] = np.where(players, np.arange(len(players)), -1)
    while leaves > 1:
        left, right = first[leaves : 2 * leaves : 2], first[leaves + 1 : 2 * leaves : 2]
        leaves //= 2
        first[leaves : 2 * leaves] = np.where(left < 0, right, left)
    return first


@compiled
def replay(first, g, plays, increase, partner):
    """Play the games of ``g`` again, with a new key; without it if it ``plays`` no more."""
    node = first.shape[0] // 2 + g
    first[node] = g if plays else -1
    node //= 2
    while node > 0:
        left = first[2 * node]
        right = first[2 * node + 1]
        if left < 0 or (right >= 0 and before(right, left, increase, partner)):
            left = right
        first[node] = left
        node //= 2


@compiled
def before(a, b, increase, partner):
    """Say whether the pair of ``a`` comes before that of ``b``: by increase, then by numbers."""
    if increase[a] != increase[b]:
        return increase[a] < increase[b]
    lower_a = min(a, partner[a])
    lower_b = min(b, partner[b])
    if lower_a != lower_b:
        return lower_a < lower_b
    return max(a, partner[a]) < max(b, partner[b])
