"""A priority queue of groups of blocks, greatest bound first.

Before its first visit a search can exclude no group; after it, most. So the best group is visited
first, after one scan, and only then are the remaining groups put into the heap.
"""

from shoal._kernels._compile import compiled
from shoal._kernels.spatial.bounds import NO_SCORE
from shoal._kernels.structures.heap import sift_down


@compiled
def queue_best_group(outer_bounds, queue, bounds):
    """Queue the group with the greatest bound, and a placeholder for the group being visited.

    Return the length of the queue. For searches without any result yet; `queue_other_groups`
    queues the rest.
    """
    queue[0] = greatest(outer_bounds)
    queue[1] = 0
    bounds[:] = NO_SCORE
    return 2


@compiled
def greatest(bounds):
    """Return the index of the greatest bound."""
    best = 0
    for i in range(1, bounds.shape[0]):
        if bounds[i] > bounds[best]:
            best = i
    return best


@compiled
def queue_other_groups(outer_bounds, queue, needed, bounds):
    """Queue the groups that may contain a better record, after the best one was visited."""
    outer_bounds[queue[0]] = NO_SCORE
    return queue_groups(outer_bounds, queue, needed, bounds)


@compiled
def queue_groups(outer_bounds, queue, needed, bounds):
    """Queue the groups whose bound is high enough, and a placeholder for the group being visited.

    Return the length of the queue; the placeholder is its last entry.
    """
    left = heapify_groups(outer_bounds, queue, needed)
    queue[left] = 0
    bounds[:] = NO_SCORE
    return left + 1


@compiled
def heapify_groups(bounds, queue, needed):
    """Make a heap of the groups whose bound is high enough; return how many there are."""
    left = 0
    for g in range(bounds.shape[0]):
        if bounds[g] >= needed and bounds[g] > NO_SCORE:
            queue[left] = g
            left += 1
    for at in range(left // 2 - 1, -1, -1):
        sift_down(queue, bounds, bounds, at, left, queue[at])
    return left


@compiled
def pop_group(bounds, queue, left, needed):
    """Move the group with the greatest bound to the end of a heap of ``left`` groups.

    Return the length of the queue, this group included, or 0 if its bound is too low.
    """
    if left == 0 or not bounds[queue[0]] >= needed:
        return 0
    queue[0], queue[left - 1] = queue[left - 1], queue[0]
    sift_down(queue, bounds, bounds, 0, left - 1, queue[0])
    return left
