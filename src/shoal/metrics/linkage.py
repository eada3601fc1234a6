"""How often an attacker who knows the original quasi-identifiers finds the right record."""

import numpy as np

from shoal import _progress as progress
from shoal._kernels.spatial.index import open_index
from shoal._kernels.spatial.rank_queries import rank_among_few, rank_own_records
from shoal.metrics._base import Labels, Matrix, measure
from shoal.metrics._units import scale_by_original, zscores
from shoal.metrics.anonymity import classes

SHORT = 1000  # records up to which all distances are computed: nothing has to be compiled
STRIDE = 2000  # searches between two reports of progress: a fraction of a second
ROUNDING = 1e-9  # squared distances that differ by a smaller share are equal but for rounding


@measure(kind="risk", better="lower", cost="search")
def linkage(
    original: Matrix, masked: Matrix, columns: Labels | None = None, units: Labels | None = None
) -> float:
    """Share of masked records whose nearest original record is their own, DLD [RFSP16]_.

    Each table is standardised by itself, as an attacker would, unless columns have several
    axes; then both are in units of the original. Where several
    original records are equally near, the attacker draws: the own one among t
    counts 1/t. So neither order nor duplicates of records matter.

    Parameters
    ----------
    original : ndarray of shape (n_records, n_columns)
        Original values of the masked columns, all known to the attacker.
    masked : ndarray of shape (n_records, n_columns)
        Their masked values, in the same order of records.
    columns : ndarray of shape (n_axes,), optional
        The column that each axis belongs to, where a column has several, as categories
        have; axes of one column share a unit.
    units : ndarray of shape (n_records,), optional
        The unit of each record as a number: a link is then right where it leads to any record
        of the same unit.

    Returns
    -------
    float
        In [0, 1]. 0 means that no link is right; 1 that every one is. Drawing blindly
        gives 1/n; groups of at least k, masked in one block, at most 1/k.

    References
    ----------
    .. [RFSP16] Rebollo-Monedero, D., Forné, J., Soriano, M. and Puiggalí Allepuz, J.
       (2016). k-Anonymous microaggregation with preservation of statistical
       dependence. Information Sciences 342, 1-23.

    Examples
    --------
    >>> linkage(np.array([[0.0], [1.0], [7.0], [9.0]]), np.array([[0.5], [0.5], [8.0], [8.0]]))
    0.5
    """
    return _linked(original, masked, 1, columns, units)


@measure(kind="risk", better="lower", cost="search")
def linkage_top2(
    original: Matrix, masked: Matrix, columns: Labels | None = None, units: Labels | None = None
) -> float:
    """Share of masked records with their own original record among the two nearest [CPD13]_.

    Each table is standardised by itself. Where several original records are
    equally near, the attacker draws among them, as in `linkage`.

    Parameters
    ----------
    original : ndarray of shape (n_records, n_columns)
        Original values of the masked columns, all known to the attacker.
    masked : ndarray of shape (n_records, n_columns)
        Their masked values, in the same order of records.
    columns : ndarray of shape (n_axes,), optional
        The column that each axis belongs to, where a column has several, as categories
        have; axes of one column share a unit.
    units : ndarray of shape (n_records,), optional
        The unit of each record as a number: a link is then right where it leads to any record
        of the same unit.

    Returns
    -------
    float
        In [0, 1], never less than `linkage`. 0 means that the right record is never
        among the two; 1 that it always is. Drawing blindly gives 2/n; groups of at
        least k, masked in one block, at most 2/k.

    References
    ----------
    .. [CPD13] Chettri, S. K., Paul, B. and Dutta, A. K. (2013). Statistical disclosure
       control for data privacy preservation. International Journal of Computer
       Applications.

    Examples
    --------
    >>> linkage_top2(np.array([[0.0], [1.0], [7.0], [9.0]]), np.array([[0.5], [0.5], [8.0], [8.0]]))
    1.0
    """
    return _linked(original, masked, 2, columns, units)


