"""Distance-based record linkage by an attacker who knows all original quasi-identifiers."""

import numpy as np

from shoal import _progress as progress
from shoal._kernels.spatial.index import open_index
from shoal._kernels.spatial.rank_queries import RankQueries, rank_among_few, rank_own_records
from shoal.metrics._array_types import Counts, Labels, Matrix, Rows, Values
from shoal.metrics._measure import measure
from shoal.metrics._scaling import ROUNDING_TOLERANCE, order_free_zscores, scale_by_original
from shoal.metrics.equivalence_classes import classes

SHORT_TABLE = 1000  # with at most this many records, NumPy computes all distances: no compilation
STRIDE = 2000  # searches between two reports of progress, which take a fraction of a second


@measure(kind="risk", better="lower", cost="search")
def linkage(
    original: Matrix, masked: Matrix, columns: Labels | None = None, units: Labels | None = None
) -> float:
    r"""Share of masked records whose nearest original record is their own, DLD [RFSP16]_.

    Each table is standardised separately, as an attacker would do; if columns have several axes,
    both tables are scaled by the original. If t original records are equally near, the attacker
    picks one at random, so the right one among them counts 1/t. With the set :math:`T_i` of the
    original records nearest to masked record i,

    .. math:: \frac{1}{n} \sum_{i : i \in T_i} \frac{1}{|T_i|}.

    The result does not depend on the order of the records.

    Parameters
    ----------
    original : ndarray of shape (n_records, n_columns)
        Original values of the masked columns, all known to the attacker.
    masked : ndarray of shape (n_records, n_columns)
        Their masked values, in the same order of records.
    columns : ndarray of shape (n_axes,), optional
        The column that each axis belongs to, if some columns have several axes, as categorical
        columns do; the axes of a column share one scale.
    units : ndarray of shape (n_records,), optional
        Code of the unit of each record: a link is then correct if it leads to any record of
        the same unit.

    Returns
    -------
    float
        In [0, 1]. 0 means that no link is correct, 1 that all are. Random guessing gives 1/n;
        groups of at least k, masked in one block, give at most 1/k.

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

    Each table is standardised separately. If several original records are equally near, the
    attacker picks at random among them, as in `linkage`. If :math:`b_i` original records are nearer
    to masked record i than its own original record, and :math:`t_i` are equally near, including its
    own,

    .. math:: \frac{1}{n} \sum_{i=1}^{n} \min\Bigl(1, \frac{\max(0, 2 - b_i)}{t_i}\Bigr).

    Parameters
    ----------
    original : ndarray of shape (n_records, n_columns)
        Original values of the masked columns, all known to the attacker.
    masked : ndarray of shape (n_records, n_columns)
        Their masked values, in the same order of records.
    columns : ndarray of shape (n_axes,), optional
        The column that each axis belongs to, if some columns have several axes, as categorical
        columns do; the axes of a column share one scale.
    units : ndarray of shape (n_records,), optional
        Code of the unit of each record: a link is then correct if it leads to any record of
        the same unit.

    Returns
    -------
    float
        In [0, 1], at least `linkage`. 0 means that the correct record is never among the two, 1
        that it always is. Random guessing gives 2/n; groups of at least k, masked in one block,
        give at most 2/k.

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
    original: Matrix, masked: Matrix, n_guesses: int, columns: Labels | None, units: Labels | None
) -> float:
    """Return the expected share of records whose original is among the ``n_guesses`` nearest."""
    if columns is None:
        original_points = order_free_zscores(original)
        masked_points = order_free_zscores(masked)
    else:  # a category is the same in both tables, so both share one scale
        original_points = np.zeros(original.shape)
        masked_points = np.zeros(original.shape)
        for axis, original_values, masked_values in scale_by_original(original, masked, columns):
            original_points[:, axis] = original_values
            masked_points[:, axis] = masked_values
    original_classes = classes(original)
    pair_classes = classes(
        np.column_stack([original_classes if units is None else units, classes(masked)])
    )
    # A pair of equal original and equal masked records is searched only once.
    _, queries, multiplicities = np.unique(pair_classes, return_index=True, return_counts=True)
    points = masked_points[queries]
    if units is None:
        chances = _chances_of_records(original_points, original_classes, points, queries, n_guesses)
    else:
        chances = _chances_of_units(
            original_points, original_classes, points, units, units[queries], n_guesses
        )
    return float((chances * multiplicities).sum() / len(original))


def linkage_chances(original: Matrix, masked: Matrix, queries: Rows) -> Values:
    """Return for each of ``queries`` the chance that its nearest original record is its own.

    Parameters
    ----------
    original : ndarray of shape (n_records, n_columns)
        The original records, standardised.
    masked : ndarray of shape (n_records, n_columns)
        Their masked values, on the same scale.
    queries : ndarray of shape (n_queries,)
        Positions of the records to link.

    Returns
    -------
    ndarray of shape (n_queries,)
        The chances, in [0, 1]; over a random sample of the records, their mean estimates `linkage`.
    """
    return _chances_of_records(original, classes(original), masked[queries], queries, 1)


def _chances_of_records(
    original: Matrix, original_classes: Labels, points: Matrix, own_records: Rows, n_guesses: int
) -> Values:
    """Return the chance that the nearest originals of each point contain its own record.

    If c records are closer than its own record, and t are at the same distance, including its own,
    the chance is (n_guesses - c) / t, clipped to [0, 1].
    """
    # Equal originals are indexed once, with a weight.
    _, representatives = np.unique(original_classes, return_index=True)
    n_closer, n_tied = _rank_records(
        original[representatives],
        np.bincount(original_classes),
        points,
        original_classes[own_records],
        n_guesses,
    )
    return np.asarray(np.clip((n_guesses - n_closer) / np.maximum(n_tied, 1), 0, 1))


def _chances_of_units(
    original: Matrix,
    original_classes: Labels,
    points: Matrix,
    units: Labels,
    target_units: Labels,
    n_guesses: int,
) -> Values:
    """Return the chance that the nearest originals of each point contain one of its target unit.

    If c records are closer than the nearest record of the unit, and t records are at the same
    distance, including some of the unit, the attacker draws n_guesses - c of these t without
    replacement.
    """
    _, representatives = np.unique(original_classes, return_index=True)
    table, class_sizes = original[representatives], np.bincount(original_classes)
    n_classes = len(class_sizes)
    # The pairs of a unit and a class are sorted by unit, so the pairs of a unit are one slice.
    pairs, counts = np.unique(units * n_classes + original_classes, return_counts=True)
    starts = np.searchsorted(pairs // n_classes, np.arange(units.max() + 2))
    nearest_of_unit, n_tied_of_unit = np.empty((2, len(points)), np.int64)
    for i, unit in enumerate(target_units):
        pairs_of_unit = slice(starts[unit], starts[unit + 1])
        classes_of_unit = pairs[pairs_of_unit] % n_classes
        squared_distances = ((table[classes_of_unit] - points[i]) ** 2).sum(axis=1)
        is_nearest = squared_distances <= squared_distances.min() * (1 + ROUNDING_TOLERANCE)
        nearest_of_unit[i] = classes_of_unit[np.argmin(squared_distances)]
        n_tied_of_unit[i] = counts[pairs_of_unit][is_nearest].sum()
    n_closer, n_tied = _rank_records(table, class_sizes, points, nearest_of_unit, n_guesses)
    n_draws = np.clip(n_guesses - n_closer, 0, np.maximum(n_tied, 1))
    miss_probability = np.ones(len(points))
    for draw in range(n_guesses):
        n_undrawn = np.maximum(n_tied - draw, 1)
        miss_probability *= np.where(
            draw < n_draws, np.maximum(n_undrawn - n_tied_of_unit, 0) / n_undrawn, 1.0
        )
    return np.asarray(1 - miss_probability)


def _rank_records(
    table: Matrix, weights: Counts, points: Matrix, own_records: Rows, n_guesses: int
) -> tuple[Counts, Counts]:
    """Return for each point how many records are closer than its own, and how many as close.

    Row i of the ``table`` stands for ``weights[i]`` equal records.
    """
    if len(table) <= SHORT_TABLE:
        return rank_among_few(table, weights, points, own_records, ROUNDING_TOLERANCE)
    index = open_index(table)
    queries = RankQueries(
        points=points,
        own_records=own_records,
        tolerance=ROUNDING_TOLERANCE,
        max_closer=n_guesses,
        n_closer=np.empty(len(points), np.int64),
        n_tied=np.empty(len(points), np.int64),
    )
    for start in range(0, len(points), STRIDE):
        stop = min(start + STRIDE, len(points))
        rank_own_records(index, weights, queries, start, stop)
        progress.report("linking records", stop, len(points))
    return queries.n_closer, queries.n_tied
