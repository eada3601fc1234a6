"""Features of models: numbers on one scale, and indicators of categories, alike in both tables."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from shoal.metrics._array_types import Mask, Matrix, Values
from shoal.metrics.analyses._column_pairs import SIDES, ColumnPair

MAX_CATEGORIES = 100  # columns with more categories, such as names, are left out of models
MAX_COLUMNS_FOR_PRODUCTS = 10  # with more numeric columns, pairwise products are not features


def usable_features(pairs: Sequence[ColumnPair]) -> tuple[list[ColumnPair], list[str]]:
    """Return the columns that can be features, and the names of those with too many categories."""
    usable_pairs = [pair for pair in pairs if pair.n_categories <= MAX_CATEGORIES]
    return usable_pairs, [pair.name for pair in pairs if pair not in usable_pairs]


def build_features(
    pairs: Sequence[ColumnPair], *, second_order: bool = False
) -> tuple[Matrix, Matrix, list[str]]:
    """Return the features of both tables, and the name of the column that each comes from.

    Numbers are standardised by the original. A missing number is replaced by the mean, and another
    feature indicates that it was missing. Each category except one has an indicator; a missing
    value is a category. ``second_order`` adds squares and products of the numbers; without them, a
    linear model does not detect a loss of spread or correlation.
    """
    numbers: list[Values] = []
    indicators: list[Values] = []
    number_names: list[str] = []
    indicator_names: list[str] = []
    n_original = len(pairs[0].original) if pairs else 0
    for pair in pairs:
        values = np.concatenate([pair.original, pair.masked])
        is_missing = np.concatenate([pair.is_missing(side) for side in SIDES])
        if pair.is_quantitative:
            numbers.append(_standardise(values.astype(np.float64), is_missing, n_original))
            number_names.append(pair.name)
            if is_missing.any():
                indicators.append(is_missing.astype(np.float64))
                indicator_names.append(pair.name)
        else:
            for code in np.unique(values)[1:]:
                indicators.append((values == code).astype(np.float64))
                indicator_names.append(pair.name)
    names = [*number_names, *indicator_names]
    columns = [*numbers, *indicators]
    if second_order:
        columns += [number**2 for number in numbers]
        names += number_names
        if len(numbers) <= MAX_COLUMNS_FOR_PRODUCTS:
            for (first_name, first), (second_name, second) in combinations(
                zip(number_names, numbers, strict=True), 2
            ):
                columns.append(first * second)
                names.append(f"{first_name} x {second_name}")
    X = np.column_stack(columns) if columns else np.empty((0, 0))
    return X[:n_original], X[n_original:], names


def independent_columns(X: Matrix) -> Matrix:
    """Return the columns that are not linear combinations of a constant and earlier columns.

    Examples
    --------
    >>> independent_columns(np.array([[1.0, 2.0, 5.0], [2.0, 4.0, 5.0], [4.0, 8.0, 5.0]])).shape
    (3, 1)
    """
    if not X.size:
        return X
    centred = X - X.mean(axis=0)
    norms = np.sqrt((centred**2).sum(axis=0))
    is_varying = norms > 1e-10 * (1 + np.abs(X).max(axis=0)) * np.sqrt(len(X))
    directions = centred[:, is_varying] / norms[is_varying]
    correlations = directions.T @ directions
    # Gaussian elimination of the correlation matrix, column by column.
    independent = []
    for i in range(len(correlations)):
        if correlations[i, i] > 1e-9:
            independent.append(i)
            correlations -= np.outer(correlations[:, i], correlations[i]) / correlations[i, i]
    return X[:, np.flatnonzero(is_varying)[independent]]


def _standardise(values: Values, is_missing: Mask, n_original: int) -> Values:
    """Return values on a scale on which the first ``n_original`` have mean 0 and deviation 1.

    Missing values become 0. If all of the first values are missing, the others determine the scale.
    """
    present_values = values[:n_original][~is_missing[:n_original]]
    if not len(present_values):
        present_values = values[~is_missing]
    mean = present_values.mean() if len(present_values) else 0.0
    std = present_values.std() if len(present_values) else 0.0
    scaled = (values - mean) / (std if std > 0 else 1.0)
    scaled[is_missing] = 0.0
    return scaled
