"""Replace values within groups by random ones with the same mean and covariances."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import PlanError
from shoal.frame import tables
from shoal.frame.tables import Frame
from shoal.partitioners import Partition
from shoal.steps._within_groups import WithinGroups

Matrix = NDArray[np.float64]


class Hybridise(WithinGroups):
    """Release group means plus noise that has exactly the covariances of the group [DG10]_.

    The deviations of a group's records from their mean are replaced by random ones with the
    same covariance matrix: a random rotation of the records, as in [TFT08]_, within the group.
    Means, variances and correlations of every group, and therefore of the table, are kept up to
    rounding.

    What is released of a group depends on its records only through their mean and covariances,
    so an attacker who knows all masked columns of a person picks the right record of the group
    with a probability of at most 1/k (probabilistic k-anonymity). It is not k-anonymity: nearly
    all records are unique. Mean and variance determine the values of two records, so k is at
    least 3. Whole numbers do not stay whole.

    Parameters
    ----------
    columns : list of str
        Columns to mask, all numeric.
    partitioner : Partitioner
        Method that groups the records, with its k, at least 3.
    within : list of str, optional
        Columns whose values split the records into strata; a single name is accepted.
    unit : str, optional
        Column whose values k counts, dropped from the release. Defaults to the column with the
        role ``unit`` or ``household``.
    standardise : {"zscore", "none"}, default="zscore"
        Scale of the columns in distances.
    random_state : int, Generator, RandomState or None
        Seed; if None, one is drawn and recorded in the plan of the release.

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
    short_guarantee = "probabilistic k-anonymity"

    def _validate(self) -> None:
        super()._validate()
        k = self.partitioner.k
        if k < 3:
            raise PlanError(
                "hybridise keeps the mean and variance of each group, which determine the values"
                f" of two records. Raise k={k} to at least 3.",
                code="k-too-small",
                k=k,
            )

    def _describe_guarantee(self, attack_clause: str) -> str:
        return (
            f"Within groups of at least {self.partitioner.k}{self._unit_phrase} the values are"
            " random, with the means and covariances of the group: anyone who knows these columns"
            f" of a person {attack_clause} (probabilistic k-anonymity). Records may be unique."
        )

    def _mask_groups(
        self, frame: Frame, groups: Partition, rng: np.random.Generator
    ) -> dict[str, Any]:
        X = tables.matrix(frame, self.columns)
        masked = np.empty_like(X)
        order = np.argsort(groups.labels, kind="stable")
        for records in np.split(order, np.cumsum(groups.sizes)[:-1]):
            masked[records] = rotate_at_random(X[records], rng)
        return dict(zip(self.columns, masked.T, strict=True))


def rotate_at_random(X: Matrix, rng: np.random.Generator) -> Matrix:
    """Return random records with the means and covariances of ``X``.

    The deviations of ``X`` from the mean are multiplied by a random rotation of the records that
    keeps the mean; all such rotations are equally likely. The order of the rows does not matter.

    Examples
    --------
    >>> X = np.array([[1.0, 5.0], [2.0, 3.0], [6.0, 4.0]])
    >>> Y = rotate_at_random(X, np.random.default_rng(0))
    >>> bool(np.allclose(np.cov(Y.T), np.cov(X.T))), bool(np.allclose(Y, X))
    (True, False)
    """
    n = len(X)
    X = X[np.lexsort(X.T)] + 0.0  # no negative zero
    mean = X[0] + (X - X[0]).mean(axis=0)  # exact if all values are equal
    max_deviations = np.abs(X - mean).max(axis=0)
    # Columns may differ by many orders of magnitude.
    scale = np.where(max_deviations > 0, max_deviations, 1.0)
    _, singular_values, axes = np.linalg.svd((X - mean) / scale, full_matrices=False)
    rank = (
        min(int((singular_values > 1e-12 * singular_values[0]).sum()), n - 1)
        if singular_values[0] > 0
        else 0
    )
    if rank == 0:
        return X.copy()
    normal = rng.standard_normal((n, rank))
    q, r = np.linalg.qr(normal - normal.mean(axis=0))
    q = q * np.sign(np.diag(r))  # otherwise some rotations are more likely than others
    return np.asarray(mean + (q * singular_values[:rank]) @ axes[:rank] * scale)
