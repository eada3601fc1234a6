"""The exact nearest neighbours of every record by matrix products, for tables without near records.

Where an index rules out hardly any block, all distances are computed anyway, and a product of
matrices computes them fastest: with v and w the stored positions of two records, each extended by
two numbers, the product (-2v, |v|², 1) (w, 1, |w|²) is their squared distance. Each is compared
with the lists of both records. As in `shoal._kernels.spatial.search`, single precision only
excludes pairs; the others are measured in double precision on the original columns.

The margin, in the terms of `shoal._kernels.spatial.score_bounds`: a record that comes into the list of v
has a stored position w with |v - w|² <= -required, where required is the `required_score`. Let d be
the root of that; then |w| <= |v| + d. The product is a sum of p + 2 terms, whose absolute values
add up to at most (|v| + |w|)². In any order of summation, with or without fused operations, its
error is at most (p + 3) e times that [H02]_, and the rounding of |v|² and |w|² adds e times that.
SUMMATION_ERROR (p + 8) (2|v| + d)², with SUMMATION_ERROR = 4 e, covers this, the rounding of |v|
and that of the limit itself. Each operation loses at most 2**-126 by underflow, even where
subnormal numbers are flushed to zero; UNDERFLOW_ERROR (p + 8) covers these losses. As no axes are
rotated, storage errors are smaller than in `shoal._kernels.spatial.search`.

References
----------
.. [H02] Higham, N. J. (2002). Accuracy and Stability of Numerical Algorithms. SIAM, section 3.1.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from threadpoolctl import ThreadpoolController

from shoal._kernels._compile import compiled
from shoal._kernels.distances import squared_distance
from shoal._kernels.spatial.score_bounds import SUMMATION_ERROR, UNDERFLOW_ERROR, required_score
from shoal._kernels.spatial.search import NEAREST, comes_first, insert

TILE = 512  # records of a tile
ROWS = 256  # records of a tile that are multiplied with another tile at a time
CHUNK = 64  # products that are compared together
STRIDE = 1 << 28  # multiplications between two reports of progress: a fraction of a second


class Lists(NamedTuple):
    """Lists of neighbours, and what is needed to extend them.

    ``order[t]`` is the record at place t, whose list is ``nearest[order[t]]`` with the squared
    distances ``squares[order[t]]`` and ``counts[t]`` entries. ``norms[t]`` is its distance from the
    origin, and ``limits[t]`` the product up to which another record may come into its list.
    """

    X: np.ndarray
    scale: float
    order: np.ndarray
    nearest: np.ndarray
    squares: np.ndarray
    counts: np.ndarray
    norms: np.ndarray
    limits: np.ndarray


def find_by_products(
    X: np.ndarray,
    order: np.ndarray,
    origin: np.ndarray,
    scale: float,
    nearest: np.ndarray,
    squares: np.ndarray,
) -> Iterator[int]:
    """Fill ``nearest`` with the nearest others of the records in ``order``, and ``squares``.

    Yield after each stride the share of the work that is done, as a number of records. The scale is
    a power of two that brings all differences from ``origin`` to about 1.
    """
    n, p = len(order), X.shape[1]
    right = extended_rows(X, order, origin, scale)
    lists = Lists(
        X, scale, order, nearest, squares,
        counts=np.zeros(n, np.int64),
        norms=np.sqrt(right[:, p + 1].astype(np.float64)),
        limits=np.full(n, np.inf, np.float32),
    )  # fmt: skip
    left, products = np.empty((TILE, p + 2), np.float32), np.empty((ROWS, TILE), np.float32)
    pairs, per_stride = tile_pairs(-(-n // TILE)), max(1, STRIDE // (TILE * TILE * (p + 2)))
    blas = ThreadpoolController()
    for done in range(0, len(pairs), per_stride):
        # These products are too small to share: threads would wait for each other most of the time.
        with blas.limit(limits=1, user_api="blas"):
            for tile, other in pairs[done : done + per_stride]:
                write_left(right[tile * TILE : (tile + 1) * TILE], left)
                add_tile(lists, left, right, tile * TILE, other * TILE, products)
        yield n * min(done + per_stride, len(pairs)) // len(pairs)


def add_tile(
    lists: Lists,
    left: np.ndarray,
    right: np.ndarray,
    first: int,
    other_first: int,
    products: np.ndarray,
) -> None:
    """Add the pairs of two tiles, which begin at some places, to the lists of both records."""
    columns = right[other_first : other_first + TILE]
    for start in range(first, min(first + TILE, len(right)), ROWS):
        rows = left[start - first :][: min(ROWS, len(right) - start)]
        part = products[: len(rows), : len(columns)]
        np.matmul(rows, columns.T, out=part)
        add_pairs(lists, part, start, other_first)


def tile_pairs(n_tiles: int) -> list[tuple[int, int]]:
    """Return all pairs of tiles; each with itself first, since its records lie close together."""
    own_pairs = [(tile, tile) for tile in range(n_tiles)]
    return own_pairs + [(a, b) for a in range(n_tiles) for b in range(a + 1, n_tiles)]


def extended_rows(X: np.ndarray, order: np.ndarray, origin: np.ndarray, scale: float) -> np.ndarray:
    """Return the positions of records in single precision, then a 1 and the squared norm."""
    n, p = len(order), X.shape[1]
    rows = np.ones((n, p + 2), np.float32)
    for start in range(0, n, TILE):
        part = rows[start : start + TILE]
        part[:, :p] = (X[order[start : start + TILE]] - origin) * scale
        part[:, p + 1] = np.square(part[:, :p], dtype=np.float64).sum(axis=1)
    return rows


def write_left(rows: np.ndarray, left: np.ndarray) -> None:
    """Write the left factors of the products of ``rows`` into ``left``."""
    p = rows.shape[1] - 2
    np.multiply(rows[:, :p], np.float32(-2), out=left[: len(rows), :p])
    left[: len(rows), p] = rows[:, p + 1]
    left[: len(rows), p + 1] = 1


@compiled
def add_pairs(lists, products, first, other_first):
    """Add pairs to the lists of both records, from the products of two runs of places.

    A pair of places counts once, where the second place is the later one.
    """
    for i in range(products.shape[0]):
        place = first + i
        for start in range(0, products.shape[1], CHUNK):
            stop = min(start + CHUNK, products.shape[1])
            chunk = products[i, start:stop]
            limits = lists.limits[other_first + start : other_first + stop]
            if not any_within(chunk, lists.limits[place], limits):
                continue
            for offset in range(chunk.shape[0]):
                other = other_first + start + offset
                if other > place and (
                    chunk[offset] <= lists.limits[place] or chunk[offset] <= lists.limits[other]
                ):
                    add_pair(lists, place, other)


@compiled
def any_within(products, limit, limits):
    """Return whether any product is within the limit of either record: vector instructions."""
    is_any = False
    for i in range(products.shape[0]):
        is_any |= (products[i] <= limit) | (products[i] <= limits[i])
    return is_any


@compiled
def add_pair(lists, place, other):
    """Add two records to the lists of each other if they come first in double precision."""
    record, other_record = lists.order[place], lists.order[other]
    square = squared_distance(lists.X, other_record, lists.X[record])
    add_to_list(lists, place, record, other_record, square)
    add_to_list(lists, other, other_record, record, square)


@compiled
def add_to_list(lists, place, record, other_record, square):
    """Add another record to the list of ``record``, whose place is ``place``, if it comes first."""
    best, squares, count = lists.nearest[record], lists.squares[record], lists.counts[place]
    last = best.shape[0] - 1
    if count > last and not comes_first(NEAREST, square, other_record, squares[last], best[last]):
        return
    count = insert(best, squares, count, NEAREST, other_record, square)
    lists.counts[place] = count
    if count > last:
        lists.limits[place] = product_limit(
            squares[last], lists.scale, lists.norms[place], lists.X.shape[1]
        )


@compiled
def product_limit(square, scale, norm, p):
    """Return the greatest product with a record that may come before one at a squared distance."""
    required = -float(required_score(square, NEAREST, scale, norm, p))
    reach = 2.0 * norm + np.sqrt(required)
    return np.float32(required + (SUMMATION_ERROR * reach * reach + UNDERFLOW_ERROR) * (p + 8))
