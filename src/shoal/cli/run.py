"""``shoal run``: run a plan on a file."""

from shoal.cli import _options as options
from shoal.cli._large import is_large
from shoal.cli._release import release
from shoal.cli._session import session
from shoal.cli._sources import check_sources
from shoal.cli._wording import plan_wording


def run(
    plan: options.PlanFile,
    source: options.Sources,
    target: options.Target,
    shuffle: options.Shuffle = False,
    report: options.Report = None,
    audience: options.Audience = "public",
    curve: options.Curve = False,
    manifest: options.Manifest = None,
    sign: options.Sign = None,
    hash_key: options.HashKey = None,
    separator: options.Separator = None,
    decimal: options.Decimal = ".",
    encoding: options.Encoding = "utf-8",
    missing: options.Missing = "",
    sheet: options.Sheet = None,
    layout: options.Layout = None,
    table: options.Table = None,
    target_table: options.TargetTable = None,
    keep_notes: options.KeepNotes = False,
    memory_limit: options.MemoryLimit = None,
    mark_formulas: options.MarkFormulas = False,
    scheduler: options.Scheduler = None,
    chunk_size: options.ChunkSize = None,
    allow_not_kept: options.AllowNotKept = False,
    force: options.Force = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Run PLAN on SOURCE and write the release to TARGET."""
    with session(quiet=quiet, wording=plan_wording):
        check_sources(source)
        from shoal.io.dialect import Dialect
        from shoal.plan import Plan

        dialect = Dialect(
            separator,
            decimal,
            encoding,
            missing,
            sheet,
            layout,
            table,
            keep_notes,
            memory_limit,
            mark_formulas,
        )
        release(
            Plan.load(plan).shuffled() if shuffle else Plan.load(plan),
            source,
            target,
            large=is_large(source, target, scheduler, chunk_size),
            dialect=dialect,
            report=report,
            audience=audience,
            curve=curve,
            manifest=manifest,
            sign=sign,
            hash_key=hash_key,
            target_table=target_table,
            scheduler=scheduler,
            chunk_size=chunk_size,
            allow_not_kept=allow_not_kept,
            force=force,
            as_json=json,
            quiet=quiet,
            plan_file=plan,
        )
