"""The front door of large tables: a plan, run on a cluster, makes a folder."""

import os
import warnings
from typing import TYPE_CHECKING, Any

from shoal import progress
from shoal.errors import ParameterError
from shoal.plan import Plan
from shoal.scale.cluster import check_workers, opened
from shoal.scale.folder import Folder
from shoal.scale.passes import write_marker
from shoal.scale.refusals import check_plan, check_source
from shoal.scale.release import LargeRelease
from shoal.scale.stages import Run

if TYPE_CHECKING:
    from distributed import Client

AT_ONCE = 100_000


def mask(
    source: Any,
    plan: Plan,
    target: str | os.PathLike[str],
    *,
    client: "Client | str | None" = None,
    at_once: int = AT_ONCE,
    random_state: int = 0,
    force: bool = False,
) -> LargeRelease:
    """Run a plan of one microaggregation on a table larger than memory, on a Dask cluster.

    The files of the release depend on the records, the plan, ``at_once`` and
    ``random_state`` alone: not on the order of records or files, nor on the number of
    workers. Its records stand in the order of their released values.

    Parameters
    ----------
    source : path, list of paths or Dask DataFrame
        A folder of Parquet files, such files, or a Dask DataFrame, whose index is left behind.
    plan : Plan
        What is done.
    target : str or Path
        The folder to make, on a disk that all workers share. It appears whole, with a file
        ``_SUCCESS``, or not at all.
    client : Client, str or None
        The cluster, or the address of its scheduler; a local cluster with a process
        for each core where None.
    at_once : int
        Records that a worker holds at a time; its memory follows from it. Groups do not cross
        the borders of such blocks, so more records lose a little less.
    random_state : int
        Seed of the sample that the borders are found on.
    force : bool
        Whether a release that lies at the target may be replaced.

    Returns
    -------
    LargeRelease
        What was done and measured.
    """
    if isinstance(at_once, bool) or not isinstance(at_once, int) or at_once < 1:
        raise ParameterError(f"at_once must be an int in [1, inf). Got {at_once!r} instead.")
    if isinstance(random_state, bool) or not isinstance(random_state, int) or random_state < 0:
        raise ParameterError(
            f"random_state must be an int in [0, inf). Got {random_state!r} instead."
        )
    check_plan(plan)
    check_source(source)
    seeded = Plan(plan.roles, [step.seeded() for step in plan.steps], plan.types)
    with Folder(target, force=force) as folder, opened(client) as cluster:
        check_workers(cluster, folder.path("release"))
        run = Run(cluster, folder, seeded, at_once, random_state)
        made = run.release(source, plan._drawn(seeded))
        write_marker(folder.path("release"), made.marker)
        progress.report("publishing", 0, 1)  # the last moment at which a listener may end the run
        folder.publish(entry["name"] for entry in made.files)
    for warning in run.warnings:
        warnings.warn(warning, stacklevel=2)
    return made
