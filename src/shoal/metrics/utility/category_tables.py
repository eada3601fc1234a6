"""What masking loses in tables of categories: associations, one-way and two-way tables."""

from itertools import combinations, product

import numpy as np

from shoal.errors import InputError
from shoal.metrics._array_types import Codes
from shoal.metrics._measure import measure
from shoal.metrics.utility.frequency_tables import (
    count_levels,
    cramers_v,
    distribution_distances,
    occurring_categories,
    pair_codes,
)


@measure(kind="utility", better="lower")
def association_change(
    original_categories: Codes, masked_categories: Codes, other_categories: Codes | None = None
) -> dict[str, float]:
    r"""Mean and largest change of Cramér's V, over all pairs of categorical columns.

    With Cramér's V of the two-way table of two original columns, and :math:`V'` of the two-way
    table of the masked columns, the change is

    .. math:: |V' - V|, \qquad V = \sqrt{\frac{\chi^2}{n (\min(r, c) - 1)}},

    for n records in a table whose r rows and c columns are not empty. V is 0 if a column is
    constant. It does not depend on the names of the categories, so recoded columns are included. A
    missing value is a category.

    Parameters
    ----------
    original_categories : ndarray of shape (n_records, n_columns)
        Original values as integers, or -1 for a missing value.
    masked_categories : ndarray of shape (n_records, n_columns)
        Released values, with the same integers for the same values.
    other_categories : ndarray of shape (n_records, n_others), optional
        Columns that are not masked; their pairs with masked columns count too.

    Returns
    -------
    dict
        ``mean`` and ``greatest``: mean and maximum of :math:`|V' - V|`, in [0, 1]. 0 means that
        every association was kept. 1 means that columns of which one determined the other became
        independent, or the reverse.

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
def one_way_change(original_categories: Codes, masked_categories: Codes) -> dict[str, float]:
    r"""Mean distance between the original and the masked one-way tables of categorical columns.

    If a cell contains a share p of the original records and a share q of the masked records, the
    distances of two tables are the sums over their cells

    .. math:: \mathrm{absolute} = \frac{1}{2} \sum |p - q|, \qquad
              \mathrm{hellinger} = \sqrt{\frac{1}{2} \sum (\sqrt{p} - \sqrt{q})^2}.

    Columns that were released with categories that the original does not have are left out: a table
    of regions cannot be compared with a table of towns. A missing value is a category.

    Parameters
    ----------
    original_categories : ndarray of shape (n_records, n_columns)
        Original values as integers, or -1 for a missing value.
    masked_categories : ndarray of shape (n_records, n_columns)
        Released values, with the same integers for the same values.

    Returns
    -------
    dict
        ``absolute``, the share of the records that would have to move to another cell to make the
        tables equal, and ``hellinger``, which gives more weight to changes of rare categories. Both
        are means over the columns, in [0, 1]. 0 means that no table has changed, 1 that no column
        has a category in common with its masked values.

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
    original_categories: Codes, masked_categories: Codes, other_categories: Codes | None = None
) -> dict[str, float]:
    r"""Mean distance between the original and the masked two-way tables of categorical columns.

    If a cell contains a share p of the original records and a share q of the masked records, the
    distances of two tables are the sums over their cells

    .. math:: \mathrm{absolute} = \frac{1}{2} \sum |p - q|, \qquad
              \mathrm{hellinger} = \sqrt{\frac{1}{2} \sum (\sqrt{p} - \sqrt{q})^2}.

    Columns that were released with categories that the original does not have are left out. A
    missing value is a category.

    Parameters
    ----------
    original_categories : ndarray of shape (n_records, n_columns)
        Original values as integers, or -1 for a missing value.
    masked_categories : ndarray of shape (n_records, n_columns)
        Released values, with the same integers for the same values.
    other_categories : ndarray of shape (n_records, n_others), optional
        Columns that are not masked; their tables with masked columns count too.

    Returns
    -------
    dict
        ``absolute`` and ``hellinger``, means over the pairs of columns, in [0, 1]; see
        `one_way_change`. 0 means that no table has changed, 1 that no original table has a
        non-empty cell in common with the masked table.

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
    cells = []
    for original_pair, masked_pair in pairs:
        n_levels = count_levels(original_pair[1], masked_pair[1])
        original_cells, masked_cells = (
            pair_codes(*pair, n_levels).codes for pair in (original_pair, masked_pair)
        )
        cells.append((original_cells, masked_cells))
    return _mean_distances(cells)


def comparable_columns(original: Codes, masked: Codes) -> list[int]:
    """Return the columns whose released categories all occur in the original; refuse if none do."""
    comparable = [
        i
        for i, (original_column, masked_column) in enumerate(zip(original.T, masked.T, strict=True))
        if not np.greater(*occurring_categories(masked_column, original_column)).any()
    ]
    if not comparable:
        raise InputError(
            "every column was released with categories that the original does not have.",
            code="categories-differ",
        )
    return comparable


def _column_pairs(
    original: Codes, masked: Codes, others: Codes | None
) -> list[tuple[tuple[Codes, Codes], tuple[Codes, Codes]]]:
    """Return all pairs of columns of which at least one is masked, in both tables."""
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
        raise InputError("needs two categorical columns.", code="one-column")
    return pairs


def _mean_distances(cells: list[tuple[Codes, Codes]]) -> dict[str, float]:
    """Return the mean distances of tables, given the cell of each original and masked record."""
    distances = np.array([distribution_distances(original, masked) for original, masked in cells])
    return {
        "absolute": float(distances[:, 0].mean()),
        "hellinger": float(distances[:, 1].mean()),
    }
