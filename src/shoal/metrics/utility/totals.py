"""Changes in totals under survey weights."""

from collections.abc import Sequence

import numpy as np

from shoal.metrics._array_types import Matrix, Values
from shoal.metrics._measure import measure


@measure(kind="utility", better="lower", unit="%", per="quasi-identifier")
def weighted_total_change(original: Matrix, masked: Matrix, weights: Matrix) -> Values:
    r"""Change of the weighted total of each column, in per cent of its absolute total [SSW92]_.

    With values :math:`x_i`, masked values :math:`x'_i` and weights :math:`w_i`,

    .. math:: 100 \cdot \frac{|\sum_i w_i x'_i - \sum_i w_i x_i|}{\sum_i w_i |x_i|}.

    Parameters
    ----------
    original : ndarray of shape (n_records, n_columns)
        Original values of the masked columns.
    masked : ndarray of shape (n_records, n_columns)
        Their masked values, in the same order of records.
    weights : ndarray of shape (n_records, 1)
        The weight of each record, above 0.

    Returns
    -------
    ndarray of shape (n_columns,)
        At least 0. 0 means that the total was kept, as it is by weighted group means; 100 means
        that it changed by the weighted sum of the absolute values. An original column of zeros
        gives 0 if its total is unchanged, otherwise 100.

    References
    ----------
    .. [SSW92] Sarndal, C.-E., Swensson, B. and Wretman, J. (1992). Model Assisted Survey
       Sampling. Springer.

    Examples
    --------
    >>> original, masked = np.array([[1.0], [3.0]]), np.array([[2.0], [2.0]])
    >>> weighted_total_change(original, masked, np.array([[1.0], [1.0]]))
    array([0.])
    >>> weighted_total_change(original, masked, np.array([[3.0], [1.0]]))
    array([33.33333333])
    """
    # Scaling by powers of two is exact, and avoids overflow of products.
    exponent = np.frexp(np.maximum(np.abs(original), np.abs(masked)).max(axis=0))[1]
    original_scaled = np.ldexp(original, -exponent)
    masked_scaled = np.ldexp(masked, -exponent)
    w = weights / weights.max()
    absolute_totals = (w * np.abs(original_scaled)).sum(axis=0)
    change = np.abs((w * (masked_scaled - original_scaled)).sum(axis=0))
    percent = np.where(change > 0, 100.0, 0.0)
    return np.asarray(
        np.divide(100 * change, absolute_totals, out=percent, where=absolute_totals > 0)
    )


def describe_totals(
    names: Sequence[str], original_totals: Sequence[float], masked_totals: Sequence[float]
) -> str:
    """Return a sentence with the weighted totals of columns in both tables.

    Parameters
    ----------
    names : list of str
        Names of the columns.
    original_totals, masked_totals : sequence of float
        The weighted total of each column.

    Returns
    -------
    str
        A sentence that names every column.

    Examples
    --------
    >>> describe_totals(["age"], [40.0], [42.0])
    "Weighted totals: 'age' 40 in the original and 42 in the masked table."
    """
    totals = [
        f"{name!r} {original:.10g} in the original and {masked:.10g} in the masked table"
        for name, original, masked in zip(names, original_totals, masked_totals, strict=True)
    ]
    return f"Weighted totals: {', '.join(totals)}."
