"""A file or a database becomes a release: read, run, write, read back, judge, publish.

Every interface that writes a release calls `deliver`, so that what is said of a release is
counted in the same way everywhere: on the file, as others will read it.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shoal import _progress as progress
from shoal.errors import FileError, NotKept
from shoal.frame.roles import name_columns
from shoal.io.database import is_database, redact_address
from shoal.io.dialect import Dialect
from shoal.io.files import open_source
from shoal.io.fingerprint import Fingerprint, unchanged_while_read
from shoal.io.formats import format_of
from shoal.io.formulas import formula_cells
from shoal.io.publish import Publication, refuse_overwriting
from shoal.io.source import Source
from shoal.io.target import Target, open_target
from shoal.plan.draft import Draft
from shoal.plan.guarantees import may_be_published
from shoal.plan.plan import Plan
from shoal.plan.readback import coded_columns, judge_file
from shoal.plan.release import Release
from shoal.plan.verdict import Finding, Verdict


@dataclass(frozen=True, eq=False)
class Delivery:
    """A release that was written, and what documents about it are made of.

    Parameters
    ----------
    release : Release
        What the plan made; its verdict is that of the file.
    table : pyarrow.Table
        What the plan was run on.
    columns : tuple of str
        The columns of the file, in its order.
    source : Fingerprint or None
        Size and hash of the input as it was read; None where nobody asked, and for a database.
    target : Fingerprint or None
        The same of the file that was written.
    """

    release: Release
    table: Any
    columns: tuple[str, ...]
    source: Fingerprint | None = None
    target: Fingerprint | None = None


Document = Callable[[Delivery], str | bytes]


def deliver(
    plan: Plan,
    source: str | Path,
    target: str | Path,
    *,
    dialect: Dialect | None = None,
    target_table: str | None = None,
    documents: Mapping[Path, Document] | None = None,
    secret: Collection[Path] = (),
    inputs: Sequence[tuple[Path | None, str]] = (),
    fingerprints: bool = False,
    allow_not_kept: bool = False,
    force: bool = False,
) -> Delivery:
    """Run a plan on a file and write the release, judged as it reads back.

    The file is written beside its name, read back and judged before it gets that name; a
    table of a database is read back before its transaction is committed. All files appear
    together, or none does.

    Parameters
    ----------
    plan : Plan
        What is done.
    source : str or Path
        The file to mask, or the address of a database.
    target : str or Path
        The file to write, or the address of a database.
    dialect : Dialect, optional
        What the files do not say.
    target_table : str, optional
        The table to make, where the target is a database.
    documents : mapping of Path to callable, optional
        Further files, such as reports, with the functions that return their content, in the
        order in which they are called.
    secret : collection of Path
        Those of the documents that their owner alone may read.
    inputs : sequence of (Path, str)
        Files that were read besides the source and what they are; none is written over.
    fingerprints : bool
        Whether the input and the file that is written are hashed.
    allow_not_kept : bool
        Whether a release whose verdict is "not kept" is published all the same.
    force : bool
        Whether files and tables that exist are replaced.

    Returns
    -------
    Delivery
        The release, and what was written.

    Raises
    ------
    `NotKept`
        If the verdict on the file is "not kept", unless that is allowed.
    """
    source, target, documents = str(source), str(target), dict(documents or {})
    dialect = dialect or Dialect()
    refuse_overwriting((target, *documents), [(source, "source"), *inputs])
    if target == source and target_table == dialect.table is not None:
        raise FileError(
            f"Table {target_table!r} is the source. Write to another table.",
            code="would-overwrite-input",
            table=target_table,
            what="source",
        )
    written_as = replace(dialect, table=target_table)
    with (
        Publication(force=force) as publication,
        open_target(target, written_as, publication) as place,
    ):
        parts = {path: publication.add(path, secret=path in secret) for path in documents}
        progress.report("reading", 0, 0)
        with unchanged_while_read(source, hashed=fingerprints) as came:
            opened = open_source(source, dialect=dialect, numbers=())
        masked = mask_source(plan, opened, target, written_as)
        del opened  # its cells as text make room for what is read back
        delivery = replace(
            _written(masked, place, target, fingerprints, allow_not_kept), source=came.fingerprint
        )
        for path, document in documents.items():
            content = document(delivery)
            parts[path].write_bytes(content.encode() if isinstance(content, str) else content)
        progress.report("publishing", 0, 0)  # whoever wants an end is heard here for the last time
        place.publish()
    return delivery


@dataclass(eq=False)
class Masked:
    """A table that was masked and not yet written.

    Parameters
    ----------
    draft : Draft
        What the plan made.
    leaving : Source
        The same with what the file says about it, ready to be written; None once it was.
    table : pyarrow.Table
        What the plan was run on.
    """

    draft: Draft
    leaving: Source | None
    table: Any


def mask_source(plan: Plan, opened: Source, target: str, dialect: Dialect) -> Masked:
    """Run a plan on a file that was read, for a target that may keep its missing codes."""
    table = opened.with_numbers(plan.numeric_columns, plan.categorical_columns)
    if not is_database(target) and opened.notes.family in format_of(Path(target), dialect).codes:
        table = opened.with_codes_as_categories(table, coded_columns(plan))
    draft = plan.draft(table)
    made = draft.fields
    leaving = opened.released(
        made["data"], made["unchanged"], rows=made["rows"], keep_notes=dialect.keep_notes
    )
    return Masked(draft, leaving, table)


def _written(
    masked: Masked, place: Target, target: str, fingerprints: bool, allow_not_kept: bool
) -> Delivery:
    """Write the release and judge it as it reads back."""
    draft, leaving, masked.leaving = masked.draft, masked.leaving, None
    if leaving is None:
        raise RuntimeError("A release is written once.")
    if place.shows_formulas:
        draft = draft.with_findings(_formulas(formula_cells(leaving.table)))
    progress.report("writing", 0, 0)
    lost = place.write(leaving)
    del leaving
    progress.report("reading back", 0, 0)
    name = redact_address(target) if place.written is None else Path(target).name
    judged = judge_file(draft, place.read_back(), name)
    if not may_be_published(judged.verdict, allow_not_kept=allow_not_kept):
        raise not_kept(judged.verdict)
    release = draft.to_release(judged.verdict, lost=lost, measures=judged.measures)
    hashed = fingerprints and place.written is not None
    written = Fingerprint.of(place.written) if hashed and place.written else None
    return Delivery(release, masked.table, judged.columns, target=written)


def _formulas(counts: Mapping[str, int]) -> list[Finding]:
    """Find cells that a spreadsheet program would take for formulas."""
    if not counts:
        return []
    cells = sum(counts.values())
    begin = "1 cell begins" if cells == 1 else f"{cells} cells begin"
    return [
        Finding(
            "formula-cells",
            "informs",
            f"{begin} with a character that makes a spreadsheet program run a formula when it opens"
            f" the file: {name_columns(list(counts))}.",
            {"cells": cells},
            tuple(counts),
            "Check these cells, or use `mark_formulas=True` to put an apostrophe in front of them.",
        )
    ]


def not_kept(verdict: Verdict) -> NotKept:
    """Return the error that refuses a release whose verdict is "not kept"."""
    reasons = " ".join(finding.sentence for finding in verdict.of("breaks"))
    return NotKept(f"{verdict.sentence} {reasons} Nothing was released.", verdict=verdict)
