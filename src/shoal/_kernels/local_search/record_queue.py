"""The queue of records whose moves are to be tried: first in, first out."""

from shoal._kernels._compile import compiled, inlined
from shoal._kernels.local_search.grouping import N_QUEUED, QUEUE_START


@inlined
def queue_record(grouping, i):
    """Queue record ``i``, once."""
    if not grouping.is_queued[i]:
        grouping.is_queued[i] = True
        grouping.queue[
            (grouping.counts[QUEUE_START] + grouping.counts[N_QUEUED]) % grouping.queue.shape[0]
        ] = i
        grouping.counts[N_QUEUED] += 1


@inlined
def queue_group(grouping, g):
    """Queue all records of group ``g``."""
    for m in range(grouping.sizes[g]):
        queue_record(grouping, grouping.members[g, m])


@inlined
def pop_record(grouping):
    """Remove and return the record queued first."""
    i = grouping.queue[grouping.counts[QUEUE_START]]
    grouping.counts[QUEUE_START] = (grouping.counts[QUEUE_START] + 1) % grouping.queue.shape[0]
    grouping.counts[N_QUEUED] -= 1
    grouping.is_queued[i] = False
    return i


@compiled
def queue_all(grouping):
    """Queue all records."""
    for i in range(grouping.X.shape[0]):
        queue_record(grouping, i)


@compiled
def clear_queue(grouping):
    """Empty the queue."""
    while grouping.counts[N_QUEUED] > 0:
        pop_record(grouping)
