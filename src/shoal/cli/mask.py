"""``shoal mask``: microaggregate one file into another."""

from shoal.cli import _options as options
from shoal.cli._large import is_large
from shoal.cli._release import release
from shoal.cli._session import compile_ahead, session, settings
from shoal.cli._sources import check_sources
from shoal.errors import ParameterError


def mask(
    source: options.Sources,
    target: options.Target,
    column: options.Columns,
    k: options.K,
    method: options.Method = "auto",
    effort: options.Effort = None,
    budget: options.Budget = None,
    within: options.Within = None,
    unit: options.Unit = None,
    household: options.Household = None,
    weight: options.Weight = None,
    missing_values: options.MissingValues = None,
    confidential: options.Confidential = None,
    identifier: options.Identifiers = None,
    type_: options.Types = None,
    set_: options.Settings = None,
    shuffle: options.Shuffle = False,
    seed: options.Seed = None,
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
    """Microaggregate SOURCE into TARGET."""
    with session(quiet=quiet):
        check_sources(source)
        if method == "auto" and effort is None:
            compile_ahead()
        from shoal.frame.types import parse_type_options
        from shoal.io.dialect import Dialect
        from shoal.partitioners import partitioner
        from shoal.plan import Plan

        step, chosen = settings(set_ or [], method, effort)
        large = is_large(source, target, scheduler, chunk_size)
        if seed is not None:
            chosen["random_state"] = seed
        if within:
            step["within"] = within
        if missing_values is not None and "missing" in step:
            raise ParameterError(
                "--missing and --set missing are both given. Leave one out.",
                code="option-given-twice",
                option="missing",
            )
        own = {
            "unit": unit,
            "household": household,
            "weight": weight,
            "missing": missing_values,
        }
        step |= {name: given for name, given in own.items() if given is not None}
        plan = Plan.of(
            column,
            partitioner(method, {"k": k, "effort": effort, "budget": budget, **chosen}),
            identifiers=identifier or (),
            confidential=confidential or (),
            types=parse_type_options(type_ or []),
            shuffle=shuffle,
            random_state=seed if shuffle and not large else None,
            other_columns="release",
            **step,
        )
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
            plan,
            source,
            target,
            large=large,
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
            seed=seed,
        )
