"""Interval disclosure: original values close to their masked values."""

import numpy as np

from shoal.metrics._array_types import Matrix, Values
from shoal.metrics._measure import measure
from shoal.metrics._scaling import scale_by_original

# Half-widths of the intervals in standard deviations, enlarged so that rounding excludes no end.
WIDTHS = np.arange(1, 11) / 100 * (1 + 1e-9)


@measure(kind="risk", better="lower", per="quasi-identifier")
def interval_disclosure(original: Matrix, masked: Matrix) -> Values:
    r"""Share of original values that lie in a narrow interval around their masked value [MSD04]_.

    The interval reaches p per cent of the column's standard deviation S to either side, including
    its ends; the share is averaged over p = 1, 2, ..., 10:

    .. math:: \frac{1}{10} \sum_{p=1}^{10} \frac{1}{n}
              |\{i : |x_i - x'_i| \le \frac{p}{100} S\}|.

    In a column that is constant in the original, the interval is only the masked value.

    Parameters
    ----------
    original : ndarray of shape (n_records, n_columns)
        Original values of the masked columns.
    masked : ndarray of shape (n_records, n_columns)
        Their masked values, in the same order of records.

    Returns
    -------
    ndarray of shape (n_columns,)
        In [0, 1]. 0 means that no masked value is within a tenth of a standard deviation of the
        original value, 1 that all are within a hundredth, as in a column that was not masked.

    References
    ----------
    .. [MSD04] Mateo-Sanz, J. M., Sebé, F. and Domingo-Ferrer, J. (2004). Outlier
       protection in continuous microdata masking. Privacy in Statistical Databases,
       LNCS 3050, 201-215.

    Examples
    --------
    >>> interval_disclosure(np.array([[0.0], [2.0]]), np.array([[0.0], [1.0]]))
    array([0.5])
    """
    share = (original == masked).mean(axis=0)
    for j, original_values, masked_values in scale_by_original(original, masked):
        differences = np.abs(original_values - masked_values)
        share[j] = np.mean([(differences <= width).mean() for width in WIDTHS])
    return np.asarray(share)