def _linked(
    original: Matrix, masked: Matrix, guesses: int, columns: Labels | None, units: Labels | None
) -> float:
    """Return the expected share of records that ``guesses`` nearest originals contain."""
    if columns is None:
        before, after = zscores(original), zscores(masked)
    else:  # a category is the same in both tables, so both are in the units of one
        before, after = np.zeros(original.shape), np.zeros(original.shape)
        for a, one, other in scale_by_original(original, masked, columns):
            before[:, a], after[:, a] = one, other
    same = classes(original)
    pair = classes(np.column_stack([same if units is None else units, classes(masked)]))
    # Equal pairs are searched once.
    _, asked, records = np.unique(pair, return_index=True, return_counts=True)
    if units is None:
        chance = _chances(before, same, after[asked], asked, guesses)
    else:
        chance = _chances_of_units(before, same, after[asked], units, units[asked], guesses)
    return float((chance * records).sum() / len(original))


def linked_among(before: Matrix, after: Matrix, asked: Labels) -> Matrix:
    """Return the chance that the nearest original of each masked record ``asked`` is its own.

    Parameters
    ----------
    before : ndarray of shape (n_records, n_columns)
        The original records, in comparable units.
    after : ndarray of shape (n_records, n_columns)
        Their masked forms, in the same units.
    asked : ndarray of shape (n_asked,)
        The records that are looked for, among all.

    Returns
    -------
    ndarray of shape (n_asked,)
        In [0, 1]; their mean estimates `linkage` where the records were drawn.
    """
    return _chances(before, classes(before), after[asked], asked, 1)


def _chances(before: Matrix, same: Labels, points: Matrix, own: Labels, guesses: int) -> Matrix:
    """Return the chance that the nearest originals of each point contain its own record.

    With c records closer than the own one and t as near (itself among them), the
    chance of the own one is (guesses - c) / t, within 0 and 1.
    """
    # Equal originals are one record of the index with a weight.
    _, first = np.unique(same, return_index=True)
    closer, level = _rank(before[first], np.bincount(same), points, same[own], guesses)
    return np.asarray(np.clip((guesses - closer) / np.maximum(level, 1), 0, 1))


def _chances_of_units(
    before: Matrix, same: Labels, points: Matrix, units: Labels, asked: Labels, guesses: int
) -> Matrix:
    """Return the chance that the nearest originals of a point contain one of the unit asked for.

    With c records closer than the nearest of the unit and t as near, m of them of the unit, the
    attacker draws guesses - c among the t without putting any back.
    """
    _, first = np.unique(same, return_index=True)
    table, weights = before[first], np.bincount(same)
    own, level_own = np.empty(len(points), np.int64), np.empty(len(points), np.int64)
    held, number = np.unique(units * len(first) + same, return_counts=True)
    start = np.searchsorted(held // len(first), np.arange(units.max() + 2))
    for at, unit in enumerate(asked):
        part = slice(start[unit], start[unit + 1])
        records = held[part] % len(first)
        apart = ((table[records] - points[at]) ** 2).sum(axis=1)
        near = apart <= apart.min() * (1 + ROUNDING)
        own[at], level_own[at] = records[np.argmin(apart)], number[part][near].sum()
    closer, level = _rank(table, weights, points, own, guesses)
    draws = np.clip(guesses - closer, 0, np.maximum(level, 1))
    missed = np.ones(len(points))
    for draw in range(guesses):
        left = np.maximum(level - draw, 1)
        missed *= np.where(draw < draws, np.maximum(left - level_own, 0) / left, 1.0)
    return np.asarray(1 - missed)


def _rank(
    table: Matrix, weights: Labels, points: Matrix, own: Labels, enough: int
) -> tuple[Labels, Labels]:
    """Return for each point how many records are closer than its own, and how many as near."""
    if len(table) <= SHORT:
        return rank_among_few(table, weights, points, own, ROUNDING)
    index = open_index(table)
    closer, level = np.empty(len(points), np.int64), np.empty(len(points), np.int64)
    for start in range(0, len(points), STRIDE):
        stop = min(start + STRIDE, len(points))
        rank_own_records(index, weights, points, own, ROUNDING, enough, start, stop, closer, level)
        progress.report("linking records", stop, len(points))
    return closer, level
