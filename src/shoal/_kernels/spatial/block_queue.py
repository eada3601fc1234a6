"""A priority queue of superblocks, greatest bound first.

A superblock is a run of `BLOCKS_PER_SUPERBLOCK` blocks. Before its first visit a search can exclude
none of them; after it, most. So the best superblock is visited first, after one scan, and only then
are the others put into the heap.

While a search runs, ``queue[: n_queued - 1]`` is a heap, and ``queue[n_queued - 1]`` is the
superblock that is being visited. At first that is superblock 0 without any bounds of blocks, so
that the search goes on to the heap at once.
"""

from shoal._kernels._compile import compiled
from shoal._kernels.spatial.score_bounds import NO_SCORE
from shoal._kernels.structures.heap import sift_down


@compiled
def queue_best_superblock(outer_bounds, queue, bounds):
    """Queue the superblock with the greatest bound; return the length of the queue.

    This is for searches without any result yet; `queue_other_superblocks` queues the rest.
    """
    queue[0] = index_of_greatest(outer_bounds)
    queue[1] = 0
    bounds[:] = NO_SCORE
    return 2


@compiled
def index_of_greatest(bounds):
    """Return the index of the greatest bound."""
    best = 0
    for i in range(1, bounds.shape[0]):
        if bounds[i] > bounds[best]:
            best = i
    return best


@compiled
def queue_other_superblocks(outer_bounds, queue, required, bounds):
    """Queue the superblocks that may contain a better record, after the best one was visited."""
    outer_bounds[queue[0]] = NO_SCORE
    return queue_superblocks(outer_bounds, queue, required, bounds)


@compiled
def queue_superblocks(outer_bounds, queue, required, bounds):
    """Queue the superblocks with a bound high enough; return the length of the queue."""
    n_queued = heapify_superblocks(outer_bounds, queue, required)
    queue[n_queued] = 0
    bounds[:] = NO_SCORE
    return n_queued + 1


@compiled
def heapify_superblocks(bounds, queue, required):
    """Make a heap of the superblocks whose bound is high enough; return how many there are."""
    n_queued = 0
    for superblock in range(bounds.shape[0]):
        if bounds[superblock] >= required and bounds[superblock] > NO_SCORE:
            queue[n_queued] = superblock
            n_queued += 1
    for position in range(n_queued // 2 - 1, -1, -1):
        sift_down(queue, bounds, bounds, position, n_queued, queue[position])
    return n_queued


@compiled
def pop_superblock(bounds, queue, n_queued, required):
    """Move the superblock with the greatest bound to the end of a heap of ``n_queued`` superblocks.

    Return the length of the queue, this superblock included, or 0 if its bound is too low.
    """
    if n_queued == 0 or not bounds[queue[0]] >= required:
        return 0
    queue[0], queue[n_queued - 1] = queue[n_queued - 1], queue[0]
    sift_down(queue, bounds, bounds, 0, n_queued - 1, queue[0])
    return n_queued
