"""The run of a plan that recodes combinations: count them, recode them, rewrite all records."""

from math import ceil
from typing import Any

import pyarrow as pa

from shoal.frame.roles import columns_with
from shoal.plan.warnings import python_warnings
from shoal.scale.assessment.guarantees import check_constraints, check_guarantee
from shoal.scale.assessment.measures import class_measures, why_not_computed
from shoal.scale.assessment.verdict import CountedRelease, judge_recoding
from shoal.scale.job import save_job
from shoal.scale.recoding.combinations import find_combinations
from shoal.scale.recoding.recoded_combinations import (
    RecodedCombinations,
    profile_recoded,
    recode_combinations,
)
from shoal.scale.recoding.recoded_records import (
    RecodingJob,
    assign_combinations,
    recode_bucket,
    write_recoded,
)
from shoal.scale.release import LargeRelease, recoding_provenance
from shoal.scale.runners.runner import run_stage_in_order
from shoal.scale.sources.sorting import check_sortable
from shoal.scale.statistics.confidential_columns import ConfidentialColumn
from shoal.scale.statistics.counts import sum_counts
from shoal.scale.statistics.value_counts import COUNT
from shoal.scale.storage.scratch_files import ScratchFile, files_with
from shoal.scale.table_run import TableRun, release_files
from shoal.steps import Generalise, Suppress
from shoal.steps.constraints.units import read_units, refuse_missing_units


class RecodingRun(TableRun):
    """One run of a plan of `generalise` and `suppress` steps."""

    @property
    def steps(self) -> list[Generalise | Suppress]:
        """The steps of the plan."""
        return [step for step in self.plan.steps if isinstance(step, Generalise | Suppress)]

    def release(self, source: Any, drawn_seeds: tuple[int, ...]) -> LargeRelease:
        """Run all stages and return the release, whose files are not yet published."""
        schema = self._open_files(self._find_files(source))
        combinations = self._count_combinations(schema)
        plan, confidential = self.plan, columns_with(self.plan.roles, "confidential")
        recoded = recode_combinations(self.steps, combinations, confidential, plan.types)
        job = self._make_job(schema, recoded)
        shards = self._write_shards(self._recode_records())
        measures = class_measures(job, shards)
        remarks = why_not_computed(measures, bool(confidential), categories=True)
        counted = CountedRelease(
            plan=plan, columns=schema.names, shards=shards, measures=measures, remarks=remarks
        )
        n_records = int(recoded.record_counts.sum())
        check_guarantee(plan, measures, n_records, counted.n_records)
        check_constraints(plan, job, measures, shards)
        verdict = judge_recoding(job, counted, recoded, self.findings)
        self.warnings += python_warnings(verdict)
        return LargeRelease(
            target=self.folder.target,
            plan=plan,
            measures=measures,
            remarks=remarks,
            warnings=tuple(map(str, self.warnings)),
            groups={},
            provenance=recoding_provenance(shards, len(job.borders), self.chunk_size, self.seed),
            files=release_files(shards),
            verdict=verdict,
            drawn_seeds=drawn_seeds,
            profile=profile_recoded(recoded, plan.masked, plan.unit_column, plan.k),
        )

    @property
    def _needs_confidential(self) -> bool:
        """Whether the combinations include the confidential columns."""
        return self.needs_closeness or any(step.diversity is not None for step in self.steps)

    def _count_combinations(self, schema: pa.Schema) -> pa.Table:
        """Return the combinations of all columns that the steps use."""
        plan = self.plan
        names = [
            *plan.masked,
            *([] if plan.unit_column is None else [plan.unit_column]),
            *(columns_with(plan.roles, "confidential") if self._needs_confidential else []),
        ]
        self.combination_columns = list(dict.fromkeys(names))
        fields = [field for field in schema if field.name not in self.dropped_columns]
        fields += [
            schema.field(name) for name in self.combination_columns if name in self.dropped_columns
        ]
        check_sortable(pa.schema(fields))
        combinations = find_combinations(
            self.runner, self.chunks, self.combination_columns, self.seed
        )
        if plan.unit_column is not None:
            is_missing = combinations.column(plan.unit_column).is_null().to_numpy()
            counts = combinations.column(COUNT).to_numpy()
            refuse_missing_units(plan.unit_column, int(counts[is_missing].sum()))
        return combinations

    def _make_job(self, schema: pa.Schema, recoded: RecodedCombinations) -> RecodingJob:
        """Write the recoded combinations and the job for the workers."""
        plan, confidential = self.plan, columns_with(self.plan.roles, "confidential")
        new_types = {name: recoded.masked[name].to_arrow().type for name in plan.masked}
        released_schema = pa.schema(
            [
                pa.field(field.name, new_types.get(field.name, field.type))
                for field in schema
                if field.name not in self.dropped_columns
            ]
        )
        path = str(self.folder.path("cells/recoded.arrow"))
        borders, file = write_recoded(
            recoded, self.combination_columns, plan.masked, self.seed, self.chunk_size, path
        )
        job = RecodingJob(
            released_schema=released_schema,
            quasi_identifiers=plan.quasi_identifiers,
            confidential=confidential,
            n_shards=ceil(int(recoded.record_counts.sum()) / self.chunk_size),
            seed=self.seed,
            class_columns=plan.masked,
            column_blocks=[plan.masked],
            unit=plan.unit_column,
            weight=plan.weight,
            confidential_columns=self._confidential_columns(recoded, confidential),
            measures_diversity=bool(confidential),
            measures_closeness=bool(confidential) and self.needs_closeness,
            combination_columns=self.combination_columns,
            masked_columns=plan.masked,
            borders=borders,
            recoded_file=file,
        )
        save_job(job, self.job_file)
        return job

    def _confidential_columns(
        self, recoded: RecodedCombinations, confidential: list[str]
    ) -> list[ConfidentialColumn]:
        """Return the confidential columns with the codes and frequencies that the steps use."""
        if not self._needs_confidential:
            return []
        unit = self.plan.unit_column
        units = None if unit is None else read_units(recoded.masked, unit)
        return [
            ConfidentialColumn.from_distinct_records(
                name, recoded.masked, recoded.record_counts, self.plan.types, units
            )
            for name in confidential
        ]

    def _recode_records(self) -> list[ScratchFile]:
        """Write all records to scratch files by bucket, then as they are released."""
        unmasked, masked = str(self.folder.path("cells")), str(self.folder.path("masked"))
        tasks: list[tuple[Any, ...]] = [
            (self.job_file, chunk, unmasked, chunk_number, self.chunk_size)
            for chunk_number, chunk in enumerate(self.chunks)
        ]
        sizes = [chunk.n_records for chunk in self.chunks]
        files_by_chunk: list[list[ScratchFile]] = run_stage_in_order(
            self.runner, "assigning cells", assign_combinations, tasks, sizes
        )
        self.folder.remove("source")
        bucket_files = [file for files in files_by_chunk for file in files]
        record_counts = sum_counts(file.record_counts for file in bucket_files)
        tasks = [
            (self.job_file, bucket, files_with(bucket_files, [bucket]), masked, file_number)
            for file_number, bucket in enumerate(record_counts)
        ]
        sizes = list(record_counts.values())
        masked_files = run_stage_in_order(self.runner, "recoding", recode_bucket, tasks, sizes)
        self.folder.remove("cells")
        return masked_files
