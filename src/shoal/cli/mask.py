"""``shoal mask``: microaggregate one file into another."""

from shoal.cli import _options as options
from shoal.cli._session import release, session, settings, tell


def mask(
    source: options.Source,
    target: options.Target,
    column: options.Columns,
    k: options.K,
    method: options.Method = "auto",
    within: options.Within = None,
    confidential: options.Confidential = None,
    identifier: options.Identifiers = None,
    set_: options.Settings = None,
    seed: options.Seed = None,
    report: options.Report = None,
    audience: options.Audience = "public",
    curve: options.Curve = False,
    separator: options.Separator = None,
    decimal: options.Decimal = ".",
    encoding: options.Encoding = "utf-8",
    missing: options.Missing = "",
    force: options.Force = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Microaggregate SOURCE into TARGET."""
    with session(quiet=quiet):
        from shoal.partitioners import partitioner
        from shoal.plan import Plan
        from shoal.table.csv import Dialect

        step, chosen = settings(set_ or [], method)
        if seed is not None:
            chosen["random_state"] = seed
        if within:
            step["within"] = within
        plan = Plan.of(
            column,
            partitioner(method, {"k": k, **chosen}),
            identifiers=identifier or (),
            confidential=confidential or (),
            **step,
        )
        dialect = Dialect(separator, decimal, encoding, missing)
        made = release(
            plan,
            source,
            target,
            dialect=dialect,
            report=report,
            audience=audience,
            curve=curve,
            force=force,
        )
        tell(made, target, report, as_json=json, quiet=quiet, audience=audience)
