"""Which members of a group may be partners of a move, in single precision with proven margins.

A swap or a chain of a record x with a member y of group b changes the SSE by an amount that is
computed here in single precision, for all members of a block at a time. A member is ruled out only
if its change, less a margin for all rounding errors, is above the limit; the others are measured in
double precision in `descent`, which alone decides. So a margin that is too wide costs time, and
never changes a move.

Let c_a and c_b be the stored centroids of the group of x and of group b, n_a and n_b their sizes,

    u = x - c_b,  v = x - c_a,  z = y - c_b,  w = 1 / n_a + 1 / n_b,  q = 2 v - 2 (1 - w) u.

All of them are as small as the groups and their distance, wherever these lie in the table. Since
y - x = z - u and c_a - c_b = u - v, the changes that `descent` states are

    swap   -2 (y - x) (c_a - c_b) - w |y - x|²      =  q z - q u + w (|u|² - |z|²),
    chain  |u|² - |z|² - |y - x|² / n_b - s         =  (2 / n_b) u z + (1 - 1 / n_b) |u|² - s
                                                       - (1 + 1 / n_b) |z|²,

where s, which the SSE loses with x, is |v|² n_a / (n_a - 1), at most 2 |v|².

Margin. Let e = 2**-24 be the unit roundoff of single precision, p the number of columns, and
G = |u|² + |v|² + SSE of b, which is at least |u|² + |v|² + |z|².

1. As w <= 2, q_j is at most 2 |v_j| + 2 |u_j|. As 2 |ab| <= a² + b², the absolute values of all
   terms, column by column, add up to at most 7 G for a swap and 6 G for a chain.
2. Every term is rounded at most p + 12 times, by at most e: differences, which are computed in
   double precision, weights, products, and sums. For p <= 2**20 that is an error of at most
   7.5 (p + 12) e G.
3. `descent` computes the same numbers in double precision from |y - x|² <= 2 (|u|² + |z|²) and
   |c_a - c_b|² <= 2 (|u|² + |v|²), with an error of at most 8 (p + 12) 2**-53 G, which is below
   e G. So is the error of G itself.
4. Underflow: a product loses less than 2**-149, a difference as much. With a difference, a product
   loses up to 2**-149 times 12 times the root of G; that is below e G / 8 + 2**-264 per column.
5. Overflow: for G <= 2**100 no number exceeds 2**106. Beyond that, and for p > 2**20, nothing is
   ruled out.

`ROUNDING_SHARE` (p + 16) G + `UNDERFLOW_SHARE` (p + 16) is twice what is needed. A limit L is
compared in single precision after adding 2**-22 |L|: rounding it, and adding the cost of a join to
the change of a chain, moves the comparison by at most 3 e |L|. Costs of joins are stored rounded
down, and one that overflows as infinite: such a chain does raise the SSE. Where a cost is added in
double precision, rounding loses far less than the margin: only limits and costs below 16 G leave
any doubt.
"""

import numpy as np

from shoal._kernels._compile import inlined
from shoal._kernels.lanes import fill_lanes, load_lanes

ROUNDING_SHARE = 2.0**-20
UNDERFLOW_SHARE = 2.0**-120
LIMIT_SHARE = 2.0**-22
MAX_COLUMNS, MAX_SCALE = 2**20, 2.0**100  # beyond which nothing is ruled out


@inlined
def margin_of_bounds(p, scale):
    """Return the margin of bounds for ``p`` columns and a ``scale`` G; NaN rules nothing out."""
    if p > MAX_COLUMNS or not scale <= MAX_SCALE:
        return np.nan
    return (ROUNDING_SHARE * scale + UNDERFLOW_SHARE) * (p + 16.0)


@inlined
def limit_of_bounds(limit, margin):
    """Return the limit, in single precision, above which a change is ruled out."""
    limit += margin
    return np.float32(limit + LIMIT_SHARE * abs(limit))


@inlined
def write_own_differences(grouping, record):
    """Write v, the differences of ``record`` to the centroid of its group."""
    group = grouping.labels[record]
    for column in range(grouping.X.shape[1]):
        grouping.candidates.to_own_centroid[column] = np.float32(
            grouping.X[record, column] - grouping.centroids[group, column]
        )


@inlined
def write_differences(grouping, record, target, weight):
    """Write u, the differences of ``record`` to the centroid of ``target``, and q.

    Return |u|², summed in double precision in the order of the columns, and the product of q and u.
    ``weight`` is w.
    """
    square, product = 0.0, np.float32(0.0)
    factor, two = np.float32(2.0 - 2.0 * weight), np.float32(2.0)
    for column in range(grouping.X.shape[1]):
        difference = grouping.X[record, column] - grouping.centroids[target, column]
        square += difference * difference
        rounded = np.float32(difference)
        combination = two * grouping.candidates.to_own_centroid[column] - factor * rounded
        grouping.candidates.to_centroid[column] = rounded
        grouping.candidates.combination[column] = combination
        product += combination * rounded
    return square, product


@inlined
def products_with_members(grouping, group, block, differences):
    """Return the scalar products of ``differences`` with those of a block of members of ``group``.

    Lanes behind the last member have no meaning.
    """
    products = fill_lanes(np.float32(0.0))
    for column in range(grouping.X.shape[1]):
        products = products + (
            load_lanes(grouping.blocks, (group, block, column, 0)) * fill_lanes(differences[column])
        )
    return products


@inlined
def swap_changes(grouping, target, block, weight, constant):
    """Return the changes of the SSE by swaps with a block of members of ``target``.

    ``constant`` is w |u|² - q u.
    """
    return (
        products_with_members(grouping, target, block, grouping.candidates.combination)
        + fill_lanes(np.float32(constant))
        - fill_lanes(np.float32(weight))
        * load_lanes(grouping.blocks, (target, block, grouping.X.shape[1], 0))
    )


@inlined
def chain_changes(grouping, target, block, share, constant):
    """Return the changes of the SSE by chains over a block of members, without the joins.

    ``share`` is 1 / n_b and ``constant`` is (1 - 1 / n_b) |u|² - s.
    """
    return (
        fill_lanes(np.float32(2.0 * share))
        * products_with_members(grouping, target, block, grouping.candidates.to_centroid)
        + fill_lanes(np.float32(constant))
        - fill_lanes(np.float32(1.0 + share))
        * load_lanes(grouping.blocks, (target, block, grouping.X.shape[1], 0))
    )
