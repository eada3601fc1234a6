"""The coordinate frame in which an index stores records, and the coordinates of a point in it.

Results do not depend on the frame. In a good one a few axes make up most of a distance, so
that most records can be excluded by these axes alone.
"""

import math
from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled

CHUNK = 65_536  # records whose differences are computed at a time
SAMPLE_SIZE = 10_000  # records from which the principal axes are computed
TOLERANCE = 1e-10  # for the orthogonality of the axes; see `shoal._kernels.spatial.score_bounds`
# Axes of the stored coordinates; NumPy numbers, as `shoal._kernels.constants` explains.
RESIDUAL_AXIS = np.int64(0)  # the distance from the origin along all but the leading axes
FIRST_FRAME_AXIS = np.int64(1)  # the axes of the frame are stored from here on
NORM_AXIS = np.int64(-1)  # the last one: the distance from the origin
EXPLAINED_SHARE = 0.85  # share of the variance that the leading axes must explain


class CoordinateFrame(NamedTuple):
    """Origin, orthonormal axes and scale; the first ``n_leading`` axes explain most variance.

    ``axes[c, a]`` is the share of column c in axis a. The scale is a power of two,
    so that scaling makes no rounding error.
    """

    origin: np.ndarray  # (n_columns,)
    axes: np.ndarray  # (n_columns, n_columns)
    scale: float
    n_leading: int


def principal_frame(X: np.ndarray, remaining: np.ndarray, origin: np.ndarray) -> CoordinateFrame:
    """Return the frame of the principal axes of the ``remaining`` records about ``origin``."""
    p = X.shape[1]
    scale = power_of_two(greatest_difference(X, remaining, origin) * np.sqrt(p))
    Z = (X[remaining[:: max(1, len(remaining) // SAMPLE_SIZE)]] - origin) * scale
    variances, axes = np.linalg.eigh(Z.T @ Z)
    if not np.abs(axes.T @ axes - np.eye(p)).sum() < TOLERANCE:
        # The decomposition failed, so the columns serve as axes. Which of them explain most is
        # unknown, so variances are added from the least on: more axes lead, and enough of them.
        variances, axes = variances[::-1], np.eye(p)
    explained_variance = np.cumsum(variances[::-1])
    n_leading = 1 + int(
        np.searchsorted(explained_variance, EXPLAINED_SHARE * explained_variance[-1])
    )
    n_leading = p if 2 * n_leading > p else n_leading
    return CoordinateFrame(origin, np.ascontiguousarray(axes[:, ::-1]), scale, n_leading)


def greatest_difference(X: np.ndarray, remaining: np.ndarray, origin: np.ndarray) -> float:
    """Return the greatest difference of any remaining record from the origin in any column."""
    chunks = (remaining[start : start + CHUNK] for start in range(0, len(remaining), CHUNK))
    return max(float(np.abs(X[rows] - origin).max()) for rows in chunks)


def power_of_two(greatest: float) -> float:
    """Return a power of two that brings ``greatest`` to between 1/2 and 1, or near it."""
    exponent = math.frexp(greatest)[1]
    return math.ldexp(1.0, min(max(-exponent, -1000), 1000))


@compiled
def rotate_to_frame(point, frame, rotated_point):
    """Write the position of a point in the frame into ``rotated_point``."""
    rotated_point[:] = 0.0
    for column in range(point.shape[0]):
        difference = (point[column] - frame.origin[column]) * frame.scale
        for axis in range(rotated_point.shape[0]):
            rotated_point[axis] += difference * frame.axes[column, axis]


@compiled
def write_coordinates(rotated_point, n_leading, row):
    """Write a rotated point into ``row`` as `Index` stores it."""
    p = rotated_point.shape[0]
    leading_square, residual_square = 0.0, 0.0
    for axis in range(p):
        row[FIRST_FRAME_AXIS + axis] = rotated_point[axis]
        if axis < n_leading:
            leading_square += rotated_point[axis] * rotated_point[axis]
        else:
            residual_square += rotated_point[axis] * rotated_point[axis]
    row[RESIDUAL_AXIS] = np.sqrt(residual_square)
    row[NORM_AXIS] = np.sqrt(leading_square + residual_square)
