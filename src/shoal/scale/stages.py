"""The stages of a run: count, part, group, write."""

from collections.abc import Sequence
from dataclasses import replace
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from shoal.errors import InputError, StrataMerged
from shoal.frame.columns import refuse_missing_counts
from shoal.frame.roles import columns_with
from shoal.plan import Plan
from shoal.plan.other_columns import to_drop, with_names
from shoal.plan.verdict import Finding
from shoal.plan.warnings import as_finding, python_warnings
from shoal.scale.again import cut_again, cut_cell, cut_part, opened
from shoal.scale.book import open_book
from shoal.scale.cluster import stage
from shoal.scale.folder import Folder
from shoal.scale.frames import is_dask_frame, write_frame
from shoal.scale.job import Codes, Job, Strata, save_job, task
from shoal.scale.layout import blocks_of, cut_strata, open_strata, units_of
from shoal.scale.merging import merge_strata
from shoal.scale.passes import Part, group_block, part_piece, write_part
from shoal.scale.pieces import check_sortable, cut_pieces, read_footer
from shoal.scale.refusals import HOLES, check_columns, check_plan, check_weight, is_number
from shoal.scale.release import (
    LargeRelease,
    check_promise,
    judge,
    measured,
    provenance,
    summed,
)
from shoal.scale.sample import share_of
from shoal.scale.sources import check_parted, find_files, places
from shoal.scale.tally import Tally, Wanted, merged, tally_piece
from shoal.steps import Microaggregate
from shoal.steps.strata import refuse_sizes

if TYPE_CHECKING:
    from distributed import Client

ASKED = 20_000  # records that an attacker looks for


