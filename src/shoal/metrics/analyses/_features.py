"""Columns as features of a model, the same for both tables."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from shoal.metrics._base import Matrix, Values
from shoal.metrics.analyses._tables import SIDES, ColumnPair

MAX_CATEGORIES = 100  # a column of more is left out of models, such as names
MAX_PRODUCTS = 10  # numeric columns whose pairwise products are features


def usable_features(pairs: Sequence[ColumnPair]) -> tuple[list[ColumnPair], list[str]]:
    """Return the columns that can be features, and the names of those with too many categories."""
    usable_pairs = [pair for pair in pairs if pair.n_categories <= MAX_CATEGORIES]
    return usable_pairs, [pair.name for pair in pairs if pair not in usable_pairs]


def features(
    pairs: Sequence[ColumnPair], *, second_order: bool = False
) -> tuple[Matrix, Matrix, list[str]]:
    """Return the features of both tables, and the column that each comes from.

    Numbers are on the scale of the original: mean 0 and standard deviation 1. A missing number is
    at the mean, and a further feature marks it. Each category but one has a feature, and so have
    missing categories. ``second_order`` adds squares and products of the numbers; without them, a
    linear model cannot see a loss of spread or correlation.
    """
    numbers: list[Values] = []
    others: list[Values] = []
    sources: tuple[list[str], list[str]] = ([], [])
    n = len(pairs[0].original) if pairs else 0
    for pair in pairs:
        codes = np.concatenate([pair.original, pair.masked])
        missing = np.concatenate([pair.missing(side) for side in SIDES])
        if pair.is_number:
            numbers.append(_standardise(codes.astype(np.float64), missing, n))
            sources[0].append(pair.name)
            if missing.any():
                others.append(missing.astype(np.float64))
                sources[1].append(pair.name)
        else:
            for code in np.unique(codes)[1:]:
                others.append((codes == code).astype(np.float64))
                sources[1].append(pair.name)
    names = [*sources[0], *sources[1]]
    columns = [*numbers, *others]
    if second_order:
        columns += [values**2 for values in numbers]
        names += sources[0]
        if len(numbers) <= MAX_PRODUCTS:
            for (a, first), (b, second) in combinations(zip(sources[0], numbers, strict=True), 2):
                columns.append(first * second)
                names.append(f"{a} x {b}")
    X = np.column_stack(columns) if columns else np.empty((0, 0))
    return X[:n], X[n:], names


def independent(X: Matrix) -> Matrix:
    """Return the columns that are not a linear combination of a constant and the columns before.

    Examples
    --------
    >>> independent(np.array([[1.0, 2.0, 5.0], [2.0, 4.0, 5.0], [4.0, 8.0, 5.0]])).shape
    (3, 1)
    """
    if not X.size:
        return X
    centred = X - X.mean(axis=0)
    norms = np.sqrt((centred**2).sum(axis=0))
    varying = norms > 1e-10 * (1 + np.abs(X).max(axis=0)) * np.sqrt(len(X))
    unit = centred[:, varying] / norms[varying]
    gram = unit.T @ unit
    # Gaussian elimination of the correlation matrix, column by column.
    columns = []
    for i in range(len(gram)):
        if gram[i, i] > 1e-9:
            columns.append(i)
            gram -= np.outer(gram[:, i], gram[i]) / gram[i, i]
    return X[:, np.flatnonzero(varying)[columns]]


def _standardise(values: Values, missing: np.ndarray, n: int) -> Values:
    """Return the values with mean 0 and standard deviation 1 in the first ``n`` records."""
    known = values[:n][~missing[:n]]
    known = known if len(known) else values[~missing]
    centre, spread = (known.mean(), known.std()) if len(known) else (0.0, 0.0)
    scaled = (values - centre) / (spread if spread > 0 else 1.0)
    scaled[missing] = 0.0
    return scaled
