"""The run of a plan of one microaggregation: statistics, cells, masked blocks, shards."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil
from typing import Any

import pyarrow as pa

from shoal.errors import InputError, StrataMerged
from shoal.frame.roles import columns_with
from shoal.frame.tables import refuse_missing_counts
from shoal.plan.findings.run import as_finding
from shoal.plan.warnings import python_warnings
from shoal.scale.assessment.guarantees import (
    check_constraints,
    check_guarantee,
    check_homogeneity,
)
from shoal.scale.assessment.measures import compute_measures
from shoal.scale.assessment.verdict import CountedRelease, judge_microaggregation
from shoal.scale.column_block_classes import count_column_block_classes
from shoal.scale.encoders import Encoders, make_encoders
from shoal.scale.job import MicroaggregationJob, save_job
from shoal.scale.microaggregation.block_measures import MaskedBlock
from shoal.scale.microaggregation.masked_blocks import assign_cells, mask_block
from shoal.scale.microaggregation.region_joins import has_group_constraints, join_regions
from shoal.scale.release import LargeRelease, join_summaries, provenance, summarise_groups
from shoal.scale.runners.runner import run_stage, run_stage_in_order
from shoal.scale.sources.sorting import check_sortable
from shoal.scale.splitting.large_buckets import final_buckets, split_cell, split_large_buckets
from shoal.scale.splitting.regions import Region, make_blocks, make_regions, region_size
from shoal.scale.splitting.small_strata import merge_strata, smallest_unit_hashes
from shoal.scale.splitting.strata import Codes, Strata, divide_strata, find_strata
from shoal.scale.statistics.confidential_columns import ConfidentialColumn
from shoal.scale.statistics.counts import sum_counts
from shoal.scale.statistics.profile_counts import BlockProfile, ProfileCounts, make_grids
from shoal.scale.statistics.profile_entries import risk_of_original
from shoal.scale.statistics.sample import sampling_share
from shoal.scale.statistics.table_statistics import (
    StatisticsRequest,
    TableStatistics,
    chunk_statistics,
    merge_statistics,
)
from shoal.scale.storage.scratch_files import ScratchFile, files_with
from shoal.scale.table_run import TableRun, release_files
from shoal.scale.validation import (
    check_weight,
    is_numeric_type,
)
from shoal.steps import Microaggregate
from shoal.steps._step import too_few_error
from shoal.steps.constraints.strata import refuse_small_sizes
from shoal.steps.constraints.units import refuse_missing_units
from shoal.steps.microaggregation.checks import MISSING_VALUES_HINT
from shoal.steps.microaggregation.group_loss import column_weight_warnings

MAX_ATTACKED = 20_000  # about the number of records on which the linkage attack is tried


class MicroaggregationRun(TableRun):
    """One run of a plan of one microaggregation."""

    @property
    def step(self) -> Microaggregate:
        """The step of the plan."""
        step = self.plan.steps[0]
        assert isinstance(step, Microaggregate)  # `mask` runs other plans by `RecodingRun`
        return step

    def release(self, source: Any, drawn_seeds: tuple[int, ...]) -> LargeRelease:
        """Run all stages and return the release, whose files are not yet published."""
        schema = self._open_files(self._find_files(source))
        statistics = self._compute_statistics(schema)
        job = self._make_job(schema, statistics)
        cell_files, cells_by_stratum = self._assign_cells(job)
        profile_counts = ProfileCounts(job.grids)
        blocks = self._mask_blocks(job, cell_files, cells_by_stratum, profile_counts)
        check_homogeneity(job, blocks)
        shards = self._write_shards([block.file for block in blocks])
        classes = [shard.column_block_classes for shard in shards]
        column_block_sizes = count_column_block_classes(self.runner, job, self.job_file, classes)
        measures, remarks = compute_measures(job, blocks, shards, profile_counts.sums)
        counted = CountedRelease(
            plan=self.plan, columns=schema.names, shards=shards, measures=measures, remarks=remarks
        )
        check_guarantee(
            self.plan, measures, statistics.n_records, counted.n_records, column_block_sizes
        )
        check_constraints(self.plan, job, measures, shards)
        n_source = sum(chunk.n_records for chunk in self.chunks)
        verdict = judge_microaggregation(
            job, counted, blocks, n_source, self.findings, column_block_sizes
        )
        self.warnings += python_warnings(verdict)
        group_summaries = [
            summarise_groups(blocks, index) for index in range(len(self.step.column_blocks))
        ]
        return LargeRelease(
            target=self.folder.target,
            plan=self.plan,
            measures=measures,
            remarks=remarks,
            warnings=tuple(map(str, self.warnings)),
            groups=join_summaries(group_summaries),
            provenance=provenance(shards, blocks, self.chunk_size, self.seed),
            files=release_files(shards),
            verdict=verdict,
            drawn_seeds=drawn_seeds,
            recoded=tuple(self.step.strata) if job.strata.merged_strata is not None else (),
            block_groups=tuple(group_summaries),
            profile=self._profile(schema, statistics, blocks, profile_counts),
        )

    def _profile(
        self,
        schema: pa.Schema,
        statistics: TableStatistics,
        blocks: Sequence[MaskedBlock],
        profile_counts: ProfileCounts,
    ) -> dict[str, Any]:
        """Return the data for the figures of a report."""
        return {
            "before": risk_of_original(sum_counts(block.original_sizes for block in blocks)),
            **profile_counts.to_dict(
                self.step.columns,
                statistics.moments,
                statistics.value_counts,
                self._whole_columns(schema),
                self.plan.k,
            ),
        }

    def _compute_statistics(self, schema: pa.Schema) -> TableStatistics:
        """Compute moments, value counts and a sample in one pass."""
        check_weight(self.step.weight, schema)
        sizes = [chunk.n_records for chunk in self.chunks]
        n_records = sum(sizes)
        request = self._statistics_request(schema, n_records)
        tasks = [(chunk, request) for chunk in self.chunks]
        statistics = TableStatistics()
        for _, statistics_of_chunk in run_stage(
            self.runner, "counting", chunk_statistics, tasks, sizes
        ):
            statistics = merge_statistics([statistics, statistics_of_chunk])
        if statistics.sample is None:  # no chunk has a complete record
            raise InputError(
                f"Every one of the {n_records:,} records has a missing value, so"
                ' `missing="drop"` would leave none. Use `missing="impute"`.',
                code="no-record-complete",
                records=n_records,
            )
        if statistics.n_records < self.step.k:
            raise too_few_error(self.step.k, statistics.n_records, "records")
        if self.step.weight is not None:
            statistics.weight_statistics.check(self.step.weight)
        if self.step.unit_column is not None:
            refuse_missing_units(self.step.unit_column, statistics.n_without_unit)
        return statistics

    def _statistics_request(self, schema: pa.Schema, n_records: int) -> StatisticsRequest:
        """Return what is computed in the first pass over the table."""
        step, confidential = self.step, columns_with(self.plan.roles, "confidential")
        encoded = list(dict.fromkeys([*step.columns, *(confidential if step.dependence else [])]))
        numeric = [name for name in encoded if self._is_numeric(schema, name)]
        return StatisticsRequest(
            numeric=numeric,
            categorical=[name for name in encoded if name not in numeric],
            strata=step.strata,
            required_columns=self.plan.required_columns,
            share=sampling_share(n_records, self.chunk_size),
            seed=self.seed,
            weight=step.weight,
            weighted_distances=step.weighted_distances,
            unit=step.unit_column,
            confidential=confidential if self.needs_closeness else (),
        )

    def _is_numeric(self, schema: pa.Schema, name: str) -> bool:
        """Return whether a column is declared numeric or, if undeclared, has a numeric type."""
        declared = self.plan.types.get(name)
        if declared is not None:
            return declared.kind == "numeric"
        return is_numeric_type(schema.field(name).type)

    def _make_job(self, schema: pa.Schema, statistics: TableStatistics) -> MicroaggregationJob:
        """Decide on encoders, cells and released columns, and write the job for the workers."""
        assert statistics.sample is not None  # tables without complete records are refused before
        step, confidential = self.step, columns_with(self.plan.roles, "confidential")
        self.findings += map(as_finding, column_weight_warnings(step, None))
        encoders = self._make_encoders(statistics)
        released_schema = self._released_schema(schema, statistics)
        strata, stratum_sizes = find_strata(statistics, step.strata)
        job = MicroaggregationJob(
            released_schema=released_schema,
            quasi_identifiers=self.plan.quasi_identifiers,
            confidential=confidential,
            n_shards=ceil(statistics.n_records / self.chunk_size),
            seed=self.seed,
            class_columns=[*step.columns, *step.strata],
            column_blocks=[[*block, *step.strata] for block in step.column_blocks],
            unit=step.unit_column,
            weight=step.weight,
            confidential_columns=[
                ConfidentialColumn.from_counts(name, counts, self.plan.types)
                for name, counts in statistics.confidential.items()
            ],
            measures_diversity=bool(confidential),
            measures_closeness=bool(confidential) and self.needs_closeness,
            step=step,
            encoders=encoders,
            strata=strata,
            required_columns=self.plan.required_columns,
            attack_share=min(1.0, MAX_ATTACKED / statistics.n_records),
            thresholds=self.plan.thresholds,
            types=self.plan.types,
            grids=make_grids(
                statistics.sample,
                [name for name in step.columns if name in statistics.moments],
                self._whole_columns(schema),
            ),
        )
        strata = self._merge_small_strata(job, stratum_sizes)
        strata = divide_strata(statistics.sample, encoders, strata, stratum_sizes, self.chunk_size)
        job = replace(job, strata=strata)
        save_job(job, self.job_file)
        return job

    def _make_encoders(self, statistics: TableStatistics) -> Encoders:
        """Return the encoders of all columns; refuse missing values unless they are allowed."""
        step = self.step
        encoders = make_encoders(
            statistics,
            step.columns,
            columns_with(self.plan.roles, "confidential") if step.dependence else [],
            self.plan.types,
            step.dependence,
            "weighted" if step.weighted_distances else step.standardise,
            step.column_weights,
        )
        if step.missing in ("refuse", "drop"):
            missing = {encoder.name: encoder.n_missing for encoder in encoders.masked}
            refuse_missing_counts(missing, MISSING_VALUES_HINT)
        refuse_missing_counts(
            {encoder.name: encoder.n_missing for encoder in encoders.confidential},
            "Impute or drop them first, or leave dependence out.",
        )
        return encoders

    def _released_schema(self, schema: pa.Schema, statistics: TableStatistics) -> pa.Schema:
        """Return the released columns with their types; refuse types that cannot be sorted."""
        fields = [field for field in schema if field.name not in self.dropped_columns]
        released = pa.schema([self._released_field(field, statistics) for field in fields])
        unit = self.step.unit_column
        check_sortable(pa.schema([*released, *([] if unit is None else [schema.field(unit)])]))
        return released

    def _whole_columns(self, schema: pa.Schema) -> list[str]:
        """Return the masked columns with an integer type."""
        return [name for name in self.step.columns if pa.types.is_integer(schema.field(name).type)]

    def _merge_small_strata(self, job: MicroaggregationJob, stratum_sizes: Codes) -> Strata:
        """Refuse strata of fewer than k records, or merge them if the step is set to do so."""
        path = str(self.folder.path("strata"))
        unit_hashes = None
        if job.unit is not None and job.strata.columns:
            unit_hashes = smallest_unit_hashes(self.runner, job, path, self.chunks)
        if self.step.small_strata == "refuse":
            sizes = stratum_sizes.tolist() if unit_hashes is None else list(map(len, unit_hashes))
            if job.strata.columns:
                refuse_small_sizes(
                    sizes, self.step.k, columns=self.step.strata, noun=self.step.unit_noun
                )
            return job.strata
        merged_strata, sentence = merge_strata(
            self.runner, job, path, self.chunks, stratum_sizes, unit_hashes
        )
        self.findings += [as_finding(StrataMerged(sentence))] if sentence else []
        return replace(job.strata, merged_strata=merged_strata)

    def _released_field(self, field: pa.Field, statistics: TableStatistics) -> pa.Field:
        """Return a column of the release with its type: means are floats."""
        if field.name not in self.step.columns or field.name not in statistics.moments:
            return field
        decimals = self.step.decimals_of(field.name)
        is_whole = decimals is not None and decimals <= 0 and pa.types.is_integer(field.type)
        return pa.field(field.name, pa.int64() if is_whole else pa.float64())

    def _assign_cells(self, job: MicroaggregationJob) -> tuple[list[ScratchFile], list[list[int]]]:
        """Write all records to scratch files by cell; return these and the cells by stratum."""
        folder = str(self.folder.path("cells"))
        tasks = [
            (self.job_file, chunk, folder, chunk_number, self.chunk_size)
            for chunk_number, chunk in enumerate(self.chunks)
        ]
        sizes = [chunk.n_records for chunk in self.chunks]
        files_by_chunk: list[list[ScratchFile]] = run_stage_in_order(
            self.runner, "assigning cells", assign_cells, tasks, sizes
        )
        files = [file for chunk_files in files_by_chunk for file in chunk_files]
        self.folder.remove("source")
        cell_files, split_into = split_large_buckets(
            self.runner, split_cell, self.job_file, folder, files, self.chunk_size
        )
        return cell_files, [
            [final_cell for cell in cells for final_cell in final_buckets(cell, split_into)]
            for cells in job.strata.cells_by_stratum
        ]

    def _mask_blocks(
        self,
        job: MicroaggregationJob,
        cell_files: Sequence[ScratchFile],
        cells_by_stratum: Sequence[Sequence[int]],
        profile_counts: ProfileCounts,
    ) -> list[MaskedBlock]:
        """Group and mask all records, block by block; add their profiles to ``profile_counts``."""
        records_by_cell = sum_counts(file.record_counts for file in cell_files)
        regions = self._make_regions(job, cell_files, cells_by_stratum, records_by_cell)
        blocks = make_blocks(regions, records_by_cell, self.chunk_size)
        folder = str(self.folder.path("masked"))
        tasks, sizes = [], []
        for block_number, block in enumerate(blocks):
            cells = [cell for region in block for cell in region]
            files = files_with(cell_files, cells)
            tasks.append((self.job_file, block, files, folder, block_number))
            sizes.append(region_size(cells, records_by_cell))
        masked_blocks: dict[int, MaskedBlock] = {}
        for position, masked in run_stage(self.runner, "grouping", mask_block, tasks, sizes):
            # Added immediately: the profiles of all blocks would take much memory.
            profile_counts.add(masked.profile)
            masked_blocks[position] = replace(masked, profile=BlockProfile())
        self.folder.remove("cells")
        return [masked_blocks[position] for position in range(len(blocks))]

    def _make_regions(
        self,
        job: MicroaggregationJob,
        cell_files: Sequence[ScratchFile],
        cells_by_stratum: Sequence[Sequence[int]],
        records_by_cell: Mapping[int, int],
    ) -> list[Region]:
        """Return the regions of all strata, each large enough to meet the step's constraints."""
        regions_by_stratum = [
            make_regions(cells, records_by_cell, self.step.k, self.chunk_size)
            for cells in cells_by_stratum
        ]
        if has_group_constraints(job):
            regions_by_stratum = join_regions(
                self.runner,
                self.job_file,
                regions_by_stratum,
                cell_files,
                records_by_cell,
                self.chunk_size,
            )
        return [region for regions in regions_by_stratum for region in regions]
