"""Distance-based record linkage by an attacker who knows the original quasi-identifiers."""

import numpy as np

from shoal import _progress as progress
from shoal._kernels.spatial.index import open_index
from shoal._kernels.spatial.rank_queries import rank_among_few, rank_own_records
from shoal.metrics._base import Labels, Matrix, measure
from shoal.metrics._scaling import scale_by_original, zscores
from shoal.metrics.anonymity import classes

SHORT = 1000  # records up to which all distances are computed: nothing has to be compiled
STRIDE = 2000  # searches between two reports of progress: a fraction of a second
ROUNDING = 1e-9  # squared distances that differ by a smaller share are equal up to rounding


@measure(kind="risk", better="lower", cost="search")
def linkage(
    original: Matrix, masked: Matrix, columns: Labels | None = None, units: Labels | None = None
) -> float:
    r"""Share of masked records whose nearest original record is their own, DLD [RFSP16]_.

    Each table is standardised by itself, as an attacker would do, unless columns have several axes;
    then both are scaled by the original. If several original records are equally near, the attacker
    picks one at random: the right one among t counts 1/t. With the set :math:`T_i` of the original
    records nearest to masked record i,

    .. math:: \frac{1}{n} \sum_{i : i \in T_i} \frac{1}{|T_i|}.

    The result does not depend on the order of the records.

    Parameters
    ----------
    original : ndarray of shape (n_records, n_columns)
        Original values of the masked columns, all known to the attacker.
    masked : ndarray of shape (n_records, n_columns)
        Their masked values, in the same order of records.
    columns : ndarray of shape (n_axes,), optional
        The column of each axis, where columns have several, as categories do; the axes of a
        column share a scale.
    units : ndarray of shape (n_records,), optional
        Code of the unit of each record: a link is then correct if it leads to any record of
        the same unit.

    Returns
    -------
    float
        In [0, 1]. 0 means that no link is correct; 1 that all are. Random guessing gives
        1/n; groups of at least k, masked in one block, at most 1/k.

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
    return _linkage_rate(original, masked, 1, columns, units)


@measure(kind="risk", better="lower", cost="search")
def linkage_top2(
    original: Matrix, masked: Matrix, columns: Labels | None = None, units: Labels | None = None
) -> float:
    r"""Share of masked records with their own original record among the two nearest [CPD13]_.

    Each table is standardised by itself. If several original records are equally near, the attacker
    picks at random among them, as in `linkage`. If :math:`b_i` original records are nearer to
    masked record i than its own, and :math:`t_i` are as near, its own included,

    .. math:: \frac{1}{n} \sum_{i=1}^{n} \min\Bigl(1, \frac{\max(0, 2 - b_i)}{t_i}\Bigr).

    Parameters
    ----------
    original : ndarray of shape (n_records, n_columns)
        Original values of the masked columns, all known to the attacker.
    masked : ndarray of shape (n_records, n_columns)
        Their masked values, in the same order of records.
    columns : ndarray of shape (n_axes,), optional
        The column of each axis, where columns have several, as categories do; the axes of a
        column share a scale.
    units : ndarray of shape (n_records,), optional
        Code of the unit of each record: a link is then correct if it leads to any record of
        the same unit.

    Returns
    -------
    float
        In [0, 1], never less than `linkage`. 0 means that the correct record is never
        among the two; 1 that it always is. Random guessing gives 2/n; groups of at
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
    return _linkage_rate(original, masked, 2, columns, units)


def _linkage_rate(
    original: Matrix, masked: Matrix, guesses: int, columns: Labels | None, units: Labels | None
) -> float:
    """Return the expected share of records that are among their ``guesses`` nearest originals."""
    if columns is None:
        before, after = zscores(original), zscores(masked)
    else:  # a category is the same in both tables, so both share one scale
        before, after = np.zeros(original.shape), np.zeros(original.shape)
        for a, coordinates, masked_coordinates in scale_by_original(original, masked, columns):
            before[:, a], after[:, a] = coordinates, masked_coordinates
    same = classes(original)
    pair = classes(np.column_stack([same if units is None else units, classes(masked)]))
    # Equal pairs are searched once.
    _, queries, records = np.unique(pair, return_index=True, return_counts=True)
    if units is None:
        chance = _chances(before, same, after[queries], queries, guesses)
    else:
        chance = _chances_of_units(before, same, after[queries], units, units[queries], guesses)
    return float((chance * records).sum() / len(original))


