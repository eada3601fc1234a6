"""SUDA, the special uniques detection algorithm: records that are unique on few columns."""

from dataclasses import dataclass
from math import factorial, prod
from typing import Literal

import numpy as np

from shoal import _progress as progress
from shoal._kernels.constants import NONE
from shoal._kernels.suda import (
    CodeScratch,
    MinimalUniques,
    RecordGroups,
    add_scores,
    refine,
    store_minimal_uniques,
)
from shoal.errors import InputError, ParameterError
from shoal.metrics._array_types import AnyValues, Labels, Mask, Matrix, Values
from shoal.metrics._ranks import dense_ranks
from shoal.metrics.equivalence_classes import classes

Scoring = Literal["product", "supersets"]
MAX_COLUMNS = 60  # a set of columns is an integer with one bit for each


@dataclass(frozen=True, eq=False)
class Suda:
    """Minimal sample uniques of a table, and the scores of its records.

    A minimal sample unique (MSU) of a record is a set of columns on which the record is unique,
    although it is not unique on any proper subset.

    Parameters
    ----------
    scores : ndarray of shape (n_records,)
        SUDA score of each record: the sum of the weights of its MSUs, or 0 without MSUs.
    dis_scores : ndarray of shape (n_records,)
        DIS-SUDA score of each record, in [0, 1): estimated probability that a unique match with
        the record is correct.
    dis : float
        Estimated probability that a unique match with any record of the file is correct (DIS).
    contributions : ndarray of shape (n_records, n_columns)
        Sum of the weights of the MSUs of each record that contain each column.
    sizes : ndarray of shape (n_columns + 1,)
        Number of MSUs of each size; entry 0 is 0.
    """

    scores: Values
    dis_scores: Values
    dis: float
    contributions: Matrix
    sizes: Labels

    @property
    def column_contributions(self) -> Values:
        """Share of the total score from MSUs that contain each column; the sum may exceed 1."""
        total = self.scores.sum()
        return np.asarray(self.contributions.sum(axis=0) / (total if total > 0 else 1.0))


def suda(
    keys: AnyValues,
    *,
    max_size: int | None = None,
    sampling_fraction: float = 0.01,
    missing: Mask | None = None,
    scoring: Scoring = "product",
) -> Suda:
    r"""Return the minimal sample uniques (MSUs) and the SUDA score of each record [EMM05]_.

    The score is the sum of the weights of the MSUs. If there are ATT columns and sets have at most
    M columns, an MSU of size k has the weight

    .. math:: \prod_{i=k}^{\min(M, ATT-1)} (ATT - i),

    so small sets count most. With ``scoring="supersets"``, the weight is instead the number of
    proper supersets, :math:`2^{ATT-k} - 1`, divided by the number of sets of size k, as in the
    first implementation of IHSN. The search refines partitions of the records and leaves out
    records that are already unique, so large sets take little time.

    DIS, with U sample uniques, P records in pairs and the sampling fraction f, is
    :math:`U f / (U f + P (1 - f))` [SE02]_. DIS-SUDA distributes DIS over the records: a record
    with the score s gets :math:`1 / (1 + (U / DIS - U) / (s^q \sum_j s_j^{-q}))`, with
    :math:`q = 1 + (8 - ATT) / 20`.

    Parameters
    ----------
    keys : ndarray of shape (n_records, n_columns)
        Quasi-identifiers, or codes for their values.
    max_size : int, optional
        Maximum size of a set of columns; all columns by default.
    sampling_fraction : float
        Share of the population that is in the sample, in (0, 1).
    missing : ndarray of shape (n_records, n_columns), optional
        Mask of missing values. A missing value distinguishes a record from others, but no MSU
        contains a column with a missing value.
    scoring : {"product", "supersets"}, default="product"
        How MSUs are weighted.

    Returns
    -------
    Suda
        Scores of the records, contributions of the columns, and the number of MSUs of each size.

    References
    ----------
    .. [EMM05] Elliot, M. J., Manning, A., Mayes, K., Gurd, J. and Bane, M. (2005). SUDA: a program
       for detecting special uniques. UNECE/Eurostat work session on statistical data
       confidentiality, Geneva.
    .. [SE02] Skinner, C. J. and Elliot, M. J. (2002). A measure of disclosure risk for microdata.
       Journal of the Royal Statistical Society B 64, 855-867.

    Examples
    --------
    >>> result = suda(np.array([[2, 0, 0], [1, 3, 6], [1, 0, 0]]))
    >>> result.scores.tolist(), result.column_contributions.tolist()
    ([2.0, 4.0, 2.0], [0.5, 0.375, 0.375])
    """
    n, n_columns = _check_arguments(keys, max_size, sampling_fraction)
    max_size = n_columns if max_size is None else min(max_size, n_columns)
    minimal_uniques = _minimal_uniques(keys, max_size, missing)
    weights = np.array([_weight(k, n_columns, max_size, scoring) for k in range(n_columns + 1)])
    scores = np.zeros(n)
    contributions = np.zeros((n, n_columns))
    add_scores(minimal_uniques, weights, scores, contributions)
    column_sets = minimal_uniques.column_bits[: minimal_uniques.n_entries[0]]
    sizes = np.bincount(
        [int(columns).bit_count() for columns in column_sets], minlength=n_columns + 1
    )
    counts = np.bincount(classes(keys))
    n_uniques = int((counts == 1).sum())
    n_in_pairs = 2 * int((counts == 2).sum())
    dis = dis_risk(n_uniques, n_in_pairs, sampling_fraction)
    return Suda(scores, _dis_scores(scores, n_uniques, dis, n_columns), dis, contributions, sizes)


