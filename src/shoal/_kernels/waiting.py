"""Records that wait for their moves to be tried: first come, first served."""

from shoal._kernels._compile import compiled, inlined
from shoal._kernels.grouping import NEXT, WAITING


@inlined
def push(s, i):
    """Let record ``i`` wait for its moves to be tried."""
    if not s.waits[i]:
        s.waits[i] = True
        s.queue[(s.counts[NEXT] + s.counts[WAITING]) % s.queue.shape[0]] = i
        s.counts[WAITING] += 1


@inlined
def push_group(s, g):
    """Let all records of group ``g`` wait."""
    for m in range(s.sizes[g]):
        push(s, s.members[g, m])


@inlined
def pop(s):
    """Return the record that waited longest."""
    i = s.queue[s.counts[NEXT]]
    s.counts[NEXT] = (s.counts[NEXT] + 1) % s.queue.shape[0]
    s.counts[WAITING] -= 1
    s.waits[i] = False
    return i


@compiled
def push_all(s):
    """Let all records wait."""
    for i in range(s.X.shape[0]):
        push(s, i)


@compiled
def forget(s):
    """Let nobody wait."""
    while s.counts[WAITING] > 0:
        pop(s)
