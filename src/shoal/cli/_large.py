"""Tables larger than memory: several Parquet files, or a folder of them, become a folder."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from shoal.cli._session import say
from shoal.errors import ParameterError

if TYPE_CHECKING:
    from shoal.plan import Plan
    from shoal.table.dialect import Dialect


# What is said about a table whose file does not say it; Parquet files do.
OF_OTHER_FILES = {
    "separator": "--separator",
    "decimal": "--decimal",
    "encoding": "--encoding",
    "missing": "--missing-text",
    "sheet": "--sheet",
    "layout": "--layout",
    "table": "--table",
    "keep_notes": "--keep-notes",
}


def is_large(sources: Sequence[str], scheduler: str | None, at_once: int | None) -> bool:
    """Say whether the command line asks for a cluster."""
    asked = scheduler is not None or at_once is not None
    return asked or len(sources) > 1 or Path(sources[0]).is_dir()


def draws(*methods: str | None) -> bool:
    """Say whether one of these methods takes a seed; the sample of a large table always does."""
    from shoal.parameters import declared
    from shoal.partitioners import METHODS

    return any("random_state" in declared(METHODS[one]) for one in methods if one in METHODS)


def mask_large(
    plan: "Plan",
    sources: Sequence[str],
    target: str,
    *,
    scheduler: str | None,
    at_once: int | None,
    force: bool,
    as_json: bool,
    quiet: bool,
    dialect: "Dialect",
    others: Mapping[str, Any],
    seed: int | None = None,
) -> None:
    """Run a plan on files that are together larger than memory, and tell what came of it."""
    _refuse(dialect, others)
    from shoal import scale
    from shoal.report import one_line

    given = {"at_once": at_once, "random_state": seed}
    options = {name: value for name, value in given.items() if value is not None}
    made = scale.mask(sources, plan, target, client=scheduler, force=force, **options)
    found = [{"name": name, "value": value} for name, value in made.measures.items()]
    summary = {
        "records": made.provenance["records"],
        "groups": [made.groups],
        "measures": found,
        "promise": {"k": plan.k},
    }
    count = len(made.files)
    line = f"{target}: {one_line(summary)}, in {count} file{'s' if count > 1 else ''}"
    told = {"target": target, **made.marker, "warnings": list(made.warnings)}
    say(told, line, as_json=as_json, quiet=quiet)
    for seed in made.drawn_seeds:
        note = f"seed {seed} was drawn; random_state = {seed} in the plan repeats this release"
        typer.echo(f"note: {note}", err=True)
    for warning in made.warnings:
        typer.secho(f"warning: {warning}", fg="yellow", err=True)


def _refuse(dialect: "Dialect", others: Mapping[str, Any]) -> None:
    """Refuse options that mean nothing here: to ignore one in silence would mislead."""
    usual = type(dialect)()
    given = [option for option, value in others.items() if value]
    for name, option in OF_OTHER_FILES.items():
        if getattr(dialect, name) != getattr(usual, name):
            given.append(option)
    if given:
        raise ParameterError(
            f"{given[0]} is for one table that fits into memory; a folder of Parquet files becomes"
            " a folder, whose file _SUCCESS holds the measures. Leave it out."
        )
