"""The exact nearest neighbours of every record by matrix products, for tables without near records.

If an index excludes hardly any block, all distances are computed anyway, and a product of matrices
computes them fastest: with v and w the stored positions of two records, each extended by two
numbers, the product (-2v, |v|², 1) (w, 1, |w|²) is their squared distance. Each is compared with
the lists of both records. As in `shoal._kernels.spatial.search`, single precision only excludes
pairs; the others are measured in double precision on the original columns.

The margin, in the terms of `shoal._kernels.spatial.score_bounds`: a record that comes into the list
of v has a stored position w with |v - w|² <= -required, where required is the `required_score`. Let
d be the root of that; then |w| <= |v| + d. The product is a sum of p + 2 terms, whose absolute
values add up to at most (|v| + |w|)². In any order of summation, with or without fused operations,
its error is at most (p + 3) e times that, with e = 2**-24, the unit roundoff [H02]_, and the
rounding of |v|² and |w|² adds e times that. SUMMATION_ERROR (p + 8) (2|v| + d)², with
SUMMATION_ERROR = 4 e, covers this, the rounding of |v| and the rounding of the limit itself. Each
operation loses at most 2**-126 by underflow, even if subnormal numbers are flushed to zero;
UNDERFLOW_ERROR (p + 8) covers these losses. As no axes are rotated, storage errors are smaller than
in `shoal._kernels.spatial.search`.

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
from shoal._kernels.lanes import SINGLE_LANES, fill_lanes, lanes_within, load_lanes, lowest_bit
from shoal._kernels.spatial.score_bounds import SUMMATION_ERROR, UNDERFLOW_ERROR, required_score
from shoal._kernels.spatial.search import NEAREST, comes_first, insert

TILE = 512  # records of a tile; a multiple of CHUNK
ROWS = 256  # records of a tile that are multiplied with another tile at a time
NEAR_TILES = 8  # distance in the order of tiles from which on pairs are no longer preferred
CHUNK = 64  # products that are compared together: the bits of a number
STRIDE = 1 << 28  # multiplications between two reports of progress: a fraction of a second


class NeighbourLists(NamedTuple):
    """Lists of neighbours, and what is needed to extend them.

    ``order[t]`` is the record at position t, whose list is ``nearest[t]`` with the squared
    distances ``squares[t]`` and ``counts[t]`` entries. ``norms[t]`` is its distance from the
    origin, and ``limits[t]`` the product up to which another record may come into its list.
    """

    X: np.ndarray  # (n, p)
    scale: float
    order: np.ndarray  # (n,)
    nearest: np.ndarray  # (n, m)
    squares: np.ndarray  # (n, m)
    counts: np.ndarray  # (n,)
    norms: np.ndarray  # (n,)
    limits: np.ndarray  # (n, and more up to a whole tile), in single precision


def find_by_products(
    X: np.ndarray,
    order: np.ndarray,
    origin: np.ndarray,
    scale: float,
    nearest: np.ndarray,
    squares: np.ndarray,
) -> Iterator[int]:
    """Fill ``nearest`` with the nearest others of the records in ``order``, and ``squares``.

    Yield the progress after each stride, scaled to the number of records. The scale is a power of
    two that brings all differences from ``origin`` to about 1.
    """
    n, p = len(order), X.shape[1]
    right_factors = extended_coordinates(X, order, origin, scale)
    lists = NeighbourLists(
        X=X,
        scale=scale,
        order=order,
        nearest=nearest,
        squares=squares,
        counts=np.zeros(n, np.int64),
        norms=np.sqrt(right_factors[:, p + 1].astype(np.float64)),
        limits=np.full(-(-n // TILE) * TILE, np.inf, np.float32),
    )
    left_factors = np.empty((TILE, p + 2), np.float32)
    products = np.empty((ROWS, TILE), np.float32)
    pairs, per_stride = tile_pairs(-(-n // TILE)), max(1, STRIDE // (TILE * TILE * (p + 2)))
    blas = ThreadpoolController()
    for done in range(0, len(pairs), per_stride):
        # These products are too small to share: threads would wait for each other most of the time.
        with blas.limit(limits=1, user_api="blas"):
            for tile, other in pairs[done : done + per_stride]:
                write_left_factors(right_factors[tile * TILE : (tile + 1) * TILE], left_factors)
                add_tile(lists, left_factors, right_factors, tile * TILE, other * TILE, products)
        yield n * min(done + per_stride, len(pairs)) // len(pairs)
    for values in (nearest, squares):
        for column in values.T:  # one by one, so that memory holds no second table of lists
            column[order] = column.copy()


def add_tile(
    lists: NeighbourLists,
    left_factors: np.ndarray,
    right_factors: np.ndarray,
    first: int,
    other_first: int,
    products: np.ndarray,
) -> None:
    """Add the pairs of two tiles, given by their first positions, to the lists of both records."""
    columns = right_factors[other_first : other_first + TILE]
    for start in range(first, min(first + TILE, len(right_factors)), ROWS):
        rows = left_factors[start - first :][: min(ROWS, len(right_factors) - start)]
        tile_products = products[: len(rows), : len(columns)]
        np.matmul(rows, columns.T, out=tile_products)
        add_pairs(lists, products[: len(rows)], len(columns), start, other_first)


def tile_pairs(n_tiles: int) -> list[tuple[int, int]]:
    """Return all pairs of tiles; those close to each other in the order of the records come first.

    These shorten the limits most. The others are ordered by their first tile, whose lists stay
    in the processor's cache.
    """
    pairs = [(a, b) for a in range(n_tiles) for b in range(a, n_tiles)]
    return sorted(pairs, key=lambda pair: min(pair[1] - pair[0], NEAR_TILES))


def extended_coordinates(
    X: np.ndarray, order: np.ndarray, origin: np.ndarray, scale: float
) -> np.ndarray:
    """Return the stored coordinates of records, each followed by a 1 and the squared norm."""
    n, p = len(order), X.shape[1]
    rows = np.ones((n, p + 2), np.float32)
    for start in range(0, n, TILE):
        tile = rows[start : start + TILE]
        tile[:, :p] = (X[order[start : start + TILE]] - origin) * scale
        tile[:, p + 1] = np.square(tile[:, :p], dtype=np.float64).sum(axis=1)
    return rows


def write_left_factors(rows: np.ndarray, left_factors: np.ndarray) -> None:
    """Write the left factors of the products of ``rows`` into ``left_factors``."""
    p = rows.shape[1] - 2
    np.multiply(rows[:, :p], np.float32(-2), out=left_factors[: len(rows), :p])
    left_factors[: len(rows), p] = rows[:, p + 1]
    left_factors[: len(rows), p + 1] = 1


@compiled
def add_pairs(lists, products, n_others, first, other_first):
    """Add pairs to the lists of both records, from the products of two runs of positions.

    Of each row of ``products``, only the first ``n_others`` have a meaning. A pair is added once,
    with the later position second.
    """
    for i in range(products.shape[0]):
        position = first + i
        for start in range(0, n_others, CHUNK):
            near = near_in_chunk(lists, products, position, i, other_first, start)
            while near:
                offset = start + lowest_bit(near)
                near &= near - np.uint64(1)
                other = other_first + offset
                # Limits fall while the chunk is added.
                if position < other < lists.order.shape[0] and products[i, offset] <= max(
                    lists.limits[position], lists.limits[other]
                ):
                    add_pair(lists, position, other)


@compiled
def near_in_chunk(lists, products, position, i, other_first, start):
    """Return a number whose bits tell which products are within the limit of either record.

    These are the products of row ``i`` from ``start`` on, as many as the number has bits.
    """
    near = np.uint64(0)
    limit = fill_lanes(lists.limits[position])
    for lane in range(0, CHUNK, SINGLE_LANES):
        lanes = load_lanes(products, (i, start + lane))
        limits = load_lanes(lists.limits, (other_first + start + lane,))
        bits = lanes_within(lanes, limit) | lanes_within(lanes, limits)
        near |= bits << np.uint64(lane)
    return near


@compiled
def add_pair(lists, position, other):
    """Add two records to the lists of each other if they come first in double precision."""
    record, other_record = lists.order[position], lists.order[other]
    square = squared_distance(lists.X, other_record, lists.X[record])
    add_to_list(lists, position, other_record, square)
    add_to_list(lists, other, record, square)


@compiled
def add_to_list(lists, position, other_record, square):
    """Add another record to the list of the one at ``position`` if it comes first."""
    best, squares, count = lists.nearest[position], lists.squares[position], lists.counts[position]
    last = best.shape[0] - 1
    if count > last and not comes_first(NEAREST, square, other_record, squares[last], best[last]):
        return
    count = insert(best, squares, count, NEAREST, other_record, square)
    lists.counts[position] = count
    if count > last:
        lists.limits[position] = product_limit(
            squares[last], lists.scale, lists.norms[position], lists.X.shape[1]
        )


@compiled
def product_limit(square, scale, norm, p):
    """Return the greatest product with a record that may come before one at a squared distance."""
    required = -float(required_score(square, NEAREST, scale, norm, p))
    reach = 2.0 * norm + np.sqrt(required)
    return np.float32(required + (SUMMATION_ERROR * reach * reach + UNDERFLOW_ERROR) * (p + 8))
