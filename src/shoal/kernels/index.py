"""The records that still have no group, stored so that most of them need not be looked at.

The verbs are here and in `shoal.kernels.search`: the `nearest` living records of a
point, the living record `farthest` from a point, the `centre` of the living, and
`remove`. Answers are the same as those of a pass over all living records.
"""

import math
from typing import NamedTuple

import numpy as np

from shoal.kernels._compile import compiled
from shoal.kernels.arrange import BLOCK, FAN, arrange
from shoal.kernels.axes import greatest_gap, power_of_two, principal_frame
from shoal.kernels.exact import add_exactly, add_record, mean_of

WORN = 0.7  # share of the records that must live, else the index is built anew
KEPT = 1024  # living records for which building anew no longer pays


class Index(NamedTuple):
    """Living records in blocks, their boxes, and the labels given so far.

    ``blocks[b, a, i]`` is the position of one record along axis a of the frame, in
    single precision, and ``records[b, i]`` its number. The axes are the leading
    ones, the distance from the origin along all others (at ``leading``), those
    others, and the distance from the origin. Who has left is not a number there,
    so that no comparison holds for it. ``place`` is the way from a record to b * BLOCK + i.

    ``low`` and ``high`` are the faces of the boxes around blocks (as group, axis,
    block in the group), ``outer_low`` and ``outer_high`` those around groups of
    blocks (as axis, group). ``filled`` counts the living of each block.

    ``total`` is the sum of the living, as leading part and rounding error per
    column. The rest is working space of searches.
    """

    X: np.ndarray
    labels: np.ndarray
    groups: np.ndarray
    size: np.ndarray
    total: np.ndarray
    origin: np.ndarray
    axes: np.ndarray
    scale: float
    leading: int
    worn_below: int
    blocks: np.ndarray
    records: np.ndarray
    place: np.ndarray
    low: np.ndarray
    high: np.ndarray
    outer_low: np.ndarray
    outer_high: np.ndarray
    query: np.ndarray
    gaps: np.ndarray
    hopes: np.ndarray
    outer_hopes: np.ndarray
    waiting: np.ndarray
    first: np.ndarray
    first_square: np.ndarray
    looked: np.ndarray


def open_index(X: np.ndarray) -> Index:
    """Return an index of all rows of ``X``, none of which has a label."""
    n, p = X.shape
    total = np.zeros((p, 2))
    add_all(total, X)
    return _build(X, np.full(n, -1), np.zeros(1, np.int64), np.full(1, n), total)


def renew(index: Index) -> Index:
    """Return an index of the records that still live, with the labels given so far."""
    return _build(index.X, index.labels, index.groups, index.size, index.total)


def _build(X, labels, groups, size, total) -> Index:
    living = np.flatnonzero(labels < 0).astype(np.int32)
    n = len(living)
    frame = principal_frame(X, living, total[:, 0] / n)
    worn_below = int(WORN * n) if n > KEPT else 0
    return build(X, labels, groups, size, total, worn_below, living, *frame)


@compiled
def plain_index(X):
    """Return an index of all rows of ``X`` in the frame of its columns.

    It can be called from compiled code and is never worn. It serves short tables:
    long ones are searched faster in the frame that `open_index` takes.
    """
    n, p = X.shape
    total, origin = np.zeros((p, 2)), np.empty(p)
    add_all(total, X)
    mean_of(total, n, origin)
    living = np.arange(n).astype(np.int32)
    scale = power_of_two(greatest_gap(X, living, origin) * math.sqrt(p))
    return build(
        X, np.full(n, -1), np.zeros(1, np.int64), np.full(1, n), total,
        0, living, origin, np.eye(p), scale, p,
    )  # fmt: skip


@compiled
def add_all(total, X):
    """Add all rows of ``X`` to a sum over records."""
    for i in range(X.shape[0]):
        add_record(total, X[i])


