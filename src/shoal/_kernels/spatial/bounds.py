"""What single precision may rule out: scores, bounds and margins of a search.

A search asks for the records with the greatest score: the squared distance where
the farthest are wanted, minus the squared distance where the nearest are. Records
are ruled out in single precision, in the frame of the index; all others are measured in
double precision on the original columns. No record that belongs to the result is ever
ruled out, for these reasons:

Let u be the exact position of a record in the frame, |u| its distance from the
origin, v what is stored of it, and the same with q for the point asked for. Let
e = 2**-24, half the gap between 1 and the next number in single precision.

1. Stored.  |u - v| <= 1.01 e |u| + tiny.  The subtraction of the origin and the
   turn are done in double precision, scaling by a power of two is exact, and axes
   whose products differ from those of right angles by c are within c of axes that
   have them; c is checked to be below 1e-10, that is 0.002 e (`CROOKED`). Storing
   rounds each coordinate by e. A distance from the origin, or along some of the
   axes, is stored with an error of 1.01 e |u| more. So two stored positions are
   as far apart as the records but for 4 e (|u| + |q|) = STORED (|u| + |q|), twice
   what is needed; and |u| <= |q| + distance.
2. Summed.  A sum of up to p + 2 squares is wrong by at most (p + 4) e of itself.
   Boxes and blocks are summed alike. SUMMED (p + 8), with SUMMED = 4 e, covers the
   sum, the bound, and the rounding of what is demanded to single precision.
3. Faint.  Squares below the range of single precision lose less than 1e-44 each.
   The frame is scaled such that the outermost record lies near 1; FAINT is far
   above all those losses and far below what single precision resolves there.
4. Decided.  The double-precision squares have relative errors of (p + 2) 2**-53,
   which are nothing beside SUMMED, and lose LEAST each where they underflow.

Rounding keeps order, so the least squared distance from a box to a box, summed
axis by axis, never exceeds that of two stored positions inside them.

The squared distance to a position v in a box is |v|² + |q|² - 2 v q. The far corner of a box of
many axes lies way beyond the outer face R of its shell, so both are asked together: for any
m >= 0, since |v| <= R,

    |v|² - 2 v q  <=  (1 + m) R² - (m |v|² + 2 v q),

and the bracket is least axis by axis, at -q/m or at the face that is nearest to it. With m = 0
only the box counts, with m = |q| / R the bound is never above that of the shell; m is `SHELL_PRICE`
times that. It rules out a quarter to a third of the blocks that box and shell, each by
itself, let pass. A face may be that of a record which has left, but every living record is in
the box and in the shell; so no coordinate that is chosen exceeds 2R, and all terms together
are below 3 (R + |q|)². `far_score_bounds` adds 4 e (p + 8)² times (R + |q|)², more than all these
lose when rounded p + 8 times. A wrong last digit of m does no harm: the bound holds for any.
"""

import numpy as np

from shoal._kernels._compile import compiled

STORED = 2.0**-22
SUMMED = 2.0**-22
FAINT = 1e-36
LEAST = 5e-324
NO_SCORE = np.float32(-np.inf)
SHELL_PRICE = np.float32(0.5)  # of leaving the shell, from none to all; 0.35 and 0.7 rule out less
TINY = np.float32(1e-18)  # a distance from the origin that may be divided by


@compiled
def required_score(squared, side, scale, reach, p):
    """Return the score that a record must have to come before one at a squared distance.

    ``reach`` is the distance of the point asked for from the origin of the frame.
    """
    if side < 0:
        distance = np.sqrt(squared + p * LEAST) * scale
        distance += STORED * (2.0 * reach + distance)
        return np.float32(-distance * distance * (1.0 + SUMMED * (p + 8)) - FAINT)
    distance = np.sqrt(max(0.0, squared - p * LEAST)) * scale
    distance = max(0.0, distance - STORED * (2.0 * reach + distance))
    return np.float32(distance * distance * (1.0 - SUMMED * (p + 8)) - FAINT)


@compiled
def score_bounds(low, high, query, side, bounds):
    """Write the greatest scores that boxes allow; empty boxes allow none.

    ``low[a]`` and ``high[a]`` are the faces of all boxes along one axis.
    """
    if side < 0:
        near_score_bounds(low, high, query, query, bounds)
    else:
        far_score_bounds(low, high, query, bounds)


@compiled
def near_score_bounds(low, high, query_low, query_high, bounds):
    """Write minus the least squared distances from a box to boxes, or to shells where that is more.

    A point is a box as well.
    """
    last = low.shape[0] - 1
    zero = np.float32(0)
    for i in range(bounds.shape[0]):
        bounds[i] = zero
    # The axes of the frame, without a branch: with one, numba counts references to the rows.
    for a in range(1, last):
        below, above, left, right = low[a], high[a], query_low[a], query_high[a]
        for i in range(bounds.shape[0]):
            gap = max(below[i] - right, left - above[i], zero)
            bounds[i] -= gap * gap
    below, above, left, right = low[last], high[last], query_low[last], query_high[last]
    for i in range(bounds.shape[0]):
        gap = max(below[i] - right, left - above[i], zero)
        bounds[i] = min(bounds[i], -gap * gap)


@compiled
def far_score_bounds(low, high, query, bounds):
    """Write the greatest squared distances to boxes within shells."""
    last = low.shape[0] - 1
    outer, reach = high[last], max(query[last], TINY)
    slack = np.float32(SUMMED * (last + 8) ** 2)
    price = SHELL_PRICE * reach
    for i in range(bounds.shape[0]):
        bounds[i] = outer[i] * (outer[i] + price) + reach * reach
    for a in range(1, last):
        below, above, q = low[a], high[a], query[a]
        for i in range(bounds.shape[0]):
            shell = max(outer[i], TINY)
            chosen = min(max(-q * shell / price, below[i]), above[i])
            bounds[i] -= chosen * (chosen * (price / shell) + q + q)
    for i in range(bounds.shape[0]):
        most = (outer[i] + reach) * (outer[i] + reach)
        bound = min(bounds[i] + slack * most, most)
        bounds[i] = bound if outer[i] >= 0 else NO_SCORE
