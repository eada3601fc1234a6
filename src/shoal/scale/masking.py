"""`mask`: run a plan on a large table and publish the release as a folder."""

import os
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal import _progress as progress
from shoal._params import RandomState
from shoal._seeds import as_seed, draw_seed
from shoal.audit.hashes import KEYED, keyed_entry
from shoal.audit.keys import as_private_key
from shoal.audit.manifest_files import ManifestFiles, check_signing
from shoal.errors import FileError, ParameterError
from shoal.io.store_addresses import STORES, WEB, as_location
from shoal.plan import Plan
from shoal.plan.deliver import not_kept_error
from shoal.plan.guarantees import may_be_published
from shoal.plan.release_plan import drawn_step_seeds
from shoal.scale.microaggregation.run import MicroaggregationRun
from shoal.scale.publication.release_folder import ReleaseFolder
from shoal.scale.publication.sidecars import sidecar_files
from shoal.scale.publication.store_release import StoreRelease
from shoal.scale.recoding.run import RecodingRun
from shoal.scale.release import LargeRelease
from shoal.scale.runners.runner import Runner, open_runner, run_stage
from shoal.scale.sources.chunks import read_footer
from shoal.scale.sources.dask_frames import is_dask_frame
from shoal.scale.sources.source_files import find_files
from shoal.scale.storage.files import file_entry, is_remote, join
from shoal.scale.storage.marker import marker_text
from shoal.scale.validation import check_plan, check_source
from shoal.steps import Microaggregate

if TYPE_CHECKING:
    from distributed import Client

    from shoal.audit.keys import PrivateKey

CHUNK_SIZE = 100_000  # records that a worker holds at a time, by default


