"""The base of all partitioners: groups of at least k, checked."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import validate_data

from shoal import _params as parameters
from shoal import _progress as progress
from shoal._kernels.leftovers import group_centroids
from shoal._kernels.spatial.index import (
    Index,
    open_index,
    reads_most_blocks,
    rebuild_if_needed,
    to_pool,
)
from shoal._kernels.spatial.pool import open_pool
from shoal._seeds import GENERATORS, as_seed
from shoal._text import count
from shoal.errors import GuaranteeBroken, InputError, InputTypeError, ShoalError

Labels = NDArray[np.int64]  # group of each record
Indices = NDArray[np.int64]  # numbers of records, groups or columns
Matrix = NDArray[np.float64]
Values = NDArray[np.float64]  # one for each record, group or column

MAX_VALUE = 1e150  # squared distances of greater values may not fit into a float64
STRIDE = 5_000_000  # distances measured between two reports of progress: a fraction of a second
BOUND_SAFETY_FACTOR = 1 - 1e-8  # share of a computed optimum that is a safe lower bound


@dataclass(frozen=True, eq=False)
class Partition:
    """Records split into groups of at least ``k``; checked when it is made.

    Parameters
    ----------
    labels : ndarray of shape (n_records,)
        Group of each record, counted from 0 without gaps.
    k : int
        Minimum number of records in a group.

    Examples
    --------
    >>> partition = Partition(np.array([0, 1, 1, 0, 1]), k=2)
    >>> partition.n_groups, partition.sizes
    (2, array([2, 3]))
    """

    labels: Labels
    k: int

    def __post_init__(self) -> None:
        is_incomplete = len(self.labels) == 0 or self.labels.min() < 0
        smallest = 0 if is_incomplete else int(self.sizes.min())
        if smallest < self.k:
            raise GuaranteeBroken(
                f"The smallest group holds {smallest} records; k={self.k} was guaranteed."
                " No data were released. Please report this.",
                code="group-below-k",
                smallest=smallest,
                k=self.k,
            )
        self.labels.setflags(write=False)

    @cached_property
    def sizes(self) -> Indices:
        """Number of records in each group."""
        return np.bincount(self.labels).astype(np.int64)

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.sizes)

    def __repr__(self) -> str:
        return (
            f"Partition({count(len(self.labels), 'record')}, {count(self.n_groups, 'group')} of"
            f" {self.sizes.min():,} to {self.sizes.max():,}, k={self.k})"
        )


def in_order(labels: ArrayLike) -> Labels:
    """Number the groups by their first records, so that equal partitions have equal labels.

    Examples
    --------
    >>> in_order([7, 3, 7, 5, 3])
    array([0, 1, 0, 2, 1])
    """
    codes = np.asarray(labels, np.int64) - np.min(labels)
    if codes.max() > 2 * len(codes):  # an array over all labels would be long
        codes = np.unique(codes, return_inverse=True)[1]
    first = np.full(codes.max() + 1, len(codes))
    # In reverse order, so that the first record of a group is written last.
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return np.asarray(rank[codes])


def sse(X: Matrix, labels: Labels) -> float:
    """Return the sum of the squared distances of records to the means of their groups.

    Differences to the first record of each group are summed, so groups of equal records give
    exactly 0.

    Examples
    --------
    >>> sse(np.array([[0.0], [2.0], [7.0]]), np.array([0, 0, 1]))
    2.0
    """
    _, first, groups = np.unique(labels, return_index=True, return_inverse=True)
    sizes, total = np.bincount(groups), 0.0
    for column in X.T:
        differences = column - column[first][groups]
        means = np.bincount(groups, differences) / sizes
        total += float(((differences - means[groups]) ** 2).sum())
    return total


def centroids_and_sse(X: Matrix, labels: Labels) -> tuple[Matrix, float]:
    """Return the centroids of the groups and the SSE, by a compiled loop.

    It is faster than `sse`, but groups of equal records may give slightly more than 0.
    """
    centroids, _ = group_centroids(X, labels, labels.max() + 1)
    return centroids, float(np.square(X - centroids[labels]).sum())


def squared_distances(X: Matrix, point: Values) -> Values:
    """Return the squared distance of each row of ``X`` to ``point``."""
    return np.asarray(((X - point) ** 2).sum(axis=1))


@dataclass(frozen=True)
class Facts:
    """What ``shoal methods`` shows about a partitioner, besides its signature.

    Parameters
    ----------
    groups : str
        ``"fixed"`` if groups of k records are formed, which leftover records may enlarge, otherwise
        ``"variable"``.
    cost : str
        Growth of the running time in the number of records n and in k.
    paper : str
        Key of the paper, spelled out in the docstring.
    guarantee : str
        What is proven about the loss, or an empty string for a heuristic.
    max_records : int or None
        Number of records up to which every table is accepted; a longer table may be
        refused. None if there is no such limit.
    """

    groups: str
    cost: str
    paper: str
    guarantee: str = ""
    max_records: int | None = None


class Partitioner(BaseEstimator):  # type: ignore[misc]
    """Base of all partitioners: validates the records and checks the groups.

    A subclass declares its parameters in ``__init__``, states its ``facts`` and implements
    ``_split``, which returns a label for each row of a checked float64 matrix and must not change
    the matrix.
    """

    facts: ClassVar[Facts]
    k: int
    bound_: float | None = None  # a lower bound of the SSE, if the method proves one
    cut_short_: bool = False  # whether Ctrl-C or the budget ended the work early
    depends_on_time_: bool = False  # whether the same options may give other groups

    @property
    def needs_one_axis_per_column(self) -> bool:
        """Whether each column must be one axis, as the method sorts by columns or by their sum."""
        return False

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Group the rows of ``X``.

        Parameters
        ----------
        X : array-like of shape (n_records, n_columns)
            Records in comparable units: distances are taken as they are.
        y : None
            Ignored; present for scikit-learn's conventions.

        Returns
        -------
        Partitioner
            The partitioner itself, with ``labels_`` and ``partition_``.
        """
        del y
        parameters.validate(self)
        matrix = self._matrix(X)
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
            Ignored; present for scikit-learn's conventions.

        Returns
        -------
        ndarray of shape (n_records,)
            Group of each record.
        """
        return self.fit(X, y).labels_

    def with_budget_share(self, share: float) -> Self:
        """Return an unfitted copy with ``share`` of the time budget, if there is one."""
        del share
        return self._copy()

    def reproducible_copy(self) -> Self:
        """Return an unfitted copy that makes the same groups again.

        A search counts rounds instead of seconds; a proof keeps its budget.
        """
        return self._copy()

    def _copy(self, **changes: Any) -> Self:
        """Return an unfitted copy in which the parameters ``changes`` have other values."""
        copy: Self = clone(self).set_params(**changes)
        return copy

    def _matrix(self, X: ArrayLike) -> Matrix:
        """Return the rows of ``X`` as a float64 matrix, or raise an error.

        A finite float64 matrix skips scikit-learn's checks, which take longer than grouping a
        thousand records.
        """
        if _is_matrix(X):
            self.n_features_in_ = X.shape[1]
            self.__dict__.pop("feature_names_in_", None)
            return X
        with translate_input_errors():
            matrix = validate_data(self, X, dtype=np.float64, order="C")
        # Kernels would be compiled again for a read-only matrix.
        return np.require(matrix, requirements="W")

    def _check(self, X: Matrix) -> None:
        """Refuse a matrix that cannot be grouped; subclasses may add checks."""
        if len(X) < self.k:
            # scikit-learn's checks look for "n_samples=1".
            sample = " (n_samples=1)" if len(X) == 1 else ""
            raise InputError(
                f"A group needs k={self.k} records but the data hold only {len(X):,}{sample}."
                " Lower k.",
                code="too-few-records",
                k=self.k,
                records=len(X),
            )
        if _max_abs(X) > MAX_VALUE:
            raise InputError(
                f"The data contain values beyond {MAX_VALUE:g}, whose squares do not fit into a"
                " float64. Standardise the columns first.",
                code="values-too-large",
            )

    def _split(self, X: Matrix) -> Labels:
        raise NotImplementedError


def with_drawn_seeds(partitioner: Partitioner) -> Partitioner:
    """Return a partitioner whose seeds are numbers: each generator in it draws one.

    A plan needs this, since its document must give the same groups again.
    """
    options = partitioner.get_params()
    generators = {id(value): value for value in options.values() if isinstance(value, GENERATORS)}
    if not generators:
        return partitioner
    seeds = {identity: as_seed(value) for identity, value in generators.items()}
    drawn_seeds = {name: seeds[id(value)] for name, value in options.items() if id(value) in seeds}
    copy: Partitioner = clone(partitioner).set_params(**drawn_seeds)
    return copy


@contextmanager
def translate_input_errors() -> Iterator[None]:
    """Translate scikit-learn's errors about data into `InputError`, without values of the data."""
    try:
        yield
    except ShoalError:
        raise
    except (ValueError, TypeError, OverflowError) as error:
        text = re.sub(r"\narray=.*?\n(?=Reshape)", " ", str(error), flags=re.DOTALL)
        text = re.sub(r"(could not convert string to float): .*", r"\1.", text, flags=re.DOTALL)
        error_class = InputTypeError if isinstance(error, TypeError) else InputError
        raise error_class(text, code="matrix-not-accepted") from None


