"""Utility of masked categories: values, levels, entropy, associations and tables."""

from itertools import combinations, product

import numpy as np

from shoal.errors import InputError
from shoal.metrics._array_types import Labels, Values
from shoal.metrics._measure import measure
from shoal.metrics.utility.frequency_tables import (
    count_levels,
    cramers_v,
    distribution_distances,
    entropy,
    occurring_categories,
    pair_codes,
)


@measure(kind="utility", better="higher", unit="%", per="categorical")
def values_unchanged(original_categories: Labels, masked_categories: Labels) -> Values:
    r"""Share of the values of a column of categories that are released as they were.

    Records whose original value is missing do not count. A suppressed value has changed, and so
    has a value that was recoded to a coarser one.

    For a column of values :math:`x_i`, released as :math:`x'_i`,

    .. math:: 100 \cdot \frac{|\{i : x'_i = x_i\}|}{n}.

    Parameters
    ----------
    original_categories : ndarray of shape (n_records, n_columns)
        Original values as integers, -1 where one is missing.
    masked_categories : ndarray of shape (n_records, n_columns)
        Released values, with the same integers for the same values.

    Returns
    -------
    ndarray of shape (n_columns,)
        In per cent. 100 means that no value changed, or that all were missing; 0 means that
        every value did.

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
def levels_lost(original_categories: Labels, masked_categories: Labels) -> Values:
    r"""Share of the categories of a column that no released record has.

    With the set A of the original categories and the set :math:`A'` of the released ones,

    .. math:: 100 \cdot \Bigl(1 - \frac{|A \cap A'|}{|A|}\Bigr).

    Parameters
    ----------
    original_categories : ndarray of shape (n_records, n_columns)
        Original values as integers, -1 where one is missing.
    masked_categories : ndarray of shape (n_records, n_columns)
        Released values, with the same integers for the same values.

    Returns
    -------
    ndarray of shape (n_columns,)
        In per cent. 0 means that every category still occurs; 100 means that none does, as
        where all were recoded to coarser ones. A missing value is not a category.

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
def entropy_loss(original_categories: Labels, masked_categories: Labels) -> Values:
    r"""Uncertainty about the original category that remains, given the released one.

    It is the conditional entropy of the original column X, given the released column
    :math:`X'`, as a share of the entropy of X, both of the observed records:

    .. math:: 100 \cdot \frac{H(X \mid X')}{H(X)}.

    Renaming categories loses nothing, so it also applies to recoded and generalised columns. A
    missing value counts as a category of its own.

    Parameters
    ----------
    original_categories : ndarray of shape (n_records, n_columns)
        Original values as integers, -1 where one is missing.
    masked_categories : ndarray of shape (n_records, n_columns)
        Released values, with the same integers for the same values.

    Returns
    -------
    ndarray of shape (n_columns,)
        In per cent. 0 means that the released value determines the original one, or that there
        was only one; 100 means that it says nothing about it.

    Examples
    --------
    >>> entropy_loss(np.array([[0], [1], [2], [3]]), np.array([[4], [4], [5], [5]]))
    array([50.])
    """
    losses = []
    for original, masked in zip(original_categories.T, masked_categories.T, strict=True):
        original_entropy = entropy(np.bincount(original + 1))
        remaining_entropy = entropy(pair_codes(original, masked).counts) - entropy(
            np.bincount(masked + 1)
        )
        losses.append(
            100 * min(1.0, max(0.0, remaining_entropy / original_entropy))
            if original_entropy > 0
            else 0.0
        )
    return np.array(losses)


@measure(kind="utility", better="lower")
def association_change(
    original_categories: Labels, masked_categories: Labels, other_categories: Labels | None = None
) -> dict[str, float]:
    r"""Mean and greatest change of Cramér's V, over all pairs of columns of categories.

    With Cramér's V of the two-way table before and :math:`V'` after masking, whose r rows and c
    columns are those that occur, the change is

    .. math:: |V' - V|, \qquad V = \sqrt{\frac{\chi^2}{n (\min(r, c) - 1)}}.

    V is 0 where a column is constant. It does not depend on the names of the categories, so recoded
    columns count. A missing value is a category.

    Parameters
    ----------
    original_categories : ndarray of shape (n_records, n_columns)
        Original values as integers, -1 where one is missing.
    masked_categories : ndarray of shape (n_records, n_columns)
        Released values, with the same integers for the same values.
    other_categories : ndarray of shape (n_records, n_others), optional
        Columns that are not masked; their pairs with the masked ones count too.

    Returns
    -------
    dict
        ``mean`` and ``greatest`` of :math:`|V' - V|`, in [0, 1]. 0 means that every association was
        kept; 1 means that a function between two columns became independence, or the reverse.

    Examples
    --------
    >>> original = np.array([[0, 0], [0, 0], [1, 1], [1, 1]])
    >>> association_change(original, np.array([[0, 0], [0, 1], [1, 0], [1, 1]]))
    {'mean': 1.0, 'greatest': 1.0}
    """
    changes = [
        abs(cramers_v(*original_pair) - cramers_v(*masked_pair))
        for original_pair, masked_pair in _column_pairs(
            original_categories, masked_categories, other_categories
        )
    ]
    return {"mean": float(np.mean(changes)), "greatest": float(np.max(changes))}


@measure(kind="utility", better="lower")
def one_way_change(original_categories: Labels, masked_categories: Labels) -> dict[str, float]:
    r"""Mean distance between the one-way tables of columns of categories before and after.

    Columns that were released with other categories than those of the original are left out:
    a table of regions cannot be compared with one of towns. A missing value is a category.

    With the shares p of the records in each cell before, and q after,

    .. math:: \mathrm{absolute} = \frac{1}{2} \sum |p - q|, \qquad
              \mathrm{hellinger} = \sqrt{\frac{1}{2} \sum (\sqrt{p} - \sqrt{q})^2}.

    Parameters
    ----------
    original_categories : ndarray of shape (n_records, n_columns)
        Original values as integers, -1 where one is missing.
    masked_categories : ndarray of shape (n_records, n_columns)
        Released values, with the same integers for the same values.

    Returns
    -------
    dict
        ``absolute``: half the sum of :math:`|p - q|` over the cells, where p and q are shares of
        the records before and after; it is the share of the records that would have to move.
        ``hellinger``: the root of half the sum of the squares of :math:`\sqrt{p} - \sqrt{q}`, which
        weighs changes of rare categories more. Both are in [0, 1] and averaged over the columns.
        0 means that all tables are as before; 1 means that none has a category in common.

    Examples
    --------
    >>> one_way_change(np.array([[0], [0], [1], [1]]), np.array([[0], [0], [0], [1]]))["absolute"]
    0.25
    """
    comparable = comparable_columns(original_categories, masked_categories)
    return _mean_distances(
        [
            (original_categories[:, column] + 1, masked_categories[:, column] + 1)
            for column in comparable
        ]
    )


@measure(kind="utility", better="lower")
def two_way_change(
    original_categories: Labels, masked_categories: Labels, other_categories: Labels | None = None
) -> dict[str, float]:
    r"""Mean distance between all two-way tables of columns of categories before and after.

    Columns that were released with other categories than those of the original are left out. A
    missing value is a category.

    With the shares p of the records in each cell before, and q after,

    .. math:: \mathrm{absolute} = \frac{1}{2} \sum |p - q|, \qquad
              \mathrm{hellinger} = \sqrt{\frac{1}{2} \sum (\sqrt{p} - \sqrt{q})^2}.

    Parameters
    ----------
    original_categories : ndarray of shape (n_records, n_columns)
        Original values as integers, -1 where one is missing.
    masked_categories : ndarray of shape (n_records, n_columns)
        Released values, with the same integers for the same values.
    other_categories : ndarray of shape (n_records, n_others), optional
        Columns that are not masked; their tables with the masked ones count too.

    Returns
    -------
    dict
        ``absolute`` and ``hellinger``, as `one_way_change` defines them, averaged over the pairs
        of columns. 0 means that all tables are as before; 1 means that none has a cell in common.

    Examples
    --------
    >>> original = np.array([[0, 0], [0, 0], [1, 1], [1, 1]])
    >>> two_way_change(original, np.array([[0, 0], [0, 1], [1, 0], [1, 1]]))["absolute"]
    0.5
    """
    comparable = comparable_columns(original_categories, masked_categories)
    pairs = _column_pairs(
        original_categories[:, comparable], masked_categories[:, comparable], other_categories
    )
    codes = []
    for original_pair, masked_pair in pairs:
        n_levels = count_levels(original_pair[1], masked_pair[1])
        original_codes = pair_codes(*original_pair, n_levels).codes
        codes.append((original_codes, pair_codes(*masked_pair, n_levels).codes))
    return _mean_distances(codes)


def comparable_columns(original: Labels, masked: Labels) -> list[int]:
    """Return the columns whose released categories all occur in the original.

    Refuse a table without such columns.
    """
    comparable = [
        i
        for i, (original_column, masked_column) in enumerate(zip(original.T, masked.T, strict=True))
        if not np.greater(*occurring_categories(masked_column, original_column)).any()
    ]
    if not comparable:
        raise InputError(
            "every column was released with other categories than those of the original.",
            code="categories-differ",
        )
    return comparable


def _column_pairs(
    original: Labels, masked: Labels, others: Labels | None
) -> list[tuple[tuple[Labels, Labels], tuple[Labels, Labels]]]:
    """Return all pairs of columns with at least one masked column, original and masked."""
    n_columns = original.shape[1]
    pairs = [
        ((original[:, i], original[:, j]), (masked[:, i], masked[:, j]))
        for i, j in combinations(range(n_columns), 2)
    ]
    if others is not None:
        pairs += [
            ((original[:, i], others[:, j]), (masked[:, i], others[:, j]))
            for i, j in product(range(n_columns), range(others.shape[1]))
        ]
    if not pairs:
        raise InputError("needs two columns of categories.", code="one-column")
    return pairs


def _mean_distances(pairs: list[tuple[Labels, Labels]]) -> dict[str, float]:
    pair_distances = np.array(
        [distribution_distances(original, masked) for original, masked in pairs]
    )
    return {
        "absolute": float(pair_distances[:, 0].mean()),
        "hellinger": float(pair_distances[:, 1].mean()),
    }
