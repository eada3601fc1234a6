"""What every partitioner promises: groups of at least k, checked."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from shoal import parameters, progress
from shoal.errors import GuaranteeBroken, InputError
from shoal.kernels.index import Index, open_index, renew

Labels = NDArray[np.int64]
Matrix = NDArray[np.float64]

GREATEST = 1e150  # beyond it, a squared distance may not fit into a float64


@dataclass(frozen=True, eq=False)
class Partition:
    """Records split into groups of at least ``k``; checked when it is made.

    Parameters
    ----------
    labels : ndarray of shape (n_records,)
        Group of each record, counted from 0 without gaps.
    k : int
        Least number of records in a group.

    Examples
    --------
    >>> partition = Partition(np.array([0, 1, 1, 0, 1]), k=2)
    >>> partition.n_groups, partition.sizes
    (2, array([2, 3]))
    """

    labels: Labels
    k: int

    def __post_init__(self) -> None:
        unlabelled = len(self.labels) == 0 or self.labels.min() < 0
        smallest = 0 if unlabelled else int(self.sizes.min())
        if smallest < self.k:
            raise GuaranteeBroken(
                f"The smallest group holds {smallest} records; k={self.k} was promised."
                " Please report this: no data were released."
            )
        self.labels.setflags(write=False)

    @cached_property
    def sizes(self) -> Labels:
        """Number of records in each group."""
        return np.bincount(self.labels).astype(np.int64)

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.sizes)

    def __repr__(self) -> str:
        return (
            f"Partition({len(self.labels)} records, {self.n_groups} groups of"
            f" {self.sizes.min()} to {self.sizes.max()}, k={self.k})"
        )


def in_order(labels: ArrayLike) -> Labels:
    """Number the groups by their first records, so that equal partitions have equal labels.

    Examples
    --------
    >>> in_order([7, 3, 7, 5, 3])
    array([0, 1, 0, 2, 1])
    """
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]


@dataclass(frozen=True)
class Facts:
    """What ``shoal methods`` tells about a partitioner, beside its signature.

    Parameters
    ----------
    groups : str
        ``"fixed"`` where all groups but the last have exactly k records, else
        ``"variable"``.
    cost : str
        Growth of the running time in the number of records n and in k.
    paper : str
        Key of the paper, spelled out in the docstring.
    guarantee : str
        What is proven about the loss; empty for a heuristic.
    most : int or None
        Number of records up to which every table is taken; a longer one may be
        refused. None where there is no such limit.
    """

    groups: str
    cost: str
    paper: str
    guarantee: str = ""
    most: int | None = None


class Partitioner(BaseEstimator):  # type: ignore[misc]
    """Base of all partitioners: checks what comes in and what goes out.

    A subclass declares its parameters in ``__init__``, tells its ``facts`` and
    writes ``_split``, which turns a checked float64 matrix into one label per
    row and must leave the matrix as it is.
    """

    facts: ClassVar[Facts]
    k: int

    @property
    def takes_directions(self) -> bool:
        """Whether each column must be one axis, because it is numbered or has an upper end."""
        return False

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Group the rows of ``X``.

        Parameters
        ----------
        X : array-like of shape (n_records, n_columns)
            Records in comparable units: distances are taken as they are.
        y : None
            Ignored; there for scikit-learn's conventions.

        Returns
        -------
        Partitioner
            The partitioner itself, with ``labels_`` and ``partition_``.
        """
        del y
        parameters.validate(self)
        matrix = validate_data(self, X, dtype=np.float64, order="C")
        matrix = np.require(matrix, requirements="W")  # else each kernel is compiled twice
        self._check(matrix)
        self.partition_ = Partition(in_order(self._split(matrix)), int(self.k))
        self.labels_ = self.partition_.labels
        return self

    def fit_predict(self, X: ArrayLike, y: object = None) -> Labels:
        """Group the rows of ``X`` and return the group of each.

        Parameters
        ----------
        X : array-like of shape (n_records, n_columns)
            Records in comparable units.
        y : None
            Ignored; there for scikit-learn's conventions.

        Returns
        -------
        ndarray of shape (n_records,)
            Group of each record.
        """
        return self.fit(X, y).labels_

    def _check(self, X: Matrix) -> None:
        """Refuse a matrix that cannot be grouped; a subclass may refuse more."""
        if len(X) < self.k:
            raise InputError(
                f"A group needs k={self.k} records but the data hold only n_samples={len(X)}."
                " Lower k, or merge the strata."
            )
        if np.abs(X).max() > GREATEST:
            raise InputError(
                f"The data hold values beyond {GREATEST:g}, whose squares do not fit into a"
                " float64. Standardise the columns first."
            )

    def _split(self, X: Matrix) -> Labels:
        raise NotImplementedError


STRIDE = 5_000_000  # distances between two reports of progress: a fraction of a second


def drain(
    X: Matrix,
    advance: Callable[..., bool],
    *arguments: Any,
    opening: Callable[[Matrix], Any] = open_index,
    stage: str = "grouping",
    done: int = 0,
    total: int | None = None,
) -> Labels:
    """Let a kernel empty an index of the rows of ``X``, or a pool; return the labels.

    The kernel works in strides, so that progress is told and Ctrl-C is heard
    between them. Where ``X`` is a part of a table of ``total`` records, ``done``
    of them are done before.
    """
    living = opening(X)
    total = len(X) if total is None else total
    while advance(living, *arguments, STRIDE):
        progress.report(stage, done + len(X) - int(living.size[0]), total)
        if isinstance(living, Index):
            living = renew(living)
    progress.report(stage, done + len(X), total)
    return np.asarray(living.labels)
