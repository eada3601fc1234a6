"""`lower_bound`: the bound of `shoal.lower_bound`, with its work on several processes."""

import os
import tempfile
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from shoal import partitioners
from shoal._params import K
from shoal._progress import shows_progress
from shoal.io.store_addresses import as_location
from shoal.partitioners.bound import Seconds, check_options, check_records
from shoal.scale.runners.runner import Runner, open_runner
from shoal.scale.storage.scratch_folder import open_scratch_folder

if TYPE_CHECKING:
    from distributed import Client

ARRAYS = "arrays"  # the folder of scratch files inside the scratch folder of the run


@shows_progress
def lower_bound(
    X: ArrayLike,
    k: int,
    *,
    client: "Client | Runner | str | None" = None,
    scratch: str | os.PathLike[str] | None = None,
    budget: float | None = None,
    clock: Callable[[], float] | None = None,
) -> float:
    """Return a lower bound of the SSE of all partitions of ``X`` into groups of at least ``k``.

    The bound equals that of ``shoal.lower_bound(X, k, effort="blocks")`` to the last digit,
    whatever runs the tasks, unless a budget ends them. The table and the neighbours of its records,
    about four times its size, must fit into the memory of this process. The duals of up to four
    blocks of records are raised at a time; corrections run on all workers.

    Parameters
    ----------
    X : array-like of shape (n_records, n_columns)
        Records in comparable units: distances are taken as they are.
    k : int
        Minimum number of records in a group.
    client : Client, Runner, str or None
        What runs the tasks, as in `mask`: a Dask cluster, or the address of its scheduler;
        ``"processes"`` or ``"processes:4"`` for a pool of processes; or another `Runner`. A local
        Dask cluster with one process per core if None.
    scratch : str or Path, optional
        Place of scratch files, which contain the records: a folder that all workers share, or an
        address in a store. The folder for temporary files of this machine if None.
    budget : float, optional
        CPU seconds to spend in this process and in tasks of workers; a task counts when it ends. No
        limit if None. The bound is valid whenever the work ends, including by Ctrl-C.
    clock : callable, optional
        A function that returns the time in seconds, to measure the budget instead.

    Returns
    -------
    float
        The bound, between 0 and the minimum SSE.

    Examples
    --------
    >>> import numpy as np
    >>> from shoal import scale
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> round(scale.lower_bound(X, k=3, client="processes:1"), 3)
    9.962
    """
    # Imported here, since they load 30 modules that masking does not need.
    from shoal.partitioners._dual_bound.certificate import certify
    from shoal.scale.bounds.executor import RunnerExecutor

    check_options({"k": (K, k), "budget": (Seconds, budget)})
    matrix = check_records(X, int(k))
    if k == 1 or 2 * k > len(matrix):  # no blocks are needed
        return partitioners.lower_bound(
            matrix, k, effort="blocks", budget=budget, clock=clock or time.process_time
        )
    location = as_location(tempfile.gettempdir() if scratch is None else scratch)
    with (
        open_scratch_folder(location, "lower-bound", [ARRAYS]) as folder,
        open_runner(client) as runner,
    ):
        runner.check(folder.path(ARRAYS))
        executor = RunnerExecutor(runner, folder.path(ARRAYS))

        def cpu_seconds() -> float:
            return time.process_time() + executor.worker_seconds

        certificate = certify(
            matrix, int(k), budget=budget, clock=clock or cpu_seconds, executor=executor
        )
    return certificate.bound
