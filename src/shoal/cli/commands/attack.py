"""``shoal attack``: attack a released file with the knowledge of a part of the original."""

from typing import Annotated

import typer

from shoal.cli import options
from shoal.cli.command_limits import CommandLimits
from shoal.cli.console.session import print_result, session
from shoal.cli.options.declarations import columns_option, table_option
from shoal.cli.original import read_original
from shoal.cli.parsing.settings import split_commas

QuasiIdentifiers = Annotated[
    list[str], columns_option("-c", "--column", help="Columns that an attacker knows.")
]
Control = Annotated[
    str | None,
    typer.Option(
        "--control",
        metavar="FILE",
        help="Records of the same kind that are not in ORIGINAL, for baselines and membership.",
    ),
]
Kinds = Annotated[
    list[str] | None,
    typer.Option("--attack", metavar="ATTACK,...", help="Attacks to carry out; all by default."),
]
NAttacks = Annotated[
    int, typer.Option("--n-attacks", metavar="INT", min=1, help="Number of attacks of each kind.")
]
ReleasedTable = Annotated[
    str | None, table_option("--released-table", help="Released table in a database.")
]
Released = Annotated[
    str, typer.Argument(metavar="RELEASED", help="File or database after masking.")
]


def attack(
    original: options.Original,
    released: Released,
    column: QuasiIdentifiers,
    read_options: options.ReadOptions,
    confidential: options.Confidential = None,
    control: Control = None,
    kind: Kinds = None,
    n_attacks: NAttacks = 2000,
    unit: options.UnitOfOriginal = None,
    types: options.Types = None,
    missing_codes: options.MissingCodes = None,
    released_table: ReleasedTable = None,
    seed: options.Seed = None,
    by: options.By = None,
    min_group: options.MinGroup = 5,
    aligned: options.Aligned = False,
    limits: options.LimitsOnFigures = None,
    n_jobs: options.NJobs = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Attack RELEASED as an attacker who knows parts of ORIGINAL would.

    Prints how often each attack succeeds, with the baseline of an attacker who does not have the
    release and the ceiling that k implies. The exit code is 1 if an attack exceeds its ceiling, or
    a limit of --limits on a rate or an excess is not met.
    """
    with session(quiet=quiet):
        from shoal.metrics.attacks import attack as attack_tables

        command_limits = CommandLimits(limits, "attack")
        original_data = read_original(original, read_options.dialect(), types, missing_codes)
        quasi_identifiers, confidential, by = original_data.split(column, confidential, by)
        attacks = attack_tables(
            original_data.table,
            original_data.read_alike(released, released_table),
            quasi_identifiers=quasi_identifiers or [],
            confidential=confidential or (),
            control=None
            if control is None
            else original_data.read_alike(control, read_options.table),
            attacks=split_commas(kind) if kind else None,
            n_attacks=n_attacks,
            unit=unit,
            types=original_data.types,
            by=by,
            min_group=min_group,
            aligned=aligned or None,
            random_state=seed,
            n_jobs=n_jobs,
        )
        command_limits.check(attacks)
        content = {**attacks.to_dict(), **command_limits.content}
        print_result(content, repr(attacks) + command_limits.text, as_json=json, quiet=quiet)
        if attacks.exceeded:
            raise typer.Exit(1)
        command_limits.exit_if_not_met()
