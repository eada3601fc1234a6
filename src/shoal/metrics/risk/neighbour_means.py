"""An attack on individual ranking: a value lies between the means of neighbouring groups."""

from typing import NamedTuple

import numpy as np

from shoal.metrics._array_types import Mask, Matrix


class Intervals(NamedTuple):
    """The interval that an attacker infers for every value.

    ``low`` and ``high`` are the neighbouring means, and ``width`` is their distance in standard
    deviations of the original column. ``holds`` is True if the original value lies between them.
    """

    low: Matrix
    high: Matrix
    width: Matrix
    holds: Mask


def neighbour_intervals(original: Matrix, masked: Matrix) -> Intervals:
    """Bound every original value by the released means on either side of its own [MD99]_.

    If each column was sorted and divided into groups separately, the groups do not overlap, so a
    value lies between the mean of the group below its own and the mean of the group above. The
    attack needs no knowledge of the original. Groups formed on several columns overlap in each of
    them, so the inference is often wrong; ``holds`` shows for which values it is right.

    Parameters
    ----------
    original : ndarray of shape (n_records, n_columns)
        Original values of the masked columns.
    masked : ndarray of shape (n_records, n_columns)
        Their masked values, in the same order of records.

    Returns
    -------
    Intervals
        One interval for each value. The intervals of the lowest and of the highest group of a
        column have one end only, and an infinite width.

    References
    ----------
    .. [MD99] Mateo-Sanz, J. M. and Domingo-Ferrer, J. (1999). A method for
       data-oriented multivariate microaggregation. Statistical Data Protection,
       89-99. Office for Official Publications of the European Communities.

    Examples
    --------
    >>> pay = np.array([[1.0], [2.0], [3.0], [4.0], [8.0], [9.0]])
    >>> bounds = neighbour_intervals(pay, np.array([[1.5], [1.5], [3.5], [3.5], [8.5], [8.5]]))
    >>> float(bounds.low[2, 0]), float(bounds.high[2, 0]), bool(bounds.holds.all())
    (1.5, 8.5, True)
    """
    low = np.empty(masked.shape)
    high = np.empty(masked.shape)
    for j, column in enumerate(masked.T):
        means, inverse = np.unique(column, return_inverse=True)
        bounds = np.concatenate([[-np.inf], means, [np.inf]])
        low[:, j] = bounds[inverse]
        high[:, j] = bounds[inverse + 2]
    std = original.std(axis=0)
    width = (high - low) / np.where(std > 0, std, 1.0)
    return Intervals(low, high, width, (low <= original) & (original <= high))