@compiled
def build(X, labels, groups, size, total, worn_below, living, origin, axes, scale, leading):
    """Return an index of the ``living`` rows of ``X`` in a frame."""
    n, width = living.shape[0], X.shape[1] + 2
    rows = np.empty((n, width), np.float32)
    turned = np.empty(X.shape[1])
    for i in range(n):
        turn(X[living[i]], origin, axes, scale, turned)
        place_along(turned, leading, rows[i])
    order = np.arange(n).astype(np.int32)
    arrange(rows, order)

    outer = (n + BLOCK * FAN - 1) // (BLOCK * FAN)
    many = outer * FAN
    index = Index(
        X, labels, groups, size, total, origin, axes, scale, leading, worn_below,
        np.full((many, width, BLOCK), np.float32(np.nan)),
        np.empty((many, BLOCK), np.int32),
        np.empty(X.shape[0], np.int32),
        np.empty((outer, width, FAN), np.float32),
        np.empty((outer, width, FAN), np.float32),
        np.empty((width, outer), np.float32),
        np.empty((width, outer), np.float32),
        np.empty(width, np.float32),
        np.empty(BLOCK, np.float32),
        np.empty(FAN, np.float32),
        np.empty(outer, np.float32),
        np.empty(outer + 1, np.int64),
        np.empty(1, np.int64),
        np.empty(1),
        np.zeros(1, np.int64),
    )  # fmt: skip
    for i in range(n):
        record = living[order[i]]
        index.records[i // BLOCK, i % BLOCK] = record
        index.place[record] = i
        for a in range(width):
            index.blocks[i // BLOCK, a, i % BLOCK] = rows[order[i], a]
    for b in range(many):
        for a in range(width):
            fit_block(index, b, a)
    for g in range(outer):
        for a in range(width):
            fit_group(index, g, a)
    return index


@compiled
def turn(point, origin, axes, scale, turned):
    """Write the position of a point in the frame into ``turned``."""
    turned[:] = 0.0
    for j in range(point.shape[0]):
        along = (point[j] - origin[j]) * scale
        for a in range(turned.shape[0]):
            turned[a] += along * axes[j, a]


@compiled
def place_along(turned, leading, row):
    """Write a turned point into ``row`` as `Index` stores it."""
    p = turned.shape[0]
    near, rest = 0.0, 0.0
    for a in range(p):
        if a < leading:
            row[a] = turned[a]
            near += turned[a] * turned[a]
        else:
            row[a + 1] = turned[a]
            rest += turned[a] * turned[a]
    row[leading] = np.sqrt(rest)
    row[p + 1] = np.sqrt(near + rest)


@compiled
def fit_block(index, b, a):
    """Let the box of a block touch its living records along one axis."""
    low, high = np.float32(np.inf), np.float32(-np.inf)
    for value in index.blocks[b, a]:
        low = value if value < low else low
        high = value if value > high else high
    index.low[b // FAN, a, b % FAN] = low
    index.high[b // FAN, a, b % FAN] = high


@compiled
def fit_group(index, g, a):
    """Let the box of a group of blocks touch its blocks along one axis."""
    index.outer_low[a, g] = index.low[g, a].min()
    index.outer_high[a, g] = index.high[g, a].max()


@compiled
def centre(index, point):
    """Write the mean of the living records into ``point``."""
    mean_of(index.total, index.size[0], point)


@compiled
def remove(index, record):
    """Let a record leave; the boxes that it touched shrink."""
    b, i = index.place[record] // BLOCK, index.place[record] % BLOCK
    g = b // FAN
    for j in range(index.X.shape[1]):
        add_exactly(index.total[j], -index.X[record, j])
    for a in range(index.blocks.shape[1]):
        value = index.blocks[b, a, i]
        index.blocks[b, a, i] = np.nan
        if value == index.low[g, a, b % FAN] or value == index.high[g, a, b % FAN]:
            fit_block(index, b, a)
            if value == index.outer_low[a, g] or value == index.outer_high[a, g]:
                fit_group(index, g, a)
    index.size[0] -= 1


@compiled
def assign(index, record, group):
    """Put a record into a group; it leaves the index."""
    index.labels[record] = group
    remove(index, record)


@compiled
def take(index, found):
    """Make the records in ``found`` the next group; they leave the index."""
    for record in found:
        assign(index, record, index.groups[0])
    index.groups[0] += 1


@compiled
def worn(index):
    """Say whether so many records have left that building anew pays."""
    return index.size[0] < index.worn_below
