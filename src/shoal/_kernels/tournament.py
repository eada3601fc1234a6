"""A tournament: who of many has the least score, when one score changes at a time.

``bracket`` has one place for each player in its second half, in the order of
their numbers; place b holds the winner of places 2b and 2b + 1, so place 1 holds
the winner of all. Empty places hold ``NOBODY``.
"""

from shoal._kernels._compile import compiled
from shoal._kernels.boxes import NOBODY


@compiled
def play(bracket, score, match):
    """Send the player with the lesser score on; the lower number sits left and wins ties."""
    left, right = bracket[2 * match], bracket[2 * match + 1]
    if left == NOBODY or (right != NOBODY and score[right] < score[left]):
        left = right
    bracket[match] = left


@compiled
def play_again(bracket, score, player, entry):
    """Play the matches of ``player`` again, whose place is now taken by itself or ``NOBODY``."""
    match = bracket.shape[0] // 2 + player
    bracket[match] = entry
    while match > 1:
        match //= 2
        play(bracket, score, match)
