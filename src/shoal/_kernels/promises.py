"""Groups of blocks in the order of what they promise: a heap, the greatest hope first.

A long table has a thousand groups, and a search may look into a hundred of them. To find the best
of all that wait, each time anew, took a fifth of MDAV's time at a million records. Where a search
starts with nothing found, all groups may matter until one is looked into, and few do then. So the
best comes first, by one pass, and the others wait after that.
"""

from shoal._kernels._compile import compiled
from shoal._kernels.bounds import HOPELESS


@compiled
def queue_best(outer_hopes, waiting, hopes):
    """Let the most promising group wait, and one without hopes that is being looked into.

    Return how many do. For searches that have found nothing yet; go on with `queue_others`.
    """
    waiting[0] = most_promising(outer_hopes)
    waiting[1] = 0
    hopes[:] = HOPELESS
    return 2


@compiled
def most_promising(hopes):
    """Return the place of the greatest hope."""
    best = 0
    for i in range(1, hopes.shape[0]):
        if hopes[i] > hopes[best]:
            best = i
    return best


@compiled
def queue_others(outer_hopes, waiting, needed, hopes):
    """Let the groups wait that may matter beside the best, which has been looked into."""
    outer_hopes[waiting[0]] = HOPELESS
    return queue(outer_hopes, waiting, needed, hopes)


@compiled
def queue(outer_hopes, waiting, needed, hopes):
    """Let the groups that may matter wait, and one without hopes that is being looked into.

    Return how many do: the last is the one without.
    """
    left = line_up(outer_hopes, waiting, needed)
    waiting[left] = 0
    hopes[:] = HOPELESS
    return left + 1


@compiled
def line_up(hopes, waiting, needed):
    """Let the groups that may matter wait; return how many do."""
    left = 0
    for g in range(hopes.shape[0]):
        if hopes[g] >= needed and hopes[g] > HOPELESS:
            waiting[left] = g
            left += 1
    for at in range(left // 2 - 1, -1, -1):
        sink(hopes, waiting, at, left)
    return left


@compiled
def next_group(hopes, waiting, left, needed):
    """Bring the most promising of ``left`` groups to their end.

    Return how many wait, this one included: none if it cannot matter.
    """
    if left == 0 or not hopes[waiting[0]] >= needed:
        return 0
    waiting[0], waiting[left - 1] = waiting[left - 1], waiting[0]
    sink(hopes, waiting, 0, left - 1)
    return left


@compiled
def sink(hopes, waiting, at, left):
    """Let the group at one place go down until none below it promises more."""
    g = waiting[at]
    hoped, child = hopes[g], 2 * at + 1
    while child < left:
        if child + 1 < left and hopes[waiting[child + 1]] > hopes[waiting[child]]:
            child += 1
        if not hopes[waiting[child]] > hoped:
            break
        waiting[at] = waiting[child]
        at, child = child, 2 * child + 1
    waiting[at] = g
