"""Probabilistic linkage, with match weights that are estimated without known matches."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from shoal import _progress as progress
from shoal._kernels.record_linkage import (
    MatchWeights,
    TargetMatches,
    agreement_patterns,
    count_best_matches,
)
from shoal.metrics._array_types import Labels, Matrix, Values
from shoal.metrics.attacks._setting import AttackSetting
from shoal.metrics.attacks.linkage import NOT_ALIGNED, correct_records, linkage_result
from shoal.metrics.attacks.result import AttackResult

CLOSE_AGREEMENT = 0.1  # standard deviations within which numbers agree closely
PARTIAL_AGREEMENT = 0.5  # standard deviations within which numbers agree partially
SAMPLE_SIZE = 500  # the weights are estimated from all pairs of this many records of each table
MAX_COLUMNS = 31  # since a pattern of agreement is a number with one base-4 digit per column
MAX_ITERATIONS = 200
CONVERGENCE_TOLERANCE = 1e-8  # largest change of a share at which the iterations end
INITIAL_M = [0.05, 0.1, 0.25, 0.6]  # shares of matching pairs, from no to exact agreement
MIN_PROBABILITY = 1e-6  # smallest estimated share, so that weights are finite
WEIGHT_TOLERANCE = 1e-9  # weights that differ by less are equal up to rounding
STRIDE = 20  # targets ranked at a time, in one thread

Patterns = NDArray[np.int64]


def probabilistic_linkage(setting: AttackSetting) -> AttackResult | str:
    """Link each target with the released record of the largest match weight [FS69]_.

    Two records agree in a category or not. In a number, they agree exactly, closely (within 0.1
    standard deviations), partially (within 0.5) or not. The weight of a pair is the sum over the
    columns of log(m/u), where m is the share of the matching pairs at this level of agreement and u
    the share of the other pairs. The EM algorithm estimates both from pairs whose match status is
    unknown [J89]_.

    Parameters
    ----------
    setting : AttackSetting
        Tables and options of the attack.

    Returns
    -------
    AttackResult or str
        The result, or why the attack cannot be carried out. With classes of at least k records, at
        most 1/k of the targets can be expected to be linked.

    References
    ----------
    .. [FS69] Fellegi, I. P. and Sunter, A. B. (1969). A theory for record linkage. Journal of the
       American Statistical Association 64, 1183-1210.
    .. [J89] Jaro, M. A. (1989). Advances in record-linkage methodology as applied to matching the
       1985 census of Tampa, Florida. Journal of the American Statistical Association 84, 414-420.
    """
    if not setting.aligned:
        return NOT_ALIGNED
    names = setting.quasi_identifiers[:MAX_COLUMNS]
    weights = _estimate_weights(setting, names)
    table, targets = setting.points(names, setting.targets, "original", "values")
    released_classes = setting.classes(names)
    starts, records = correct_records(setting, setting.targets)
    correct_classes = released_classes.labels[records]
    max_remaining_weight = np.append(np.cumsum(weights.max(axis=1)[::-1])[::-1], 0.0)
    match_weights = MatchWeights(
        weights, max_remaining_weight, CLOSE_AGREEMENT, PARTIAL_AGREEMENT, WEIGHT_TOLERANCE
    )

    def chances_of_chunk(chunk: slice) -> Values:
        n_correct, n_tied = np.empty((2, chunk.stop - chunk.start), np.int64)
        matches = TargetMatches(
            targets=targets.select_rows(chunk),
            correct_classes=correct_classes,
            starts=starts[chunk.start : chunk.stop + 1],
            n_correct=n_correct,
            n_tied=n_tied,
        )
        count_best_matches(table, released_classes.sizes, matches, match_weights)
        return np.where(n_tied > 0, n_correct / np.maximum(n_tied, 1), 0.0)

    n_targets = len(setting.targets)
    chunks = [slice(start, min(n_targets, start + STRIDE)) for start in range(0, n_targets, STRIDE)]
    chances = np.zeros(n_targets)
    with ThreadPoolExecutor(setting.options.n_jobs) as pool:
        for chunk, chunk_chances in zip(chunks, pool.map(chances_of_chunk, chunks), strict=True):
            chances[chunk] = chunk_chances
            progress.report("attacks: linkage-probabilistic", chunk.stop, n_targets)
    return linkage_result(setting, "linkage-probabilistic", chances)


def _estimate_weights(setting: AttackSetting, names: tuple[str, ...]) -> Matrix:
    """Return the weight of each level of agreement of each column, by EM on a sample of pairs."""
    rng = setting.rng("linkage-probabilistic")
    sample_size = min(SAMPLE_SIZE, setting.n_original)
    rows = rng.choice(setting.n_original, sample_size, replace=False)
    table, targets = setting.points(names, rows, "original", "values")
    sampled_classes = setting.classes(names).labels[rows]
    pairs = np.empty((sample_size, sample_size), np.int64)
    agreement_patterns(
        table.select_rows(sampled_classes), targets, CLOSE_AGREEMENT, PARTIAL_AGREEMENT, pairs
    )
    patterns, counts = np.unique(pairs, return_counts=True)
    digits = patterns[:, np.newaxis] // 4 ** np.arange(len(names))[::-1] % 4
    m, u, _ = expectation_maximisation(digits, counts, 1 / sample_size)
    return np.log(m / u)


def expectation_maximisation(
    patterns: Patterns, counts: Labels, share: float
) -> tuple[Matrix, Matrix, float]:
    """Estimate the levels of agreement of matching and of other pairs in each column [J89]_.

    Columns are assumed to agree independently of one another, given whether a pair matches. As
    hardly any pair matches, u is first estimated from all pairs.

    Parameters
    ----------
    patterns : ndarray of shape (n_patterns, n_columns)
        Patterns that occur, with a level of agreement from 0 to 3 in each column.
    counts : ndarray of shape (n_patterns,)
        Number of pairs with each pattern.
    share : float
        First estimate of the share of pairs that match.

    Returns
    -------
    m : ndarray of shape (n_columns, 4)
        Share of the matching pairs at each level.
    u : ndarray of shape (n_columns, 4)
        Share of the other pairs at each level.
    share : float
        Share of the pairs that match.

    References
    ----------
    .. [J89] Jaro, M. A. (1989). Advances in record-linkage methodology as applied to matching the
       1985 census of Tampa, Florida. Journal of the American Statistical Association 84, 414-420.
    """
    u = level_shares(patterns, counts.astype(np.float64))
    m = np.tile(INITIAL_M, (patterns.shape[1], 1))
    columns = np.arange(patterns.shape[1])
    for _ in range(MAX_ITERATIONS):
        matching = share * m[columns, patterns].prod(axis=1)
        other = (1 - share) * u[columns, patterns].prod(axis=1)
        expected_matches = matching / (matching + other) * counts
        previous_m = m
        m = level_shares(patterns, expected_matches)
        u = level_shares(patterns, counts - expected_matches)
        share = float(expected_matches.sum() / counts.sum())
        if np.abs(m - previous_m).max() < CONVERGENCE_TOLERANCE:
            break
    return m, u, share


def level_shares(patterns: Patterns, weights: Values) -> Matrix:
    """Return the weighted share of each level of agreement, 0 to 3, in each column."""
    shares = np.array([np.bincount(column, weights, minlength=4) for column in patterns.T])
    shares = np.maximum(shares / weights.sum(), MIN_PROBABILITY)
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))
