"""What masking loses in single categorical columns: values, levels and entropy."""

import numpy as np

from shoal.metrics._array_types import Codes, Values
from shoal.metrics._measure import measure
from shoal.metrics.utility.frequency_tables import entropy, occurring_categories, pair_codes


@measure(kind="utility", better="higher", unit="%", per="categorical")
def values_unchanged(original_categories: Codes, masked_categories: Codes) -> Values:
    r"""Share of the values of a categorical column that are released unchanged.

    Suppressed values and values that were recoded to coarser categories count as changed. For a
    column of n values :math:`x_i` that are not missing, released as :math:`x'_i`, the share is

    .. math:: 100 \cdot \frac{|\{i : x'_i = x_i\}|}{n}.

    Parameters
    ----------
    original_categories : ndarray of shape (n_records, n_columns)
        Original values as integers, or -1 for a missing value.
    masked_categories : ndarray of shape (n_records, n_columns)
        Released values, with the same integers for the same values.

    Returns
    -------
    ndarray of shape (n_columns,)
        In per cent. 100 means that no value changed, or that all were missing; 0 means that every
        value changed.

    Examples
    --------
    >>> values_unchanged(np.array([[0], [0], [1], [-1]]), np.array([[0], [1], [1], [-1]]))
    array([66.66666667])
    """
    shares = []
    for original, masked in zip(original_categories.T, masked_categories.T, strict=True):
        is_present = original >= 0
        shares.append(
            100 * float((original == masked)[is_present].mean()) if is_present.any() else 100.0
        )
    return np.array(shares)


@measure(kind="utility", better="lower", unit="%", per="categorical")
def levels_lost(original_categories: Codes, masked_categories: Codes) -> Values:
    r"""Share of the categories of a column that no released record has.

    With the set A of the original categories and the set :math:`A'` of the released categories,

    .. math:: 100 \cdot \Bigl(1 - \frac{|A \cap A'|}{|A|}\Bigr).

    Parameters
    ----------
    original_categories : ndarray of shape (n_records, n_columns)
        Original values as integers, or -1 for a missing value.
    masked_categories : ndarray of shape (n_records, n_columns)
        Released values, with the same integers for the same values.

    Returns
    -------
    ndarray of shape (n_columns,)
        In per cent. 0 means that every category still occurs, 100 that none does, for example
        because all were recoded to coarser categories. A missing value is not a category.

    Examples
    --------
    >>> levels_lost(np.array([[0], [1], [2], [2]]), np.array([[0], [0], [2], [3]]))
    array([33.33333333])
    """
    losses = []
    for original, masked in zip(original_categories.T, masked_categories.T, strict=True):
        in_original, in_masked = occurring_categories(original, masked)
        losses.append(
            100 * float((in_original & ~in_masked).sum() / in_original.sum())
            if in_original.any()
            else 0.0
        )
    return np.array(losses)


@measure(kind="utility", better="lower", unit="%", per="categorical")
def entropy_loss(original_categories: Codes, masked_categories: Codes) -> Values:
    r"""Uncertainty about the original category that remains, given the released one.

    The measure is the conditional entropy of the original column X given the released column
    :math:`X'`, as a share of the entropy of X. Both are estimated by the frequencies in the tables:

    .. math:: 100 \cdot \frac{H(X \mid X')}{H(X)}.

    Renaming categories loses nothing, so the measure also applies to recoded and generalised
    columns. A missing value counts as a category of its own.

    Parameters
    ----------
    original_categories : ndarray of shape (n_records, n_columns)
        Original values as integers, or -1 for a missing value.
    masked_categories : ndarray of shape (n_records, n_columns)
        Released values, with the same integers for the same values.

    Returns
    -------
    ndarray of shape (n_columns,)
        In per cent. 0 means that the released value determines the original value, or that all
        original values are equal; 100 means that the released value contains no information about
        the original value.

    Examples
    --------
    >>> entropy_loss(np.array([[0], [1], [2], [3]]), np.array([[4], [4], [5], [5]]))
    array([50.])
    """
    losses = []
    for original, masked in zip(original_categories.T, masked_categories.T, strict=True):
        original_entropy = entropy(np.bincount(original + 1))
        joint_entropy = entropy(pair_codes(original, masked).counts)
        remaining_entropy = joint_entropy - entropy(np.bincount(masked + 1))
        losses.append(
            100 * min(1.0, max(0.0, remaining_entropy / original_entropy))
            if original_entropy > 0
            else 0.0
        )
    return np.array(losses)