@progress.shows_progress
def mask(
    source: Any,
    plan: Plan,
    target: str | os.PathLike[str],
    *,
    scratch: str | os.PathLike[str] | None = None,
    client: "Client | Runner | str | None" = None,
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
    """Run a plan on a table larger than memory, in several processes.

    The files of the release depend only on the records, the plan, ``chunk_size`` and
    ``random_state``, not on the order of records or files, nor on the number of workers.
    The records are sorted by their released values, so ``shuffle`` has no effect.

    Parameters
    ----------
    source : path, list of paths or Dask DataFrame
        A folder of Parquet files, a list of such files, or a Dask DataFrame, whose index is
        not released. Folders and files may be addresses in a store; files also on the web.
    plan : Plan
        A plan of one step `Microaggregate`, or of steps `Generalise` and `Suppress` of the same
        columns.
    target : str or Path
        The folder to create, on a disk that all workers share, or its address in a store
        (``s3://``, ``gs://``, ``abfs://``). A folder appears complete, with a file ``_SUCCESS``,
        or not at all; in a store that file is written last and lists the others.
    scratch : str or Path, optional
        Place of the scratch files of a release in a store, required there because they contain
        original records: a folder that all workers share, or an address in a store. The scratch
        files of a release in a folder are beside it.
    client : Client, Runner, str or None
        What runs the tasks: a Dask cluster, or the address of its scheduler; ``"processes"`` for
        a pool of processes on this machine, one per core, or ``"processes:4"`` for four, which
        needs no Dask; or another `Runner`, such as ``ProcessPool(n_jobs=4)``. A local Dask
        cluster with one process per core if None. The released files are the same.
    chunk_size : int
        Number of records that a worker holds at a time, which determines the memory it needs.
        Records are grouped in blocks of up to about this number, which groups do not cross, so a
        larger number loses slightly less information.
    random_state : int, Generator, RandomState or None
        Seed of the sample from which the borders of the blocks are computed; a seed that is drawn
        is recorded in the provenance.
    report : str or Path, optional
        Path of a report, published together with the folder: ``.html``, ``.json`` or ``.txt``.
    audience : {"public", "internal"}, default="public"
        The readers of the report.
    manifest : str or Path, optional
        Path of a manifest for auditors, published together with the folder: ``.json``. It
        contains hashes of the source, which is read once more for them.
    sign : str, Path or PrivateKey, optional
        Private key, or the PEM file that contains it, to sign the manifest with; the signature
        is written next to the manifest.
    hash_key : str or Path, optional
        Secret key of the hashes of the source in the manifest, by default next to it; created
        if it does not exist.
    allow_not_kept : bool
        Whether to publish a release even if its verdict is "not kept".
    force : bool
        Whether an existing release, report and manifest may be replaced.

    Returns
    -------
    LargeRelease
        The release, with its files, measures and verdict.
    """
    _check_int("chunk_size", chunk_size, 1)
    seed = as_seed(random_state)
    seed = draw_seed() if seed is None else seed
    _check_int("random_state", seed, 0)
    check_plan(plan)
    check_source(source)
    for path in (report, manifest):
        _refuse_address(path)
    check_signing(None if manifest is None else Path(manifest), sign)
    report_path = None if report is None else Path(report)
    manifest_files = None
    if manifest is not None:
        key = as_private_key(Path(sign) if isinstance(sign, os.PathLike) else sign)
        hash_key_path = None if hash_key is None else Path(hash_key)
        manifest_files = ManifestFiles(Path(manifest), signing_key=key, hash_key=hash_key_path)
    seeded_plan = plan.replace(steps=[step.draw_missing_seeds() for step in plan.steps])
    with (
        open_release(target, scratch, force=force) as folder,
        sidecar_files(
            folder.target, report_path, audience, manifest_files, force
        ) as write_sidecars,
        open_runner(client) as runner,
    ):
        runner.check(str(folder.path("release")))
        source_files = (
            () if manifest_files is None else _hash_files(runner, source, manifest_files.hash_key)
        )
        microaggregates = isinstance(seeded_plan.steps[0], Microaggregate)
        run_class = MicroaggregationRun if microaggregates else RecodingRun
        run = run_class(runner, folder, seeded_plan, chunk_size, int(seed))
        release = run.release(source, drawn_step_seeds(plan, seeded_plan.steps))
        unpublished_files = release.files
        release = _with_published_names(release, folder, source_files)
        if not may_be_published(release.verdict, allow_not_kept=allow_not_kept):
            raise not_kept_error(release.verdict)
        write_sidecars(release)
        progress.report("publishing", 0, 1)  # may raise: the last chance to cancel the run
        folder.publish(unpublished_files, marker_text(release.marker))
    for warning in run.warnings:
        warnings.warn(warning, stacklevel=2)
    return release


def _check_int(name: str, value: object, minimum: int) -> None:
    """Refuse a parameter that is not an int, or is below the minimum."""
    if isinstance(value, bool) or not isinstance(value, int) or value < minimum:
        raise ParameterError(
            f"{name} must be an int in [{minimum}, inf). Got {value!r} instead.",
            code="parameter-not-accepted",
            parameter=name,
        )


def _refuse_address(path: str | os.PathLike[str] | None) -> None:
    """Refuse a report or a manifest in a store."""
    scheme = "" if path is None else os.fspath(path).partition(":/")[0]
    if scheme in (*STORES, *WEB):
        raise FileError(
            "Report and manifest are written to files. Write them to a folder, and copy those that"
            " may be published.",
            code="sidecar-in-store",
            scheme=scheme,
        )


def _hash_files(runner: Runner, source: Any, key: bytes) -> tuple[dict[str, Any], ...]:
    """Return the name and the keyed hash of each source file; no entries for a Dask DataFrame."""
    if is_dask_frame(source):
        return ()
    paths = find_files(source)
    tasks = [(path,) for path in paths]
    results = run_stage(runner, "hashing the source", file_entry, tasks, [1] * len(paths))
    entries = [keyed_entry(entry, key) for _, entry in results]
    return tuple(sorted(entries, key=lambda entry: (entry["name"], entry[KEYED])))


def _with_published_names(
    release: LargeRelease,
    folder: ReleaseFolder | StoreRelease,
    source_files: tuple[dict[str, Any], ...],
) -> LargeRelease:
    """Return a release with the names of its files and the types in them."""
    first = join(str(folder.path("release")), release.files[0]["name"])
    types = {field.name: str(field.type) for field in read_footer(first).schema}
    files = tuple({**entry, "name": folder.published_name(entry)} for entry in release.files)
    return replace(release, types=types, source_files=source_files, files=files)


def open_release(
    target: str | os.PathLike[str], scratch: str | os.PathLike[str] | None, *, force: bool
) -> ReleaseFolder | StoreRelease:
    """Return the release in progress for a folder, or for an address in a store."""
    location = as_location(target)
    if is_remote(location):
        return StoreRelease(location, scratch, force=force)
    if scratch is not None:
        raise ParameterError(
            "`scratch` is only for a target in a store: the scratch files of a folder are kept"
            " beside the folder, so that the release appears by one rename. Leave `scratch` out.",
            code="scratch-not-used",
            option="scratch",
        )
    return ReleaseFolder(location, force=force)
