"""Lower bounds of the SSE of any partition into groups of at least k."""

import time
from collections.abc import Callable
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_array

from shoal._params import AtLeast, K, NJobs, Parameter
from shoal._progress import shows_progress
from shoal.errors import ParameterError
from shoal.partitioners._base import Matrix, translate_input_errors
from shoal.partitioners.mdav import MDAV

Effort = Literal["quick", "blocks", "prove"]
Seconds = Annotated[float, AtLeast(0)] | None


@shows_progress
def lower_bound(
    X: ArrayLike,
    k: int,
    effort: str = "quick",
    *,
    budget: float | None = None,
    clock: Callable[[], float] = time.process_time,
    n_jobs: int | None = None,
) -> float:
    """Return a lower bound of the SSE of all partitions of ``X`` into groups of at least ``k``.

    ``"quick"`` uses pairs of near records only and takes less than a tenth of a millisecond per
    record if neighbours are found fast. ``"blocks"`` solves the dual of a linear programme over all
    groups approximately, block by block; its time grows little faster than n, so it suits tables of
    any length. ``"prove"`` solves that programme on short tables and closes its
    integrality gap as far as possible; its cost grows steeply with k. On tables of more than 5,000
    records it is the same as ``"blocks"``.

    Parameters
    ----------
    X : array-like of shape (n_records, n_columns)
        Records in comparable units: distances are taken as they are.
    k : int
        Minimum number of records in a group.
    effort : {"quick", "blocks", "prove"}, default="quick"
        How much work to spend: see above.
    budget : float, optional
        CPU seconds to spend on ``"blocks"`` or ``"prove"``. If None, ``"blocks"`` has no limit,
        and ``"prove"`` on short tables two minutes. The bound is valid whenever the work ends.
    clock : callable
        A function that returns the time in seconds; CPU seconds of all threads by default.
    n_jobs : int, optional
        Number of threads for ``"blocks"``; all cores if None or -1.

    Returns
    -------
    float
        The bound, between 0 and the minimum SSE; equal to the latter, to eight digits, if the
        optimum is proven.

    Examples
    --------
    >>> X = [[0], [1], [5], [6], [7]]
    >>> round(lower_bound(X, k=2), 6), round(lower_bound(X, k=2, effort="prove"), 6)
    (1.291667, 2.5)
    """
    # Imported here, since they load 30 modules that masking does not need.
    from shoal.partitioners._column_generation.prove import MAX_PROGRAMME_RECORDS, prove
    from shoal.partitioners._dual_bound.certificate import certify, certify_quickly
    from shoal.partitioners._dual_bound.executor import ThreadExecutor

    check_options(
        {
            "k": (K, k),
            "effort": (Effort, effort),
            "budget": (Seconds, budget),
            "n_jobs": (NJobs, n_jobs),
        }
    )
    matrix = check_records(X, int(k))
    n = len(matrix)
    if k == 1:
        return 0.0
    by_certificate = effort == "blocks" or (effort == "prove" and n > MAX_PROGRAMME_RECORDS)
    if by_certificate and k <= n // 2:
        executor = ThreadExecutor(n_jobs)
        return certify(matrix, int(k), budget=budget, clock=clock, executor=executor).bound
    quick = certify_quickly(matrix, int(k)).bound
    if effort == "quick":
        return quick
    labels = MDAV(k=int(k)).fit_predict(matrix)
    return max(quick, prove(matrix, labels, int(k), budget=budget, clock=clock).bound)


def check_records(X: ArrayLike, k: int) -> Matrix:
    """Return the records as a matrix; refuse fewer than ``k`` records, and non-finite values."""
    with translate_input_errors():
        matrix: Matrix = check_array(X, dtype=np.float64, order="C")
    MDAV(k=k)._check(matrix)
    return matrix


def check_options(options: dict[str, tuple[Any, Any]]) -> None:
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
