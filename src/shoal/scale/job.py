"""The job: what every task needs to know, in a file that all workers read."""

import os
import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.errors import FileError, ShoalError
from shoal.plan.thresholds import Thresholds
from shoal.scale.encoders import Encoders
from shoal.scale.scratch import write_file
from shoal.scale.storage import read_bytes
from shoal.scale.strata import Strata
from shoal.steps import Microaggregate

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, eq=False)
class Job:
    """What is done to the records of a large table, as decided after the first pass over it.

    Parameters
    ----------
    step : Microaggregate
        The step of the plan.
    encoders : Encoders
        The encoders of the columns that distances are computed on.
    strata : Strata
        The strata and their cells.
    released : pyarrow.Schema
        The released columns with their types.
    quasi_identifiers : list of str
        Columns that an attacker may know.
    confidential : list of str
        Confidential columns.
    required : list of str
        Columns whose missing values drop a record.
    n_shards : int
        Number of files of the release, before large ones are split.
    attack_share : float
        Share of the records that the linkage attack is tried on.
    seed : int
        Seed of the samples.
    thresholds : Thresholds
        Limits beyond which figures become findings.
    """

    step: Microaggregate
    encoders: Encoders
    strata: Strata
    released: pa.Schema
    quasi_identifiers: Sequence[str]
    confidential: Sequence[str]
    required: Sequence[str]
    n_shards: int
    attack_share: float
    seed: int
    thresholds: Thresholds

    @property
    def other_columns(self) -> list[str]:
        """Released columns that are neither quasi-identifiers, confidential nor weights."""
        named = (*self.quasi_identifiers, *self.confidential, self.step.weight)
        return [name for name in self.released.names if name not in named]

    @property
    def columns(self) -> list[str]:
        """The columns to read: those that are released, and the weights."""
        names = [*self.released.names, *([] if self.step.weight is None else [self.step.weight])]
        return list(dict.fromkeys(names))


def save_job(job: Job, path: str) -> None:
    """Write a job to a file that workers read."""
    write_file(path, pickle.dumps(job))


@lru_cache(maxsize=1)
def load_job(path: str) -> Job:
    """Return a job; each worker reads it once."""
    job: Job = pickle.loads(read_bytes(path))
    return job


def worker_task(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function that runs on a worker: translate I/O errors, free unused memory."""

    @wraps(function)
    def run(*arguments: P.args, **options: P.kwargs) -> R:
        try:
            return function(*arguments, **options)
        except ShoalError:
            raise
        except OSError as error:
            reason = (os.strerror(error.errno) if error.errno else "I/O error").lower()
            raise FileError(
                f"A worker could not write: {reason}. Nothing was released.", code="cannot-write"
            ) from None
        finally:
            pa.default_memory_pool().release_unused()

    return run


def count_sizes(sizes: NDArray[np.int64]) -> Mapping[int, int]:
    """Return how many groups or classes there are of each size."""
    size, count = np.unique(sizes, return_counts=True)
    return dict(zip(size.tolist(), count.tolist(), strict=True))
