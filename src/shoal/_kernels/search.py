"""The nearest and the farthest living records, found without looking at most of them.

Groups of blocks are looked into in the order of what their boxes promise, then
their blocks, until what is found beats what is left to look into. A block is
measured in single precision, a run of vector instructions; its records that may
matter are measured in double precision and decided. `shoal._kernels.bounds` proves
that the result is that of a pass over all living records.
"""

import numpy as np

from shoal._kernels._compile import compiled, inlined
from shoal._kernels.arrange import BLOCK, FAN
from shoal._kernels.bounds import HOPELESS, demand, hope
from shoal._kernels.index import OTHERS, place_along, turn
from shoal._kernels.promises import most_promising, next_group, queue_best, queue_others

# NumPy numbers, since numba compiles a verb anew for every plain constant handed to it.
NEAREST, FARTHEST = np.float32(-1), np.float32(1)
NONE_YET, NOBODY = np.int64(0), np.int64(-1)
AXES = np.int64(1)  # the axes of the frame are stored from here on


@inlined
def nearest(index, point, found, squares):
    """Fill ``found`` with the living records nearest to ``point``, nearest first.

    ``squares`` are their squared distances. Ties go to the lowest record. The
    number found is returned: less than asked for only if fewer live.
    """
    return search(index, point, NEAREST, NOBODY, found, squares, NONE_YET)


@inlined
def nearer(index, point, found, squares, count):
    """Go on with a list of ``count`` nearest records: let in those nearer to ``point``.

    So the nearest to any of several points are found. A record may stand in the
    list twice if the list is longer than one.
    """
    return search(index, point, NEAREST, NOBODY, found, squares, count)


@inlined
def nearest_others(index, record, found, squares):
    """Fill ``found`` with the living records nearest to a living one, itself left out."""
    return search(index, index.X[record], NEAREST, record, found, squares, NONE_YET)


@inlined
def farthest(index, point):
    """Return the living record farthest from ``point``; ties go to the lowest."""
    found, squares = np.empty(1, np.int64), np.empty(1)
    search(index, point, FARTHEST, NOBODY, found, squares, NONE_YET)
    return found[0]


@compiled
def search(index, point, side, self, found, squares, count):
    """Let the living records with the greatest scores into a list; return its length.

    The record ``self`` is left out, if it is not ``NOBODY``.
    ``point`` must lie no farther out than the records of which the index was built.
    """
    p, most = point.shape[0], found.shape[0]
    reach = aim(point, index.origin, index.axes, index.scale, index.leading, side, index.query)
    needed = HOPELESS
    if count == most:
        needed = demand(squares[most - 1], side, index.scale, reach, p)
    hope(index.outer_low, index.outer_high, index.query, side, index.outer_hopes)
    left, alone = queue_best(index.outer_hopes, index.waiting, index.hopes), True
    while True:
        b, left = next_block(
            index.blocks, index.low, index.high, index.query, index.leading, side, needed,
            index.outer_hopes, index.hopes, index.waiting, left, index.gaps, index.looked,
        )  # fmt: skip
        if b >= 0:
            count, needed = decide(
                index.X, point, self, index.records[b], index.alike[b], index.gaps, side, needed,
                index.scale, reach, found, squares, count,
            )  # fmt: skip
        elif alone:
            left = queue_others(index.outer_hopes, index.waiting, needed, index.hopes)
            alone = False
        else:
            return count


@compiled
def decide(X, point, self, records, alike, gaps, side, needed, scale, reach, found, squares, count):
    """Let into a list who of a measured block comes first in double precision.

    The record ``self`` is left out. Return the length of the list and the score
    that a record now must have.
    """
    p, most = point.shape[0], found.shape[0]
    squared, known = 0.0, False
    for i in range(BLOCK):
        if side * gaps[i] >= needed:
            record = records[i]
            if record == self:
                continue
            if not known:
                squared = squared_distance(X, record, point)
                known = alike
            if count == most and not comes_first(
                side, squared, record, squares[most - 1], found[most - 1]
            ):
                continue
            count = insert(found, squares, count, side, record, squared)
            if count == most:
                needed = demand(squares[most - 1], side, scale, reach, p)
    return count, needed


@compiled
def aim(point, origin, axes, scale, leading, side, query):
    """Place ``point`` as records are placed; return its distance from the origin."""
    turned = np.empty(point.shape[0])
    turn(point, origin, axes, scale, turned)
    place_along(turned, leading, query)
    # Along the other axes two positions differ by the difference of their distances from the
    # origin at least, and by the sum at most.
    query[OTHERS] *= -side
    return float(query[point.shape[0] + 1])


@compiled
def next_block(
    blocks, low, high, query, leading, side, needed, outer_hopes, hopes, waiting, left, gaps, looked
):
    """Measure blocks, the most promising first, until one may matter.

    Return it, or -1, and how many groups wait; the last of them is being looked
    into. It takes arrays one by one, since handing over a whole index costs as
    much as measuring a block.
    """
    while left > 0:
        g = waiting[left - 1]
        # The order within a group pays only while nothing is found.
        start = most_promising(hopes) if needed == HOPELESS else 0
        for at in range(start, FAN):
            if hopes[at] > HOPELESS and hopes[at] >= needed:
                hopes[at] = HOPELESS
                looked[0] += 1
                if measure_block(blocks[g * FAN + at], query, leading, side, needed, gaps):
                    return g * FAN + at, left
        left = next_group(outer_hopes, waiting, left - 1, needed)
        if left > 0:
            looked[0] += 1
            g = waiting[left - 1]
            hope(low[g], high[g], query, side, hopes)
    return -1, left


@compiled
def measure_block(block, query, leading, side, needed, gaps):
    """Fill ``gaps`` with the squared distances in a block; say whether one may matter.

    If the leading axes and the distances along all others say no, the others are
    not looked at.
    """
    for i in range(BLOCK):
        gaps[i] = np.float32(0)
    add_gaps(block, query, AXES, AXES + leading, gaps)
    others, q = block[OTHERS], query[OTHERS]
    hits = np.int32(0)
    for i in range(BLOCK):
        gap = others[i] - q
        hits |= np.int32(side * (gaps[i] + gap * gap) >= needed)
    if hits == 0:
        return False
    add_gaps(block, query, AXES + leading, block.shape[0] - 1, gaps)
    return True


@compiled
def add_gaps(block, query, start, stop, gaps):
    """Add the squared differences along some axes to ``gaps``."""
    for a in range(start, stop):
        column, q = block[a], query[a]
        for i in range(BLOCK):
            gap = column[i] - q
            gaps[i] += gap * gap


@compiled
def squared_distance(X, record, point):
    """Return the squared distance of a record to a point, summed column by column."""
    total = 0.0
    for j in range(point.shape[0]):
        gap = X[record, j] - point[j]
        total += gap * gap
    return total


@compiled
def insert(found, squares, count, side, record, squared):
    """Let a record into a list, the last one out if it is full; return how many it now holds."""
    at = min(count, found.shape[0] - 1)
    while at > 0 and comes_first(side, squared, record, squares[at - 1], found[at - 1]):
        found[at], squares[at] = found[at - 1], squares[at - 1]
        at -= 1
    found[at], squares[at] = record, squared
    return min(count + 1, found.shape[0])


@compiled
def comes_first(side, squared, record, other_squared, other):
    """Say whether a record has the greater score; ties go to the lowest record."""
    if squared == other_squared:
        return record < other
    return squared > other_squared if side > 0 else squared < other_squared