class Run:
    """One run: what its stages share."""

    def __init__(self, cluster: "Client", folder: Folder, plan: Plan, chunk_size: int, seed: int):
        self.cluster, self.folder, self.plan = cluster, folder, plan
        self.step: Microaggregate = check_plan(plan)
        self.chunk_size, self.seed = chunk_size, seed
        self.job_file = str(folder.path("job"))
        self.noted: list[Finding] = []
        self.warnings: list[Warning] = []
        self.dropped = plan.dropped

    def release(self, source: Any, drawn: tuple[int, ...]) -> LargeRelease:
        """Go through the stages: count, part, group, write."""
        paths = self._files(source)
        schema = self._open(paths)
        tally = self._count(schema)
        job = self._job(schema, tally)
        cells = self._part(job)
        grouped = self._group(cells)
        parts = self._write(job, grouped)
        measures, remarks = measured(job, grouped, parts)
        left = sum(part.records for part in parts)
        check_promise(self.plan, measures, tally.records, left)
        came = sum(piece.records for piece in self.pieces)
        verdict = judge(self.plan, job, schema.names, grouped, parts, came, measures, self.noted)
        self.warnings += python_warnings(verdict)
        sizes = summed(one.sizes for one in grouped)
        return LargeRelease(
            self.folder.target,
            self.plan,
            measures,
            remarks,
            tuple(map(str, self.warnings)),
            {"number": sum(sizes.values()), "smallest": min(sizes), "largest": max(sizes)},
            provenance(parts, grouped, self.chunk_size, self.seed),
            tuple(
                {n: getattr(p, n) for n in ("name", "records", "bytes", "sha256")} for p in parts
            ),
            verdict,
            drawn,
            recoded=tuple(self.step.strata) if job.strata.merged is not None else (),
        )

    def _files(self, source: Any) -> list[str]:
        """Return the files of the source; a Dask DataFrame is computed once, into scratch files."""
        if is_dask_frame(source):
            texts = [name for name in self.plan.masked if name not in self.plan.types]
            return write_frame(self.cluster, source, self.folder.path("came"), texts)
        paths = find_files(source)
        self.folder.check_sources(paths, places(source))
        return paths

    def _open(self, paths: Sequence[str]) -> pa.Schema:
        tasks = [(path,) for path in paths]
        footers = dict(stage(self.cluster, "opening files", _footer, tasks, [1] * len(paths)))
        found = [footers[at] for at in range(len(paths))]
        self.pieces = cut_pieces(paths, found, self.chunk_size)
        schema: pa.Schema = found[0].schema
        check_parted(paths, schema.names)
        check_columns(self.plan, schema, frozenset().union(*(one.ordered for one in found)))
        check_weight(self.step.weight, schema)
        self.dropped = [*self.plan.dropped, *to_drop(self.plan, schema.names)]
        self.plan = with_names(self.plan, schema.names)
        return schema

    def _count(self, schema: pa.Schema) -> Tally:
        """Take moments, values and a sample in one pass."""
        secret = columns_with(self.plan.roles, "confidential") if self.step.dependence else []
        seen = [*self.step.columns, *(n for n in secret if n not in self.step.columns)]
        numbers = [name for name in seen if self._is_number(schema, name)]
        records = sum(piece.records for piece in self.pieces)
        wanted = Wanted(
            numbers,
            [name for name in seen if name not in numbers],
            self.step.strata,
            self.plan.required_columns,
            share_of(records, self.chunk_size),
            self.seed,
            self.step.weight,
            self.step.weighted_distances,
        )
        tasks = [(piece, wanted) for piece in self.pieces]
        sizes = [piece.records for piece in self.pieces]
        tally = Tally()
        for _, found in stage(self.cluster, "counting", _tally, tasks, sizes):
            tally = merged([tally, found])
        if not tally.records:
            raise InputError(
                f"Every one of the {records} records has a missing value, so"
                ' `missing="drop"` would leave none. Use `missing="impute"`.',
                code="no-record-complete",
                records=records,
            )
        if tally.records < self.step.k:
            raise InputError(
                f"A group needs k={self.step.k} records but the data hold only {tally.records}."
                " Lower k.",
                code="too-few-records",
                k=self.step.k,
                records=tally.records,
            )
        if self.step.weight is not None:
            tally.weights.check(self.step.weight)
        return tally

    def _is_number(self, schema: pa.Schema, name: str) -> bool:
        declared = self.plan.types.get(name)
        if declared is not None:
            return declared.kind == "numeric"
        return is_number(schema.field(name).type)

    def _job(self, schema: pa.Schema, tally: Tally) -> Job:
        """Decide how columns are read, where the cuts are and what leaves."""
        step, confidential = self.step, columns_with(self.plan.roles, "confidential")
        secret = confidential if step.dependence else []
        units = "weighted" if step.weighted_distances else step.standardise
        book = open_book(tally, step.columns, secret, self.plan.types, step.dependence, units)
        if step.missing != "impute":
            refuse_missing_counts({r.name: r.holes for r in book.masked}, HOLES)
        refuse_missing_counts(
            {r.name: r.holes for r in book.secret}, "Mend them, or leave dependence out."
        )
        leaving = [field for field in schema if field.name not in self.dropped]
        released = pa.schema([self._released(field, tally) for field in leaving])
        check_sortable(released)
        strata, counts = open_strata(tally, step.strata)
        job = Job(
            step,
            book,
            strata,
            released,
            self.plan.quasi_identifiers,
            confidential,
            self.plan.required_columns,
            ceil(tally.records / self.chunk_size),
            min(1.0, ASKED / tally.records),
            self.seed,
            self.plan.thresholds,
        )
        strata = self._merged(job, counts)
        job = replace(job, strata=cut_strata(tally, book, strata, counts, self.chunk_size))
        save_job(job, Path(self.job_file))
        return job

    def _merged(self, job: Job, counts: Codes) -> Strata:
        """Refuse strata of fewer than k records, or merge them where the step says so."""
        if self.step.small_strata == "refuse":
            refuse_sizes(counts.tolist(), self.step.k, columns=self.step.strata)
            return job.strata
        path = self.folder.path("strata")
        merged, told = merge_strata(self.cluster, job, path, self.pieces, counts)
        self.noted += [as_finding(StrataMerged(told))] if told else []
        return replace(job.strata, merged=merged)

    def _released(self, field: pa.Field, tally: Tally) -> pa.Field:
        """Return a column of the release with its type: means are floats."""
        if field.name not in self.step.columns or field.name not in tally.moments:
            return field
        decimals = self.step.decimals
        whole = decimals is not None and decimals <= 0 and pa.types.is_integer(field.type)
        return pa.field(field.name, pa.int64() if whole else pa.float64())

    def _part(self, job: Job) -> list[list[int]]:
        """Bring the records of a cell together; return the cells of each stratum."""
        folder = str(self.folder.path("cells"))
        tasks = [
            (self.job_file, piece, folder, at, self.chunk_size)
            for at, piece in enumerate(self.pieces)
        ]
        sizes = [piece.records for piece in self.pieces]
        found = dict(stage(self.cluster, "parting records", part_piece, tasks, sizes))
        files = [file for at in sorted(found) for file in found[at]]
        self.folder.forget("came")
        self.cells, into = cut_again(
            self.cluster, cut_cell, self.job_file, folder, files, self.chunk_size
        )
        return [[n for cell in some for n in opened(cell, into)] for some in job.strata.of_each]

    def _group(self, cells_of: Sequence[Sequence[int]]) -> list[Any]:
        records = summed(file.records for file in self.cells)
        units = units_of(cells_of, records, self.step.k, self.chunk_size)
        blocks = blocks_of(units, records, self.chunk_size)
        folder = str(self.folder.path("masked"))
        tasks, sizes = [], []
        for at, block in enumerate(blocks):
            cells = [cell for unit in block for cell in unit]
            files = [file.only(cells) for file in self.cells]
            tasks.append((self.job_file, block, [f for f in files if f.batch], folder, at))
            sizes.append(sum(records.get(cell, 0) for cell in cells))
        found = dict(stage(self.cluster, "grouping", group_block, tasks, sizes))
        self.folder.forget("cells")
        return [found[at] for at in range(len(blocks))]

    def _write(self, job: Job, grouped: Sequence[Any]) -> list[Part]:
        folder = str(self.folder.path("release"))
        files, _ = cut_again(
            self.cluster,
            cut_part,
            self.job_file,
            str(self.folder.path("masked")),
            [one.slices for one in grouped],
            self.chunk_size,
        )
        records = summed(file.records for file in files)
        tasks = [
            (
                self.job_file,
                at,
                part,
                [f for f in (file.only([part]) for file in files) if f.batch],
                folder,
            )
            for at, part in enumerate(records)
        ]
        found = stage(self.cluster, "writing", write_part, tasks, list(records.values()))
        parts = dict(found)
        return [parts[at] for at in range(len(tasks))]


@task
def _tally(piece: Any, wanted: Wanted) -> Tally:
    return tally_piece(piece, wanted)


@task
def _footer(path: str) -> Any:
    return read_footer(path)
