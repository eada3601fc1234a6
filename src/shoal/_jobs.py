"""The number of jobs that run at a time."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from numbers import Integral

from shoal._params import format_argument
from shoal.errors import ParameterError

_default_n_jobs: ContextVar[int | None] = ContextVar("default_n_jobs", default=None)


@contextmanager
def default_n_jobs(n_jobs: int | None) -> Iterator[None]:
    """Let ``n_jobs`` be the default number of jobs in the enclosed code."""
    effective_n_jobs(n_jobs)  # refuses an invalid number
    token = _default_n_jobs.set(n_jobs)
    try:
        yield
    finally:
        _default_n_jobs.reset(token)


def effective_n_jobs(n_jobs: int | None) -> int:
    """Return the number of jobs that run at a time: one per core if ``n_jobs`` is None or -1.

    Within `default_n_jobs`, None stands for the number that it sets. A negative number counts back
    from all cores, as in joblib: -2 leaves one core free. Zero jobs are refused.

    Examples
    --------
    >>> effective_n_jobs(3)
    3
    """
    cores = os.cpu_count() or 1
    n_jobs = _default_n_jobs.get() if n_jobs is None else n_jobs
    if n_jobs is None:
        return cores
    if not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool) or n_jobs == 0:
        raise ParameterError(
            "`n_jobs` must be an int other than 0: the number of jobs, or -1 for all cores. Got"
            f" {format_argument(n_jobs)} instead.",
            code="parameter-not-accepted",
            parameter="n_jobs",
        )
    return n_jobs if n_jobs > 0 else max(1, cores + 1 + n_jobs)
