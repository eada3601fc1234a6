"""Bounds on the scores of records, in single precision with proven error margins.

A search finds the records of greatest score: the squared distance for the farthest records,
minus the squared distance for the nearest. Records are excluded in single precision, in the
coordinate frame of the index; the others are measured in double precision on the original columns.
No record of the result is ever excluded, because the margins cover all rounding errors.

Let u be the exact position of a record in the frame, v its stored position, and q the query point.
Let e = 2**-24 be the unit roundoff of single precision.

1. Storage: |u - v| <= 1.01 e |u|. Translation and rotation are done in double precision; scaling
   by a power of two is exact; the axes are orthogonal up to 1e-10, that is 0.002 e (`TOLERANCE` in
   `coordinate_frame`); storing rounds each coordinate by e. Stored norms have a further error of
   1.01 e |u|. So the distance of two stored positions is the distance of the records up to
   4 e (|u| + |q|) = STORAGE_ERROR (|u| + |q|), twice what is needed, and |u| <= |q| + distance.
2. Summation: a sum of up to p + 2 squares has a relative error of at most (p + 4) e.
   SUMMATION_ERROR (p + 8), with SUMMATION_ERROR = 4 e, covers the sum, the bound and the rounding
   of the required score.
3. Underflow: squares below the range of single precision lose less than 1e-44 each. The frame is
   scaled so that the outermost record is near 1; UNDERFLOW_ERROR is far above all these losses and
   far below the resolution of single precision there.
4. Double precision: relative errors of (p + 2) 2**-53 are negligible beside SUMMATION_ERROR;
   squares that underflow lose at most SMALLEST_FLOAT each.

Rounding is monotonic, so the squared distance between two boxes, summed axis by axis, never exceeds
the squared distance of two stored positions inside them.

For the farthest records, the far corner of a box of many axes is far outside the sphere of radius R
that also encloses its records. Both are therefore combined: for any m >= 0, since |v| <= R,

    |v|² - 2 v q  <=  (1 + m) R² - (m |v|² + 2 v q),

and the bracket is minimised axis by axis, at -q/m or at the nearest face. With m = 0 this is the
bound of the box; with m = |q| / R it is never above the bound of the sphere; m is
`SHELL_MULTIPLIER` times that ratio. The combined bound excludes a quarter to a third of the blocks
that pass both bounds separately. A face may belong to a removed record, but every remaining record
is in box and sphere, so the chosen coordinates do not exceed 2R, and all terms together are below
3 (R + |q|)². `far_score_bounds` adds 4 e (p + 8)² (R + |q|)², more than rounding p + 8 times loses.
The bound holds for any m, so rounding errors of m do not matter.
"""

import numpy as np

from shoal._kernels._compile import compiled

# The margins of the proof above: of storage, of summation, and of underflow in either precision.
STORAGE_ERROR = 2.0**-22
SUMMATION_ERROR = 2.0**-22
UNDERFLOW_ERROR = 1e-36
SMALLEST_FLOAT = 5e-324
NO_SCORE = np.float32(-np.inf)
SHELL_MULTIPLIER = np.float32(0.5)  # weight of the sphere, in [0, 1]; 0.35 and 0.7 exclude less
SMALLEST_NORM = np.float32(1e-18)  # smallest norm to divide by


@compiled
def required_score(square, sign, scale, query_norm, p):
    """Return the score that a record must have to come before one at a squared distance.

    ``query_norm`` is the distance of the query point from the origin of the frame.
    """
    if sign < 0:
        distance = np.sqrt(square + p * SMALLEST_FLOAT) * scale
        distance += STORAGE_ERROR * (2.0 * query_norm + distance)
        return np.float32(
            -distance * distance * (1.0 + SUMMATION_ERROR * (p + 8)) - UNDERFLOW_ERROR
        )
    distance = np.sqrt(max(0.0, square - p * SMALLEST_FLOAT)) * scale
    distance = max(0.0, distance - STORAGE_ERROR * (2.0 * query_norm + distance))
    return np.float32(distance * distance * (1.0 - SUMMATION_ERROR * (p + 8)) - UNDERFLOW_ERROR)


@compiled
def score_bounds(low, high, query, sign, bounds):
    """Write upper bounds of the scores in boxes; -inf for empty boxes.

    ``low[a]`` and ``high[a]`` are the faces of all boxes along one axis.
    """
    if sign < 0:
        near_score_bounds(low, high, query, query, bounds)
    else:
        far_score_bounds(low, high, query, bounds)


@compiled
def near_score_bounds(low, high, query_low, query_high, bounds):
    """Write minus the squared distances from a box, or point, to boxes and their shells.

    The larger of the two distances, to the box and to the shell, is used.
    """
    last = low.shape[0] - 1
    zero = np.float32(0)
    for i in range(bounds.shape[0]):
        bounds[i] = zero
    # The axes of the frame, without a branch: with one, numba counts references to the rows.
    for axis in range(1, last):
        box_low, box_high = low[axis], high[axis]
        point_low, point_high = query_low[axis], query_high[axis]
        for i in range(bounds.shape[0]):
            difference = max(box_low[i] - point_high, point_low - box_high[i], zero)
            bounds[i] -= difference * difference
    box_low, box_high = low[last], high[last]
    point_low, point_high = query_low[last], query_high[last]
    for i in range(bounds.shape[0]):
        difference = max(box_low[i] - point_high, point_low - box_high[i], zero)
        bounds[i] = min(bounds[i], -difference * difference)


@compiled
def far_score_bounds(low, high, query, bounds):
    """Write upper bounds of the squared distances to records in boxes and shells."""
    last = low.shape[0] - 1
    radii, query_norm = high[last], max(query[last], SMALLEST_NORM)
    margin = np.float32(SUMMATION_ERROR * (last + 8) ** 2)
    multiplier = SHELL_MULTIPLIER * query_norm
    for i in range(bounds.shape[0]):
        bounds[i] = radii[i] * (radii[i] + multiplier) + query_norm * query_norm
    for axis in range(1, last):
        box_low, box_high, coordinate = low[axis], high[axis], query[axis]
        for i in range(bounds.shape[0]):
            radius = max(radii[i], SMALLEST_NORM)
            minimiser = min(max(-coordinate * radius / multiplier, box_low[i]), box_high[i])
            bounds[i] -= minimiser * (minimiser * (multiplier / radius) + coordinate + coordinate)
    for i in range(bounds.shape[0]):
        max_square = (radii[i] + query_norm) * (radii[i] + query_norm)
        bound = min(bounds[i] + margin * max_square, max_square)
        bounds[i] = bound if radii[i] >= 0 else NO_SCORE
