"""What no partition can lose less than."""

import time
from collections.abc import Callable
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_array

from shoal._kernels.spatial.index import open_index
from shoal._params import AtLeast, K, Parameter
from shoal._progress import shows_progress
from shoal.errors import ParameterError
from shoal.partitioners._base import Matrix, refused_input
from shoal.partitioners._neighbours import nearest_others
from shoal.partitioners.mdav import MDAV
from shoal.partitioners.prove import prove

Effort = Literal["quick", "prove"]
Seconds = Annotated[float, AtLeast(0)] | None

ROUNDING = 1e-12  # more than sums of squares of any table can have gained by rounding


@shows_progress
def lower_bound(
    X: ArrayLike,
    k: int,
    effort: str = "quick",
    *,
    budget: float | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> float:
    """Return a lower bound of the SSE of all partitions of ``X`` into groups of at least ``k``.

    ``"quick"`` sums the squared distances of all records to their k - 1 nearest neighbours
    and divides by 2k. ``"prove"`` solves a linear programme over all groups and closes its
    integrality gap as far as possible; that bound is much higher, and its cost grows steeply
    with k.

    Parameters
    ----------
    X : array-like of shape (n_records, n_columns)
        Records in comparable units: distances are taken as they are.
    k : int
        Least number of records in a group.
    effort : {"quick", "prove"}
        How much work to spend.
    budget : float, optional
        Seconds to spend on ``"prove"``; two minutes where None. The bound is valid whenever
        the work ends.
    clock : callable
        A function that returns the time in seconds.

    Returns
    -------
    float
        Between 0 and the minimal SSE, which it equals where that is proven.

    Examples
    --------
    >>> X = [[0], [1], [5], [6], [7]]
    >>> round(lower_bound(X, k=2), 6), round(lower_bound(X, k=2, effort="prove"), 6)
    (1.25, 2.5)
    """
    _check({"k": (K, k), "effort": (Effort, effort), "budget": (Seconds, budget)})
    with refused_input():
        matrix = check_array(X, dtype=np.float64, order="C")
    start = MDAV(k=int(k))
    start._check(matrix)
    if effort == "quick":
        return quick_bound(matrix, int(k))
    return prove(matrix, start.fit_predict(matrix), int(k), budget=budget, clock=clock).bound


def _check(options: dict[str, tuple[Any, Any]]) -> None:
    """Refuse an option that its annotation does not allow."""
    for name, (annotation, value) in options.items():
        parameter = Parameter(name, annotation, None, "")
        if not parameter.accepts(value):
            raise ParameterError(
                f"The {name!r} parameter of lower_bound must be {parameter.expected}."
                f" Got {value!r} instead.",
                code="parameter-not-accepted",
                parameter=name,
            )


def quick_bound(X: Matrix, k: int) -> float:
    """Return the sum of the squared distances of all records to their k - 1 nearest, over 2k.

    The SSE of a group of s records is the sum over its records of their s - 1 squared
    distances, divided by 2s; for each record that share grows with s. The greatest possible
    rounding error is subtracted.
    """
    if k == 1:
        return 0.0
    _, squares = nearest_others(open_index(X), k - 1)
    return float(squares.sum()) / (2 * k) * (1 - ROUNDING)
