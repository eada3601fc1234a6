"""The queue of records whose moves are to be tried: first in, first out."""

from shoal._kernels._compile import compiled, inlined
from shoal._kernels.local_search.grouping import N_QUEUED, QUEUE_START


@inlined
def queue_record(grouping, record):
    """Queue ``record``, once."""
    if not grouping.is_queued[record]:
        grouping.is_queued[record] = True
        grouping.queue[
            (grouping.counts[QUEUE_START] + grouping.counts[N_QUEUED]) % grouping.queue.shape[0]
        ] = record
        grouping.counts[N_QUEUED] += 1


@inlined
def queue_group(grouping, group):
    """Queue all records of ``group``."""
    for position in range(grouping.sizes[group]):
        queue_record(grouping, grouping.members[group, position])


@inlined
def pop_record(grouping):
    """Remove and return the record queued first."""
    record = grouping.queue[grouping.counts[QUEUE_START]]
    grouping.counts[QUEUE_START] = (grouping.counts[QUEUE_START] + 1) % grouping.queue.shape[0]
    grouping.counts[N_QUEUED] -= 1
    grouping.is_queued[record] = False
    return record


@compiled
def queue_all(grouping):
    """Queue all records."""
    for record in range(grouping.X.shape[0]):
        queue_record(grouping, record)


@compiled
def clear_queue(grouping):
    """Empty the queue."""
    while grouping.counts[N_QUEUED] > 0:
        pop_record(grouping)
