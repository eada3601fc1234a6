"""Noise inside groups that gives back the variances which means take away."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shoal._params import RandomState
from shoal.errors import PlanError
from shoal.frame import tables
from shoal.frame.tables import Frame
from shoal.partitioners import Partition, Partitioner
from shoal.steps._grouped import Grouped
from shoal.steps._step import named

Matrix = NDArray[np.float64]


class Hybridise(Grouped):
    """Release group means plus noise that has exactly the covariances of the group [DG10]_.

    The differences of the records of a group to its mean are replaced by random ones
    with the same covariance matrix: a random rotation of the records, as in
    [TFT08]_, made inside the group. Means, variances and correlations of every group,
    and so of the table, are kept to rounding.

    What is released of a group depends on its records through their mean and
    covariances alone, so nothing tells which record of the group is whose: whoever
    knows all masked columns of a person picks the right one with a chance of at most
    1 in k (probabilistic k-anonymity). It is not k-anonymity: nearly all records
    are unique. Of two records mean and variance tell the values, so k is at least 3.
    Whole numbers do not stay whole.

    Parameters
    ----------
    columns : list of str
        Columns to mask, all numeric.
    partition : Partitioner
        How records are grouped, with its k, at least 3.
    within : list of str, optional
        Columns whose values split the records into strata; one name may stand
        alone.
    unit : str, optional
        Column whose values k counts; by itself the column with the role ``unit`` or
        ``household``. It is dropped.
    standardise : str
        ``"zscore"`` or ``"none"``, for the distances.
    random_state : int, Generator, RandomState or None
        Seed of the draws; where None, one is drawn and noted in the release's plan.

    References
    ----------
    .. [DG10] Domingo-Ferrer, J. and González-Nicolás, Ú. (2010). Hybrid microdata
       using microaggregation. Information Sciences 180(15), 2834-2844.
    .. [TFT08] Ting, D., Fienberg, S. E. and Trottini, M. (2008). Random orthogonal
       matrix masking methodology for microdata release. International Journal of
       Information and Computer Security 2(1), 86-105.
    """

    name = "hybridise"
    paper = "DG10"
    promises = "probabilistic k-anonymity"

    def __init__(
        self,
        columns: Sequence[str],
        partition: Partitioner,
        *,
        within: str | Sequence[str] | None = None,
        unit: str | None = None,
        standardise: Literal["zscore", "none"] = "zscore",
        random_state: RandomState = None,
    ):
        self.columns = named(columns)
        self.partition = partition
        self.within = within
        self.unit = unit
        self.standardise = standardise
        self.random_state = random_state
        self._settle()
        if partition.k < 3:
            raise PlanError(
                f"hybridise keeps mean and variance of each group, which give two records away."
                f" Raise k={partition.k} to at least 3.",
                code="k-too-small",
                k=partition.k,
            )

    @property
    def guarantee(self) -> str:
        """What the step promises, in sentences for the report."""
        k = self.partition.k
        return (
            f"Inside groups of at least {k}{self._units} the values are random, with the means and"
            " covariances of the group: who knows these columns of a person picks the right record"
            f" with a chance of at most 1 in {k} (probabilistic k-anonymity). Records may be"
            " unique."
        )

    def _inside(self, frame: Frame, groups: Partition, rng: np.random.Generator) -> dict[str, Any]:
        X = tables.matrix(frame, self.columns)
        masked = np.empty_like(X)
        order = np.argsort(groups.labels, kind="stable")
        for records in np.split(order, np.cumsum(groups.sizes)[:-1]):
            masked[records] = rotated(X[records], rng)
        return dict(zip(self.columns, masked.T, strict=True))


def rotated(X: Matrix, rng: np.random.Generator) -> Matrix:
    """Return random records with the means and covariances of ``X``.

    Their differences to the mean are those of ``X`` under a random rotation that
    leaves the mean alone; all such rotations are equally likely. The order of the rows
    of ``X`` has no influence.

    Examples
    --------
    >>> X = np.array([[1.0, 5.0], [2.0, 3.0], [6.0, 4.0]])
    >>> found = rotated(X, np.random.default_rng(0))
    >>> bool(np.allclose(np.cov(found.T), np.cov(X.T))), bool(np.allclose(found, X))
    (True, False)
    """
    n, X = len(X), X[np.lexsort(X.T)] + 0.0  # no negative zero
    mean = X[0] + (X - X[0]).mean(axis=0)  # equal values keep exactly their value
    spread = np.abs(X - mean).max(axis=0)
    unit = np.where(spread > 0, spread, 1.0)  # else a small column would drown in a large one
    _, size, axes = np.linalg.svd((X - mean) / unit, full_matrices=False)
    rank = min(int((size > 1e-12 * size[0]).sum()), n - 1) if size[0] > 0 else 0
    if rank == 0:
        return X.copy()
    draws = rng.standard_normal((n, rank))
    frame, upper = np.linalg.qr(draws - draws.mean(axis=0))
    frame = frame * np.sign(np.diag(upper))  # else not all rotations are equally likely
    return np.asarray(mean + (frame * size[:rank]) @ axes[:rank] * unit)
