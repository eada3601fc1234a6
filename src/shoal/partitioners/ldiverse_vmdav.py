"""V-MDAV whose groups have at least l confidential values."""

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from shoal import _progress as progress
from shoal._kernels.leftovers import join_nearest_centroid
from shoal._params import AtLeast, K
from shoal._text import count
from shoal.errors import InputError, ParameterError
from shoal.partitioners._base import Facts, Indices, Labels, Matrix, Partitioner, squared_distances


class LDiverseVMDAV(Partitioner):
    """Group records by V-MDAV so that each group has l confidential values, as in [JYSW08]_.

    Parameters
    ----------
    k : int
        Minimum number of records in a group. It has no default: it is the
        guarantee.
    diversity : int
        The *l* of l-diversity: minimum number of distinct confidential values in a group.
    values : list of int
        The confidential value of each record, or a number that stands for it.
    gamma : float
        How readily a group takes in a neighbour, as in :class:`VMDAV`; 0 takes in none.

    Attributes
    ----------
    labels_ : ndarray of shape (n_records,)
        Group of each record.
    partition_ : Partition
        The same, with its sizes.

    Notes
    -----
    **Steps**

    1. The record farthest from the mean of the whole table forms a group with its
       k - 1 nearest neighbours.
    2. While the group has fewer than l values, the nearest record with a further value is
       added.
    3. It is extended as in :class:`VMDAV`, up to 2k - 1 records.
    4. This is repeated while the remaining records can form another such group. Then
       the remaining records join the groups with the nearest centroids.

    **Guarantee.** All groups have at least k records and l confidential values.
    Nothing is proven about the loss.

    **Cost.** Time grows as n², memory as n. Ties, which are equal float64 distances, go
    to the record that comes first.

    References
    ----------
    .. [JYSW08] Jianmin, H., Yu, J., Sun, H. and Wang, J. (2008). An improved V-MDAV
       algorithm for l-diversity. International Symposiums on Information Processing,
       733-739.

    Examples
    --------
    >>> X, ill = [[0], [1], [2], [7], [8], [9]], [1, 1, 2, 1, 1, 2]
    >>> LDiverseVMDAV(k=2, diversity=2, values=ill).fit_predict(X)
    array([0, 0, 0, 1, 1, 1])
    """

    facts = Facts(
        groups="variable",
        cost="n²",
        paper="JYSW08",
        guarantee="every group has at least l confidential values",
    )

    def __init__(
        self,
        k: K,
        diversity: Annotated[int, AtLeast(1)],
        values: Sequence[float],
        gamma: Annotated[float, AtLeast(0)] = 0.2,
    ):
        self.k = k
        self.diversity = diversity
        self.values = values
        self.gamma = gamma

    def _check(self, X: Matrix) -> None:
        super()._check(X)
        if len(self.values) != len(X):
            raise ParameterError(
                f"The 'values' of LDiverseVMDAV must be one for each of the {len(X):,} records."
                f" Got {len(self.values):,}.",
                code="parameter-not-accepted",
                parameter="values",
            )
        distinct = len(np.unique(np.asarray(self.values)))
        if distinct < self.diversity:
            raise InputError(
                f"The confidential column has {count(distinct, 'distinct value')}, fewer than the"
                f" diversity={self.diversity} of a group. Lower `diversity`.",
                code="too-few-values",
                diversity=self.diversity,
                distinct=distinct,
            )

    def _split(self, X: Matrix) -> Labels:
        codes = np.unique(np.asarray(self.values), return_inverse=True)[1].astype(np.int64)
        labels = np.full(len(X), -1)
        order = np.argsort(-squared_distances(X, X.mean(axis=0)), kind="stable")
        n_groups = 0
        while self._is_group(codes[labels < 0]):
            seed = order[labels[order] < 0][0]
            group = self._grow(X, codes, np.flatnonzero(labels < 0), int(seed))
            if n_groups and group is None:
                break
            labels[np.flatnonzero(labels < 0) if group is None else group] = n_groups
            n_groups += 1
            progress.report("grouping", int((labels >= 0).sum()), len(X))
        if (labels < 0).any():
            join_nearest_centroid(X, labels)
        return labels

    def _is_group(self, codes: Indices) -> bool:
        """Return whether records with such confidential values may be a group."""
        return len(codes) >= self.k and len(np.unique(codes)) >= self.diversity

    def _grow(self, X: Matrix, codes: Indices, remaining: Indices, seed: int) -> list[int] | None:
        """Return a group around ``seed``, or None if too few values remain."""
        nearest_first = remaining[
            np.argsort(squared_distances(X[remaining], X[seed]), kind="stable")
        ]
        group = [int(record) for record in nearest_first[: self.k]]
        values = set(codes[group].tolist())
        for record in nearest_first[self.k :]:
            if len(values) >= self.diversity:
                break
            if int(codes[record]) not in values:
                group.append(int(record))
                values.add(int(codes[record]))
        if len(values) < self.diversity:
            return None
        return self._extend(X, remaining, group)

    def _extend(self, X: Matrix, remaining: Indices, group: list[int]) -> list[int]:
        """Add records that are nearer to the group than to the others, up to 2k - 1."""
        ungrouped = [int(record) for record in remaining if record not in set(group)]
        while len(group) < 2 * self.k - 1 and len(ungrouped) > 1:
            group_squares = np.min(
                [squared_distances(X[ungrouped], X[record]) for record in group], axis=0
            )
            nearest = int(np.argmin(group_squares))
            other_squares = squared_distances(X[ungrouped], X[ungrouped[nearest]])
            other_squares[nearest] = np.inf
            if not np.sqrt(group_squares[nearest]) < self.gamma * np.sqrt(other_squares.min()):
                break
            group.append(ungrouped.pop(nearest))
        return group