def dis_risk(uniques: int, in_pairs: int, sampling_fraction: float) -> float:
    """Return the probability that a unique match is correct, by data intrusion simulation [SE02]_.

    Parameters
    ----------
    uniques : int
        Number of sample uniques.
    in_pairs : int
        Number of records in classes of two records.
    sampling_fraction : float
        Share of the population that is in the sample.

    Returns
    -------
    float
        In [0, 1]. The probability is 0 if there are no sample uniques, and 1 if there are sample
        uniques but no pairs.

    References
    ----------
    .. [SE02] Skinner, C. J. and Elliot, M. J. (2002). A measure of disclosure risk for microdata.
       Journal of the Royal Statistical Society B 64, 855-867.

    Examples
    --------
    >>> dis_risk(4, 6, 0.5)
    0.4
    """
    if uniques == 0:
        return 0.0
    correct = uniques * sampling_fraction
    return correct / (correct + in_pairs * (1 - sampling_fraction))


def _check_arguments(
    keys: AnyValues, max_size: int | None, sampling_fraction: float
) -> tuple[int, int]:
    if keys.ndim != 2 or not 1 <= keys.shape[1] <= MAX_COLUMNS or len(keys) == 0:
        raise InputError(
            f"SUDA needs a table of 1 to {MAX_COLUMNS} columns. Got the shape {keys.shape}.",
            code="matrix-not-accepted",
            need="keys",
        )
    if max_size is not None and max_size < 1:
        raise ParameterError(
            f"`max_size` must be at least 1. Got {max_size!r} instead.",
            code="parameter-not-accepted",
            parameter="max_size",
        )
    if not 0 < sampling_fraction < 1:
        raise ParameterError(
            f"`sampling_fraction` must be above 0 and below 1. Got {sampling_fraction!r} instead.",
            code="parameter-not-accepted",
            parameter="sampling_fraction",
        )
    return keys.shape


def _weight(size: int, n_columns: int, max_size: int, scoring: Scoring) -> float:
    """Return the weight of an MSU of ``size`` columns, or 0 for no columns."""
    if size == 0:
        return 0.0
    if scoring == "supersets":
        n_sets = factorial(n_columns) / (factorial(size) * factorial(n_columns - size))
        return float((2 ** (n_columns - size) - 1) / n_sets)
    return float(prod(n_columns - i for i in range(size, min(max_size, n_columns - 1) + 1)))


def _minimal_uniques(keys: AnyValues, max_size: int, missing: Mask | None) -> MinimalUniques:
    """Return all MSUs of up to ``max_size`` columns.

    A set of columns is an integer with one bit per column. Sets are visited in the order of these
    integers, so every subset comes before the set.
    """
    n, n_columns = keys.shape
    codes = [dense_ranks(column) for column in keys.T]
    columns_with_value = np.full(n, 2**n_columns - 1, np.int64)
    if missing is not None:
        columns_with_value = (~missing).astype(np.int64) @ (2 ** np.arange(n_columns))
    n_codes = max(int(column.max()) for column in codes) + 1
    scratch = CodeScratch(np.zeros(n_codes, np.int64), np.empty(n_codes, np.int64))
    uniques = MinimalUniques(
        last_entry=np.full(n, NONE),
        column_bits=np.empty(n, np.int64),
        previous_entry=np.empty(n, np.int64),
        n_entries=np.zeros(1, np.int64),
    )
    n_sets = 2**n_columns
    n_visited = 0

    def visit(columns: int, n_candidates: int, groups: RecordGroups) -> None:
        """Add each of the first ``n_candidates`` columns to a set, and visit the larger sets.

        ``groups`` are the groups of records that are equal on the set; unique records are left out.
        """
        nonlocal uniques, n_visited
        n_records = len(groups.records)
        if columns.bit_count() == max_size or n_records == 0:
            return
        for column in range(n_candidates):
            unique_records = np.empty(n_records, np.int64)
            finer = RecordGroups(
                np.empty(n_records, np.int64), np.empty(n_records // 2 + 2, np.int64)
            )
            n_groups, n_unique = refine(groups, codes[column], scratch, finer, unique_records)
            uniques = _with_capacity(uniques, n_unique)
            extended_columns = columns | 1 << column
            store_minimal_uniques(
                uniques, unique_records[:n_unique], extended_columns, columns_with_value
            )
            n_visited += 1
            progress.report("minimal sample uniques", n_visited, n_sets)
            finer = RecordGroups(
                finer.records[: finer.starts[n_groups]].copy(), finer.starts[: n_groups + 1].copy()
            )
            visit(extended_columns, column, finer)

    visit(0, n_columns, RecordGroups(np.arange(n), np.array([0, n])))
    return uniques


def _with_capacity(uniques: MinimalUniques, n_new: int) -> MinimalUniques:
    """Return the same MSUs, with space for ``n_new`` further MSUs."""
    capacity = len(uniques.column_bits)
    if uniques.n_entries[0] + n_new <= capacity:
        return uniques
    space = np.empty(max(capacity, n_new), np.int64)
    return uniques._replace(
        column_bits=np.concatenate([uniques.column_bits, space]),
        previous_entry=np.concatenate([uniques.previous_entry, space]),
    )


def _dis_scores(scores: Values, uniques: int, dis: float, n_columns: int) -> Values:
    """Return the DIS-SUDA score of each record, or 0 if its SUDA score is 0."""
    power = 1 + (8 - n_columns) / 20
    is_positive = scores > 0
    result = np.zeros(len(scores))
    if is_positive.any() and dis > 0:
        powers = scores[is_positive] ** power
        result[is_positive] = 1 / (1 + (uniques / dis - uniques) / (powers * (1 / powers).sum()))
    return result
