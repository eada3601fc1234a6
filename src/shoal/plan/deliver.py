"""Mask a file or a database table: read, run, write, read back, judge, publish.

Every interface that writes a release calls `deliver`, so that all of them judge the release in the
same way: by the file as others will read it.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from shoal import _progress as progress
from shoal.errors import FileError, NotKept
from shoal.frame import tables
from shoal.frame.roles import columns_with
from shoal.io.database.connection import is_database, redact_address
from shoal.io.dialect import Dialect
from shoal.io.files import open_source
from shoal.io.fingerprint import Fingerprint, unchanged_while_read
from shoal.io.formats import format_of
from shoal.io.publish import Publication, refuse_overwriting
from shoal.io.source import Source
from shoal.io.target import Target, open_target
from shoal.io.text_tables.formulas import formula_cells
from shoal.io.type_restoration import column_types
from shoal.plan.analysed_columns import AnalysedColumns
from shoal.plan.draft import Draft
from shoal.plan.findings.formula_cells import formula_cell_findings
from shoal.plan.guarantees import may_be_published
from shoal.plan.interpretation import interpret_source
from shoal.plan.plan import Plan
from shoal.plan.profile import with_value_labels
from shoal.plan.readback import coded_columns, judge_file
from shoal.plan.release import Release
from shoal.plan.verdict import Verdict


@dataclass(frozen=True, eq=False)
class Delivery:
    """A written release, with the data that reports and manifests need.

    Parameters
    ----------
    release : Release
        The release, with the verdict on the file.
    original_table : pyarrow.Table
        The table that the plan was run on.
    columns : tuple of str
        The columns of the file, in order.
    source : Fingerprint or None
        Size and hash of the input as it was read, or None if not requested or for a database.
    target : Fingerprint or None
        Size and hash of the written file.
    types : mapping of str to str
        The types of the released columns that contain neither text nor categories, which the file
        may store in another form.
    """

    release: Release
    original_table: Any
    columns: tuple[str, ...]
    source: Fingerprint | None = None
    target: Fingerprint | None = None
    types: Mapping[str, str] = field(default_factory=dict)


DocumentWriter = Callable[[Delivery], str | bytes]


def deliver(
    plan: Plan,
    source: str | Path,
    target: str | Path,
    *,
    dialect: Dialect | None = None,
    target_table: str | None = None,
    documents: Mapping[Path, DocumentWriter] | None = None,
    secret: Collection[Path] = (),
    inputs: Sequence[tuple[Path | None, str]] = (),
    fingerprints: bool = False,
    allow_not_kept: bool = False,
    force: bool = False,
) -> Delivery:
    """Run a plan on a file and publish the release, judged as read back from the file.

    The file is written under a temporary name, read back and judged before it gets its own name;
    a database table is read back before its transaction is committed. All files appear together,
    or none does.

    Parameters
    ----------
    plan : Plan
        The plan.
    source : str or Path
        The file to mask, or the address of a database.
    target : str or Path
        The file to write, or the address of a database.
    dialect : Dialect, optional
        How to read and write the files, if they do not state it themselves.
    target_table : str, optional
        The table to create, if the target is a database.
    documents : mapping of Path to callable, optional
        Further files, such as reports, with the functions that return their content. The functions
        are called in order.
    secret : collection of Path
        The documents that only their owner may read.
    inputs : sequence of (Path, str)
        Other files that were read, with a description; none of them is overwritten.
    fingerprints : bool
        Whether to hash the input and the written file.
    allow_not_kept : bool
        Whether to publish a release whose verdict is "not kept".
    force : bool
        Whether to replace existing files and tables.

    Returns
    -------
    Delivery
        The release, with what was written.

    Raises
    ------
    `NotKept`
        If the verdict on the file is "not kept", unless that is allowed.
    """
    source = str(source)
    target = str(target)
    documents = dict(documents or {})
    dialect = dialect or Dialect()
    refuse_overwriting((target, *documents), [(source, "source"), *inputs])
    if target == source and target_table == dialect.table is not None:
        raise FileError(
            f"Table {target_table!r} is the source. Write to another table.",
            code="would-overwrite-input",
            table=target_table,
            what="source",
        )
    target_dialect = replace(dialect, table=target_table)
    with (
        Publication(force=force) as publication,
        open_target(target, target_dialect, publication) as release_target,
    ):
        for path in documents:
            publication.add(path, secret=path in secret)
        progress.report("reading", 0, 0)
        with unchanged_while_read(source, with_hash=fingerprints) as reading:
            opened_source = open_source(source, dialect=dialect, numbers=())
        masked_table = mask_source(plan, opened_source, target, target_dialect)
        del opened_source  # frees its cells as text before the file is read back
        delivery = replace(
            _write_and_judge(masked_table, release_target, target, fingerprints, allow_not_kept),
            source=reading.fingerprint,
        )
        for path, write_document in documents.items():
            publication.write(path, write_document(delivery))
        progress.report("publishing", 0, 0)  # the last point at which an interrupt is accepted
        release_target.publish()
    return delivery


@dataclass(eq=False)
class MaskedTable:
    """A masked table to be written.

    Parameters
    ----------
    draft : Draft
        The release, not yet judged.
    to_write : Source
        The released table with the metadata of the file, or None once it is written.
    original_table : pyarrow.Table
        The table that the plan was run on.
    """

    draft: Draft
    to_write: Source | None
    original_table: Any


def mask_source(plan: Plan, opened_source: Source, target: str, dialect: Dialect) -> MaskedTable:
    """Run a plan on an open source, for a target whose format may keep its missing codes.

    In a format with types, the columns of a text table have the types that they show.
    """
    interpretation = interpret_source(plan, opened_source)
    types = interpretation.types
    opened_source = opened_source.without_codes(interpretation.missing_codes)
    file_format = None if is_database(target) else format_of(Path(target), dialect)
    text_source = opened_source
    if file_format is None or file_format.has_types:
        opened_source = opened_source.with_types(
            types,
            dates=_possible_dates(plan, opened_source.table.column_names),
            long_integers=file_format is None or file_format.long_integers,
            untyped=plan.dropped,
        )
    numeric_columns = plan.numeric_columns_by(types)
    table = opened_source.table_with_numbers(numeric_columns, plan.categorical_columns_by(types))
    opened_source.check_numbers(table, [name for name in numeric_columns if name in types])
    interpretation = interpretation.with_decimals(plan, text_source, table)
    if (
        file_format is not None
        and opened_source.metadata.family in file_format.missing_code_families
    ):
        table = opened_source.codes_as_categories(table, coded_columns(plan, types))
    draft = _with_metadata(plan.draft(table, interpretation), text_source)
    if plan.limits.by("utility"):
        draft = draft.with_analysed_columns(
            AnalysedColumns.from_source(text_source, interpretation)
        )
    to_write = opened_source.for_release(
        draft.data,
        draft.unchanged,
        rows=draft.rows,
        keep_free_text=dialect.keep_notes,
    )
    return MaskedTable(draft, to_write, table)


def _with_metadata(draft: Draft, source: Source) -> Draft:
    """Return a draft with the value labels of its source, and its notation of numbers as text."""
    labels = {name: column.value_labels for name, column in source.metadata.columns.items()}
    return replace(
        draft,
        profile=with_value_labels(draft.profile, labels),
        evidence=replace(draft.evidence, text_dialect=source.text_dialect),
    )


def _possible_dates(plan: Plan, columns: Collection[str]) -> list[str]:
    """Return the columns in which dates may be recognised although the plan does not declare them.

    Columns that a step computes with are left out: as dates they would have distances that their
    text does not have.
    """
    used_columns = set(plan.masked)
    if any(step.closeness is not None or getattr(step, "dependence", 0.0) for step in plan.steps):
        used_columns.update(columns_with(plan.roles, "confidential"))
    return [name for name in columns if name not in used_columns]


def _write_and_judge(
    masked_table: MaskedTable,
    release_target: Target,
    target: str,
    fingerprints: bool,
    allow_not_kept: bool,
) -> Delivery:
    """Write the release, and judge it as read back from the file."""
    draft, to_write = masked_table.draft, masked_table.to_write
    masked_table.to_write = None  # frees the table as soon as it is written
    if to_write is None:
        raise RuntimeError("A release is written once.")
    if release_target.shows_formulas:
        draft = draft.with_findings(formula_cell_findings(formula_cells(to_write.table)))
    progress.report("writing", 0, 0)
    file_remarks = release_target.write(to_write)
    del to_write
    progress.report("reading back", 0, 0)
    is_file = release_target.temporary_path is not None
    name = Path(target).name if is_file else redact_address(target)
    judged_file = judge_file(draft, release_target.read_back(), name)
    if not may_be_published(judged_file.verdict, allow_not_kept=allow_not_kept):
        raise not_kept_error(judged_file.verdict)
    release = draft.to_release(
        judged_file.verdict, measures=judged_file.measures, file_remarks=file_remarks
    )
    fingerprint = None
    if fingerprints and release_target.temporary_path is not None:
        fingerprint = Fingerprint.from_file(release_target.temporary_path)
    return Delivery(
        release,
        masked_table.original_table,
        judged_file.columns,
        target=fingerprint,
        types=column_types(tables.to_native(draft.evidence.released)),
    )


def not_kept_error(verdict: Verdict) -> NotKept:
    """Return the error that refuses a release whose verdict is "not kept"."""
    reasons = " ".join(finding.sentence for finding in verdict.of("breaks"))
    return NotKept(f"{verdict.sentence} {reasons} Nothing was released.", verdict=verdict)
