"""The queue of records whose moves are to be tried: first in, first out."""

from shoal._kernels._compile import compiled, inlined
from shoal._kernels.local_search.grouping import N_QUEUED, QUEUE_START


@inlined
def queue_record(s, i):
    """Queue record ``i``, once."""
    if not s.is_queued[i]:
        s.is_queued[i] = True
        s.queue[(s.counts[QUEUE_START] + s.counts[N_QUEUED]) % s.queue.shape[0]] = i
        s.counts[N_QUEUED] += 1


@inlined
def queue_group(s, g):
    """Queue all records of group ``g``."""
    for m in range(s.sizes[g]):
        queue_record(s, s.members[g, m])


@inlined
def pop_record(s):
    """Remove and return the record queued first."""
    i = s.queue[s.counts[QUEUE_START]]
    s.counts[QUEUE_START] = (s.counts[QUEUE_START] + 1) % s.queue.shape[0]
    s.counts[N_QUEUED] -= 1
    s.is_queued[i] = False
    return i


@compiled
def queue_all(s):
    """Queue all records."""
    for i in range(s.X.shape[0]):
        queue_record(s, i)


@compiled
def clear_queue(s):
    """Empty the queue."""
    while s.counts[N_QUEUED] > 0:
        pop_record(s)