def _is_matrix(X: object) -> TypeGuard[Matrix]:
    """Return whether ``X`` is what kernels need: a finite, C-contiguous float64 matrix."""
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.size > 0
        and X.dtype == np.float64
        and X.flags.carray
        and _max_abs(X) < np.inf
    )


def _max_abs(X: Matrix) -> float:
    """Return the largest absolute value, or NaN if any value is NaN."""
    return float(max(X.max(), -X.min()))


def run_in_strides(
    X: Matrix,
    advance: Callable[..., bool],
    *arguments: Any,
    open_state: Callable[[Matrix], Any] = open_index,
    on_pool: Callable[..., bool] | None = None,
    max_pool: int = 0,
    stage: str = "grouping",
    done: int = 0,
    total: int | None = None,
) -> Labels:
    """Run a kernel to its end on an index, or a pool, of the rows of ``X``; return the labels.

    The kernel works in strides, so that progress is reported and Ctrl-C is handled between them. If
    ``X`` is part of a table of ``total`` records, ``done`` of them were grouped before. ``on_pool``
    is the same algorithm on a pool, which is faster on short tables: it replaces the kernel once at
    most ``max_pool`` records are ungrouped, or once the index turns out to skip few records.
    """
    if on_pool and len(X) <= max_pool:
        open_state, advance = open_pool, on_pool
    state = open_state(X)
    total = len(X) if total is None else total
    while advance(state, *arguments, STRIDE):
        progress.report(stage, done + len(X) - int(state.size[0]), total)
        if isinstance(state, Index) and on_pool and _suits_pool(state, max_pool):
            state, advance = to_pool(state), on_pool
        elif isinstance(state, Index):
            state = rebuild_if_needed(state)
    progress.report(stage, done + len(X), total)
    return np.asarray(state.labels)


def _suits_pool(index: Index, max_pool: int) -> bool:
    """Return whether passes over a pool are faster than further searches in an index."""
    return bool(index.size[0] <= max_pool) or reads_most_blocks(index)
