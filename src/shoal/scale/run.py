"""The front door of large tables: a plan, run on a cluster, makes a folder."""

import os
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal import _progress as progress
from shoal._params import RandomState, as_seed, draw_seed
from shoal.audit.hashes import KEYED, keyed_entry
from shoal.audit.keys import as_private_key
from shoal.audit.manifest import file_entry
from shoal.audit.record import Record, check_signing
from shoal.errors import ParameterError
from shoal.plan import Plan
from shoal.plan.deliver import not_kept
from shoal.plan.guarantees import may_be_published
from shoal.scale.beside import beside
from shoal.scale.cluster import check_workers, opened, stage
from shoal.scale.folder import MARKER, Folder
from shoal.scale.frames import is_dask_frame
from shoal.scale.pieces import read_footer
from shoal.scale.refusals import check_plan, check_source
from shoal.scale.release import LargeRelease, marker_text
from shoal.scale.slices import appearing
from shoal.scale.sources import find_files
from shoal.scale.stages import Run

if TYPE_CHECKING:
    from distributed import Client

    from shoal.audit.keys import PrivateKey

CHUNK_SIZE = 100_000


def mask(
    source: Any,
    plan: Plan,
    target: str | os.PathLike[str],
    *,
    client: "Client | str | None" = None,
    chunk_size: int = CHUNK_SIZE,
    random_state: RandomState = 0,
    report: str | os.PathLike[str] | None = None,
    audience: str = "public",
    manifest: str | os.PathLike[str] | None = None,
    sign: "str | os.PathLike[str] | PrivateKey | None" = None,
    hash_key: str | os.PathLike[str] | None = None,
    allow_not_kept: bool = False,
    force: bool = False,
) -> LargeRelease:
    """Run a plan of one microaggregation on a table larger than memory, on a Dask cluster.

    The files of the release depend on the records, the plan, ``chunk_size`` and
    ``random_state`` alone: not on the order of records or files, nor on the number of
    workers. Its records stand in the order of their released values, so that a plan with
    ``shuffle`` has nothing to do.

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
    chunk_size : int
        Records that a worker holds at a time; its memory follows from it. Groups do not cross
        the borders of such blocks, so more records lose a little less.
    random_state : int, Generator, RandomState or None
        Seed of the sample that the borders of the blocks are computed on; a seed that is drawn is
        noted in the provenance.
    report : str or Path, optional
        Where a report is to appear together with the folder: ``.html``, ``.json`` or ``.txt``.
    audience : str
        Who reads the report: ``"public"`` or ``"internal"``.
    manifest : str or Path, optional
        Where a manifest for auditors is to appear together with the folder: ``.json``. It tells
        the hashes of the source, which is read once more for them.
    sign : str, Path or PrivateKey, optional
        Private key, or the PEM file that holds it, to sign the manifest with; the signature
        appears beside it.
    hash_key : str or Path, optional
        Secret that keys the hashes of the source in the manifest, by default beside it; made if
        it does not exist.
    allow_not_kept : bool
        Whether a release whose verdict is "not kept" is published all the same.
    force : bool
        Whether a release that lies at the target, a report and a manifest may be replaced.

    Returns
    -------
    LargeRelease
        What was done and measured.
    """
    _check_whole("chunk_size", chunk_size, 1)
    seed = as_seed(random_state)
    seed = draw_seed() if seed is None else seed
    _check_whole("random_state", seed, 0)
    check_plan(plan)
    check_source(source)
    check_signing(None if manifest is None else Path(manifest), sign)
    page = None if report is None else Path(report)
    record = None
    if manifest is not None:
        key = as_private_key(Path(sign) if isinstance(sign, os.PathLike) else sign)
        secret = None if hash_key is None else Path(hash_key)
        record = Record(Path(manifest), signing_key=key, hash_key=secret)
    seeded = plan.replace(steps=[step.draw_missing_seeds() for step in plan.steps])
    with (
        Folder(target, force=force) as folder,
        beside(folder.target, page, audience, record, force) as write,
        opened(client) as cluster,
    ):
        check_workers(cluster, folder.path("release"))
        came = () if record is None else _hashes(cluster, source, record.hash_key)
        run = Run(cluster, folder, seeded, chunk_size, int(seed))
        made = _completed(run.release(source, plan._drawn(seeded.steps)), folder, came)
        if not may_be_published(made.verdict, allow_not_kept=allow_not_kept):
            raise not_kept(made.verdict)
        write(made)
        progress.report("publishing", 0, 1)  # the last moment at which a listener may end the run
        folder.publish(entry["name"] for entry in made.files)
    for warning in run.warnings:
        warnings.warn(warning, stacklevel=2)
    return made


def _check_whole(name: str, value: object, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ParameterError(
            f"{name} must be an int in [{least}, inf). Got {value!r} instead.",
            code="parameter-not-accepted",
            parameter=name,
        )


def _hashes(cluster: "Client", source: Any, key: bytes) -> tuple[dict[str, Any], ...]:
    """Return name and keyed hash of each file of the source; a Dask DataFrame has none."""
    if is_dask_frame(source):
        return ()
    paths = find_files(source)
    tasks = [(path, None) for path in paths]
    found = stage(cluster, "hashing the source", file_entry, tasks, [1] * len(paths))
    entries = [keyed_entry(entry, key) for _, entry in found]
    return tuple(sorted(entries, key=lambda entry: (entry["name"], entry[KEYED])))


def _completed(
    made: LargeRelease, folder: Folder, came: tuple[dict[str, Any], ...]
) -> LargeRelease:
    """Mark a release as whole; return it with what its files tell and where they came from."""
    place = folder.path("release")
    schema = read_footer(str(place / made.files[0]["name"])).schema
    made = replace(made, types={field.name: str(field.type) for field in schema}, came=came)
    with appearing(place / MARKER) as part:
        part.write_text(marker_text(made.marker), encoding="utf-8")
    return made
