"""What every command does that masks: read, run, write, tell."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from shoal.cli._large import is_large, mask_large
from shoal.cli._session import heed, say
from shoal.errors import FileError

if TYPE_CHECKING:
    from shoal.io.dialect import Dialect
    from shoal.plan import Plan
    from shoal.plan.release import Release
    from shoal.scale import LargeRelease

HERE = Path("-")  # a report for the terminal


def deliver(
    plan: "Plan",
    sources: Sequence[str],
    target: str,
    *,
    dialect: "Dialect",
    report: Path | None,
    audience: str,
    curve: bool,
    manifest: Path | None,
    target_table: str | None,
    scheduler: str | None,
    at_once: int | None,
    force: bool,
    as_json: bool,
    quiet: bool,
    seed: int | None = None,
    plan_file: Path | None = None,
) -> None:
    """Mask a table in memory, or on a cluster where that is asked for, and tell what came of it."""
    shared: dict[str, Any] = {"dialect": dialect, "audience": audience, "manifest": manifest}
    made: Release | LargeRelease
    if is_large(sources, target, scheduler, at_once):
        refuse_taken((report, manifest), [(plan_file, "plan")])
        others = {"--curve": curve, "--target-table": target_table}
        page = report if report != HERE else None
        cluster = {"client": scheduler, "at_once": at_once, "random_state": seed}
        shared |= {"others": others, "report": page, **cluster}
        made = mask_large(plan, sources, target, force=force, **shared)
    else:
        shared |= {"report": report, "curve": curve, "target_table": target_table}
        made = release(plan, sources[0], target, force=force, plan_file=plan_file, **shared)
    tell(made, target, report, as_json=as_json, quiet=quiet, audience=audience)


def release(
    plan: "Plan",
    source: str,
    target: str,
    *,
    dialect: "Dialect",
    report: Path | None,
    force: bool,
    audience: str = "public",
    curve: bool = False,
    target_table: str | None = None,
    plan_file: Path | None = None,
    manifest: Path | None = None,
) -> "Release":
    """Read, run, write: the way of every command that masks."""
    from shoal.audit import manifest as manifests
    from shoal.cli._later import let_go
    from shoal.comparison.tradeoff import around
    from shoal.io.publish import Publication
    from shoal.io.target import open_target
    from shoal.plan.delivery import mask_source
    from shoal.report import check_audience, check_report, report_text, summarise

    let_go()
    check_audience(audience)
    report = report if report != HERE else None
    if report is not None:
        check_report(report)
    if manifest is not None:
        manifests.check_manifest(manifest)
    refuse_taken((target, report, manifest), [(source, "source"), (plan_file, "plan")])
    if target == source and target_table == dialect.table is not None:
        raise FileError(f"Table {target_table!r} is the source. Write to another table.")
    with Publication(force=force) as publication:
        page = publication.add(report) if report is not None else None
        record = publication.add(manifest) if manifest is not None else None
        place = open_target(target, replace(dialect, table=target_table), publication)
        came = manifests.file_entry(source, None, dialect.table) if record is not None else {}
        made, leaving, ready = mask_source(plan, source, dialect)
        points = around(plan, ready, jobs=os.cpu_count() or 1) if curve else []
        if page is not None and report is not None:
            summary = summarise(made, audience, curve=points)
            page.write_text(report_text(summary, report), encoding="utf-8")
        made = replace(made, warnings=(*made.warnings, *place.write(leaving)))
        if record is not None:
            left = manifests.file_entry(target, place.written, target_table)
            entries = manifests.with_files(made.manifest, came, left, dialect)
            record.write_text(manifests.dumps(entries), encoding="utf-8")
        heed()
    return made


def tell(
    made: "Release | LargeRelease",
    target: str,
    report: Path | None,
    *,
    as_json: bool,
    quiet: bool,
    audience: str = "public",
) -> None:
    """Say what was released, and what the person who signs must know."""
    from shoal.io.database import shown
    from shoal.report import one_line, summarise, whole_text

    summary = summarise(made, audience)
    files: Sequence[Mapping[str, Any]] = getattr(made, "files", ())  # of a folder
    inside = f", in {len(files)} file{'s' if len(files) > 1 else ''}" if files else ""
    line = f"{shown(target)}: {one_line(summary)}{inside}"
    if report == HERE:
        line = f"{shown(target)}: {whole_text(summary)}"
    elif report is not None:
        line += f"\n{report}: the report"
    places = {"target": shown(target), "report": str(report) if report else None}
    told = {name: part for name, part in summary.items() if name != "pictures"}
    told |= {"files": list(files)} if files else {}
    say({**places, **told}, line, as_json=as_json, quiet=quiet)
    for warning in made.warnings:
        typer.secho(f"warning: {warning}", fg="yellow", err=True)


def refuse_taken(
    paths: Sequence[str | Path | None], taken: Sequence[tuple[str | Path | None, str]]
) -> None:
    """Refuse to write over what is read."""
    for path in paths:
        for other, what in taken:
            if path is not None and other is not None and _same(path, other):
                raise FileError(f"{str(path)!r} is the {what}. Write to another file.")


def _same(one: str | Path, other: str | Path) -> bool:
    one, other = Path(one), Path(other)
    return one.exists() and other.exists() and one.samefile(other)
