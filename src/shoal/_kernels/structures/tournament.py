"""A tournament tree, which yields the player with the least key while keys change one by one.

The key of a player is its score and, for ties, the pair of the player and its partner: the lower
number first, then the higher. ``tree`` has the players in its second half, each at its number, or
``NONE``; a node contains the winner of nodes 2 * node and 2 * node + 1, so node 1 the winner of
all.
"""

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.constants import NONE


def open_tournament(is_playing: np.ndarray) -> np.ndarray:
    """Return a tournament of the players in a mask; all scores are equal, so the lowest wins.

    Examples
    --------
    >>> open_tournament(np.array([False, True, True]))
    array([-1,  1,  1,  2, -1,  1,  2, -1])
    """
    leaves = 1 << (len(is_playing) - 1).bit_length()
    tree = np.full(2 * leaves, NONE)
    tree[leaves : leaves + len(is_playing)] = np.where(is_playing, np.arange(len(is_playing)), NONE)
    while leaves > 1:
        left, right = tree[leaves : 2 * leaves : 2], tree[leaves + 1 : 2 * leaves : 2]
        leaves //= 2
        tree[leaves : 2 * leaves] = np.where(left == NONE, right, left)
    return tree


@compiled
def winner_of_all(tree):
    """Return the player with the least key, or ``NONE`` if there is no player."""
    return tree[1]


@compiled
def play_all(tree, score, partner):
    """Compute the winner at every node."""
    for node in range(tree.shape[0] // 2 - 1, 0, -1):
        tree[node] = winner(tree, score, partner, node)


@compiled
def replay(tree, score, partner, player, is_playing):
    """Update the winners above a player whose key has changed, or which is removed."""
    node = tree.shape[0] // 2 + player
    tree[node] = player if is_playing else NONE
    while node > 1:
        node //= 2
        tree[node] = winner(tree, score, partner, node)


@compiled
def winner(tree, score, partner, node):
    """Return the winner of the two children of a node, or of the only one."""
    left, right = tree[2 * node], tree[2 * node + 1]
    if left == NONE or (right != NONE and precedes(score, partner, right, left)):
        return right
    return left


@compiled
def precedes(score, partner, player, other):
    """Return whether ``player`` has a lower key than ``other``."""
    if score[player] != score[other]:
        return score[player] < score[other]
    lower, other_lower = min(player, partner[player]), min(other, partner[other])
    if lower != other_lower:
        return lower < other_lower
    return max(player, partner[player]) < max(other, partner[other])