def linkage_chances(before: Matrix, after: Matrix, queries: Labels) -> Matrix:
    """Return for some masked records the chance that the nearest original is their own.

    Parameters
    ----------
    before : ndarray of shape (n_records, n_columns)
        The original records, standardised.
    after : ndarray of shape (n_records, n_columns)
        Their masked values, on the same scale.
    queries : ndarray of shape (n_queries,)
        The records to link, among all.

    Returns
    -------
    ndarray of shape (n_queries,)
        In [0, 1]; for a random sample of the records, the mean estimates `linkage`.
    """
    return _chances(before, classes(before), after[queries], queries, 1)


def _chances(
    before: Matrix, same: Labels, points: Matrix, true_records: Labels, guesses: int
) -> Matrix:
    """Return the chance that the nearest originals of each point contain its own record.

    With c records closer than the own one and t at the same distance (itself included),
    the chance is (guesses - c) / t, clipped to [0, 1].
    """
    # Equal originals are indexed once, with a weight.
    _, first = np.unique(same, return_index=True)
    closer, ties = _rank(before[first], np.bincount(same), points, same[true_records], guesses)
    return np.asarray(np.clip((guesses - closer) / np.maximum(ties, 1), 0, 1))


def _chances_of_units(
    before: Matrix, same: Labels, points: Matrix, units: Labels, targets: Labels, guesses: int
) -> Matrix:
    """Return the chance that the nearest originals of each point contain one of its target unit.

    With c records closer than the nearest of the unit and t at the same distance, m of them of
    the unit, the attacker draws guesses - c of the t without replacement.
    """
    _, first = np.unique(same, return_index=True)
    table, weights = before[first], np.bincount(same)
    nearest_of_unit, ties_of_unit = np.empty(len(points), np.int64), np.empty(len(points), np.int64)
    pairs, number = np.unique(units * len(first) + same, return_counts=True)
    start = np.searchsorted(pairs // len(first), np.arange(units.max() + 2))
    for i, unit in enumerate(targets):
        part = slice(start[unit], start[unit + 1])
        records = pairs[part] % len(first)
        distances = ((table[records] - points[i]) ** 2).sum(axis=1)
        nearest = distances <= distances.min() * (1 + ROUNDING)
        nearest_of_unit[i], ties_of_unit[i] = (
            records[np.argmin(distances)],
            number[part][nearest].sum(),
        )
    closer, ties = _rank(table, weights, points, nearest_of_unit, guesses)
    draws = np.clip(guesses - closer, 0, np.maximum(ties, 1))
    missed = np.ones(len(points))
    for draw in range(guesses):
        undrawn = np.maximum(ties - draw, 1)
        missed *= np.where(draw < draws, np.maximum(undrawn - ties_of_unit, 0) / undrawn, 1.0)
    return np.asarray(1 - missed)


def _rank(
    table: Matrix, weights: Labels, points: Matrix, true_records: Labels, enough: int
) -> tuple[Labels, Labels]:
    """Return for each point how many records are closer than its own, and how many as close."""
    if len(table) <= SHORT:
        return rank_among_few(table, weights, points, true_records, ROUNDING)
    index = open_index(table)
    closer, ties = np.empty(len(points), np.int64), np.empty(len(points), np.int64)
    for start in range(0, len(points), STRIDE):
        stop = min(start + STRIDE, len(points))
        rank_own_records(
            index, weights, points, true_records, ROUNDING, enough, start, stop, closer, ties
        )
        progress.report("linking records", stop, len(points))
    return closer, ties
