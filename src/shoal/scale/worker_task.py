"""The decorator of the functions that run on workers."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import pyarrow as pa

from shoal.errors import FileError, ShoalError
from shoal.scale.storage.files import os_reason

P = ParamSpec("P")
R = TypeVar("R")


def worker_task(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function that runs on a worker: translate I/O errors, free unused memory."""

    @wraps(function)
    def run(*arguments: P.args, **options: P.kwargs) -> R:
        try:
            return function(*arguments, **options)
        except ShoalError:
            raise
        except OSError as error:
            raise FileError(
                f"A worker could not write: {os_reason(error)}. Nothing was released.",
                code="cannot-write",
            ) from None
        finally:
            pa.default_memory_pool().release_unused()

    return run
