"""What every run on a large table does: open its files, and write the files of the release."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from shoal.plan import Plan
from shoal.plan.definition.other_columns import columns_to_drop, with_all_columns_named
from shoal.plan.findings.missing_codes import missing_code_findings
from shoal.plan.verdict import Finding
from shoal.scale.publication.release_folder import ReleaseFolder
from shoal.scale.publication.store_release import StoreRelease
from shoal.scale.runners.runner import Runner, run_stage, run_stage_in_order
from shoal.scale.shards import Shard, write_shard
from shoal.scale.sources.chunks import Footer, count_codes_of_chunk, make_chunks, read_footer
from shoal.scale.sources.dask_frames import is_dask_frame, write_frame
from shoal.scale.sources.source_files import check_folder_columns, find_files, source_paths
from shoal.scale.splitting.large_buckets import split_large_buckets, split_shard
from shoal.scale.statistics.counts import sum_counts
from shoal.scale.storage.scratch_files import ScratchFile, files_with
from shoal.scale.validation import check_columns
from shoal.scale.worker_task import worker_task


class TableRun:
    """One run: the state that its stages share.

    Parameters
    ----------
    runner : Runner
        What executes the tasks.
    folder : ReleaseFolder or StoreRelease
        The release in progress.
    plan : Plan
        The plan to run.
    chunk_size : int
        Number of records that a worker holds at a time.
    seed : int
        Seed of the samples.
    """

    def __init__(
        self,
        runner: Runner,
        folder: ReleaseFolder | StoreRelease,
        plan: Plan,
        chunk_size: int,
        seed: int,
    ):
        self.runner, self.folder, self.plan = runner, folder, plan
        self.chunk_size, self.seed = chunk_size, seed
        self.job_file = str(folder.path("job"))
        self.findings: list[Finding] = []
        self.warnings: list[Warning] = []
        self.dropped_columns = plan.dropped

    @property
    def needs_closeness(self) -> bool:
        """Whether t-closeness is guaranteed or limited, so that frequencies must be known."""
        is_limited = "t_closeness" in self.plan.limits.figures
        return is_limited or any(step.closeness is not None for step in self.plan.steps)

    def _find_files(self, source: Any) -> list[str]:
        """Return the files of the source; a Dask DataFrame is computed once, into scratch files."""
        if is_dask_frame(source):
            undeclared = [name for name in self.plan.masked if name not in self.plan.types]
            return write_frame(self.runner, source, str(self.folder.path("source")), undeclared)
        paths = find_files(source)
        self.folder.check_sources(paths, source_paths(source))
        return paths

    def _open_files(self, paths: Sequence[str]) -> pa.Schema:
        """Read the metadata of all files, check the columns and divide the files into chunks."""
        tasks = [(path,) for path in paths]
        footers: list[Footer] = run_stage_in_order(
            self.runner, "opening files", read_footer_of_source, tasks, [1] * len(paths)
        )
        self.chunks = make_chunks(paths, footers, self.chunk_size, self.plan.missing_codes)
        schema: pa.Schema = footers[0].schema
        check_folder_columns(paths, schema.names)
        ordered_columns = frozenset().union(*(footer.ordered_columns for footer in footers))
        check_columns(self.plan, schema, ordered_columns)
        self.dropped_columns = [*self.plan.dropped, *columns_to_drop(self.plan, schema.names)]
        self.plan = with_all_columns_named(self.plan, schema.names)
        self._count_missing_codes()
        return schema

    def _count_missing_codes(self) -> None:
        """Add a finding on each column that contains missing codes."""
        if not self.plan.missing_codes:
            return
        tasks = [(chunk,) for chunk in self.chunks]
        sizes = [chunk.n_records for chunk in self.chunks]
        counts = sum_counts(
            counts_of_chunk
            for _, counts_of_chunk in run_stage(
                self.runner, "counting missing codes", count_codes_of_chunk, tasks, sizes
            )
        )
        in_order = {name: counts[name] for name in self.plan.missing_codes if name in counts}
        self.findings += missing_code_findings(in_order)

    def _write_shards(self, masked: Sequence[ScratchFile]) -> list[Shard]:
        """Write the released files."""
        scratch, folder = str(self.folder.path("masked")), str(self.folder.path("release"))
        files, _ = split_large_buckets(
            self.runner, split_shard, self.job_file, scratch, masked, self.chunk_size
        )
        record_counts = sum_counts(file.record_counts for file in files)
        tasks = [
            (self.job_file, file_number, bucket, files_with(files, [bucket]), folder, scratch)
            for file_number, bucket in enumerate(record_counts)
        ]
        sizes = list(record_counts.values())
        return run_stage_in_order(self.runner, "writing", write_shard, tasks, sizes)


def release_files(shards: Sequence[Shard]) -> tuple[dict[str, Any], ...]:
    """Return name, records, bytes and hash of each file of a release."""
    return tuple(
        {
            "name": shard.name,
            "records": shard.n_records,
            "bytes": shard.bytes,
            "sha256": shard.sha256,
        }
        for shard in shards
    )


@worker_task
def read_footer_of_source(path: str) -> Footer:
    """Return the metadata of a file of the source."""
    return read_footer(path)
