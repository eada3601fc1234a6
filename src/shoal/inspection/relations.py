"""Columns that others determine: linearly, by a logarithm or a square, a sum or a difference."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.frame import tables
from shoal.frame.tables import Frame
from shoal.metrics.findings.derived_columns import linear_fit

Values = NDArray[np.float64]
MIN_RECORDS = 20  # with fewer, columns fit each other by chance
MAX_RECORDS = 2_000  # records that are sampled from a longer table
MAX_COLUMNS = 60  # with more columns, sums and differences are not examined
MAX_MISSING = 0.2  # share of missing values from which a column is not examined in sums
MAX_PAIRS = 200  # correlated pairs of columns that are examined
MIN_R2 = 1 - 1e-6  # R2 from which a fit counts as exact, up to rounding
MIN_CORRELATION = 0.95  # absolute correlation of the pairs that are examined


class Relation(NamedTuple):
    """Columns that determine another one."""

    column: str
    sources: tuple[str, ...]
    transformation: str = ""


def find_relations(frame: Frame, numeric: Sequence[str]) -> list[Relation]:
    """Return the numeric columns that others determine exactly, each set of columns once.

    Parameters
    ----------
    frame : Frame
        The table; a sample of a long one is examined.
    numeric : sequence of str
        Its numeric columns. If columns determine each other, the last is taken as the derived one.

    Returns
    -------
    list of Relation
        The derived columns and their sources.
    """
    rows = np.arange(len(frame))
    if len(rows) < MIN_RECORDS:
        return []
    if len(rows) > MAX_RECORDS:
        rows = np.random.default_rng(0).choice(rows, MAX_RECORDS, replace=False)
    values = {}
    for name in numeric:
        column = tables.floats(frame[name])[rows]
        known = column[np.isfinite(column)]
        if len(known) >= MIN_RECORDS and known.min() < known.max():
            values[name] = np.where(np.isfinite(column), column, np.nan)
    pairs = _pair_relations(values)
    derived = {relation.column for relation in pairs}
    return [
        *pairs,
        *_sum_relations(
            {name: column_values for name, column_values in values.items() if name not in derived}
        ),
    ]


def _pair_relations(values: dict[str, Values]) -> list[Relation]:
    """Return the columns that are a linear function of another column, perhaps transformed.

    The transformations are logarithm, exponential, square and square root; an exponential is also
    called a logarithm.
    """
    names = list(values)
    if len(names) < 2:
        return []
    standardised = {
        transform: np.column_stack([_standardise(transform(values[name])) for name in names])
        for transform in (_identity, _logarithm, _square)
    }
    relations: dict[str, Relation] = {}
    n_examined = 0
    for source_transform, target_transform, transformation in (
        (_identity, _identity, ""),
        (_logarithm, _identity, "a logarithm"),
        (_identity, _logarithm, "a logarithm"),
        (_square, _identity, "a square"),
        (_identity, _square, "a square root"),
    ):
        products = standardised[source_transform].T @ standardised[target_transform]
        is_related = np.abs(products) / len(standardised[source_transform]) > MIN_CORRELATION
        for i, j in np.argwhere(np.triu(is_related, 1)):
            source, target = names[i], names[j]
            if target in relations or n_examined >= MAX_PAIRS:
                continue
            n_examined += 1
            source_values = source_transform(values[source])
            target_values = target_transform(values[target])
            if _r2(target_values, source_values[:, None]) >= MIN_R2:
                relations[target] = Relation(target, (source,), transformation)
    return list(relations.values())


def _sum_relations(values: dict[str, Values]) -> list[Relation]:
    """Return the columns that are a sum or a difference of a few others."""
    names = [
        name
        for name, column_values in values.items()
        if np.isnan(column_values).mean() < MAX_MISSING
        and len(np.unique(column_values[~np.isnan(column_values)])) > 2
    ]
    if not 3 <= len(names) <= MAX_COLUMNS:
        return []
    X = np.column_stack([values[name] for name in names])
    X = X[~np.isnan(X).any(axis=1)]
    if len(X) < MIN_RECORDS + 5 * len(names):
        return []
    relations: dict[frozenset[str], Relation] = {}
    for i in reversed(range(len(names))):
        other_columns = [other for other in range(len(names)) if other != i]
        best_fit = linear_fit(X[:, i], X[:, other_columns], MIN_R2)
        if best_fit is None:
            continue
        needed_columns = _needed_columns(
            X[:, i], X, [other_columns[position] for position in best_fit.columns]
        )
        columns = frozenset(names[column] for column in (i, *needed_columns))
        if not any(
            columns <= known_columns or known_columns <= columns for known_columns in relations
        ):
            relations[columns] = Relation(
                names[i], tuple(names[column] for column in sorted(needed_columns))
            )
    return list(relations.values())


def _needed_columns(y: Values, X: Values, columns: list[int]) -> list[int]:
    """Return the columns that the fit needs: without one of them, it is no longer exact."""
    for column in list(columns):
        remaining_columns = [other for other in columns if other != column]
        if remaining_columns and _r2(y, X[:, remaining_columns]) >= MIN_R2:
            columns = remaining_columns
    return columns


def _r2(y: Values, X: Values) -> float:
    """Return the R2 of a linear fit to the records without missing values, or 0 if few remain."""
    is_known = ~(np.isnan(y) | np.isnan(X).any(axis=1))
    if is_known.sum() < MIN_RECORDS:
        return 0.0
    fit = linear_fit(y[is_known], X[is_known], MIN_R2, max_columns=X.shape[1])
    return 0.0 if fit is None else fit.r2


def _identity(x: Values) -> Values:
    return x


def _logarithm(x: Values) -> Values:
    """Return the logarithms of a column of positive values, or NaN for any other column."""
    known = x[~np.isnan(x)]
    return np.log(x) if len(known) and known.min() > 0 else np.full(len(x), np.nan)


def _square(x: Values) -> Values:
    """Return the squares of a column without negative values, or NaN for any other column."""
    known = x[~np.isnan(x)]
    return x**2 if len(known) and known.min() >= 0 else np.full(len(x), np.nan)


def _standardise(x: Values) -> Values:
    """Return a column with mean 0 and standard deviation 1; 0 where it is missing."""
    is_known = ~np.isnan(x)
    if not is_known.any() or np.ptp(x[is_known]) == 0:
        return np.zeros(len(x))
    centred = np.where(is_known, x - x[is_known].mean(), 0.0)
    return np.asarray(centred / np.sqrt((centred**2).mean()))
