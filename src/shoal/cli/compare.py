"""``shoal compare``: many plans on one file, on the risk-utility map."""

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli import _options as options
from shoal.cli._session import numbers, say, session, settings

Sizes = Annotated[list[str], typer.Option("-k", "--k", help="Values of k to try, as in 3 5 10.")]
Methods = Annotated[
    list[str], typer.Option("-m", "--method", help="Methods to try; see 'shoal methods'.")
]
Shares = Annotated[
    list[str],
    typer.Option("--dependence", help="Shares of the confidential columns to try, in [0, 1]."),
]
Risk = Annotated[
    str, typer.Option("--risk", help="Risk to draw: linkage, linkage_top2 or smallest_class.")
]
Folder = Annotated[Path, typer.Option("--to", help="Folder for page, map, tables and plans.")]
Jobs = Annotated[
    int | None, typer.Option("--jobs", min=1, help="Runs at a time; as many as there are cores.")
]
Kept = Annotated[Path | None, typer.Option("--cache", help="Folder for numbers of finished runs.")]
Fresh = Annotated[
    bool, typer.Option("--no-cache", help="Run everything; keep no numbers for the next time.")
]


def compare(
    source: options.Source,
    column: options.Columns,
    k: Sizes,
    method: Methods = ["auto"],  # noqa: B006 (typer reads it and copies)
    dependence: Shares = ["0"],  # noqa: B006
    risk: Risk = "linkage",
    within: options.Within = None,
    confidential: options.Confidential = None,
    identifier: options.Identifiers = None,
    type_: options.Types = None,
    set_: options.Settings = None,
    seed: options.Seed = None,
    to: Folder = Path("comparison"),
    jobs: Jobs = None,
    cache: Kept = None,
    no_cache: Fresh = False,
    separator: options.Separator = None,
    decimal: options.Decimal = ".",
    encoding: options.Encoding = "utf-8",
    missing: options.Missing = "",
    sheet: options.Sheet = None,
    layout: options.Layout = None,
    table: options.Table = None,
    memory_limit: options.MemoryLimit = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Try every combination of k, method and dependence on SOURCE; release nothing.

    Options take several values: shoal compare in.csv -c age height --k 3 5 --method mdav vmdav.
    """
    with session(quiet=quiet):
        from shoal.cli._later import let_go
        from shoal.comparison import compare_plans
        from shoal.comparison.cache import user_folder
        from shoal.frame.types import parse_type_options
        from shoal.io.database import redact_address
        from shoal.io.dialect import Dialect
        from shoal.io.files import open_source
        from shoal.report.comparison import comparison_text, rows

        let_go()
        plans = _plans(
            column, k, [name for word in method for name in word.split(",")], dependence,
            pairs=set_ or [], seed=seed, within=within, confidential=confidential or [],
            identifiers=identifier or [], types=parse_type_options(type_ or []),
        )  # fmt: skip
        dialect = Dialect(
            separator, decimal, encoding, missing, sheet, layout, table, memory_limit=memory_limit
        )
        opened = open_source(source, dialect=dialect, numbers=())
        found = compare_plans(
            opened.with_numbers(plans[0].numeric_columns, plans[0].categorical_columns),
            plans,
            risk=risk,
            n_jobs=jobs or os.cpu_count() or 1,
            cache=None if no_cache else cache or user_folder() / "compare",
        )
        found.save(to, force=force)
        content = rows(found)
        line = f"{comparison_text(content, risk)}\n{to / 'comparison.html'}: the map"
        best = next(row["plan"] for row in content if row["front"])
        line += f"\nTo release one of them: shoal run {to / best} {redact_address(source)} TARGET"
        say({"folder": str(to), "risk": risk, "runs": content}, line, as_json=json, quiet=quiet)


def _plans(
    columns: list[str],
    k: list[str],
    methods: list[str],
    dependence: list[str],
    *,
    pairs: list[str],
    seed: int | None,
    **shared: Any,
) -> list[Any]:
    """Return the plans of the grid; ``--set`` goes to the methods that take it."""
    from shoal import _params as parameters
    from shoal.comparison import grid
    from shoal.partitioners import METHODS

    chosen: dict[str, Any] = {} if seed is None else {"random_state": seed}
    for pair in pairs:
        name = pair.partition("=")[0]
        takes = [
            m
            for m in methods
            if m in METHODS and name in parameters.signature_parameters(METHODS[m])
        ]
        step, options = settings([pair], takes[0] if takes else methods[0])
        chosen |= step | options
    if shared["within"] is None:
        del shared["within"]
    return grid(
        columns,
        k=numbers(" ".join(k), int, "--k"),
        method=methods,
        dependence=numbers(" ".join(dependence), float, "--dependence"),
        **shared,
        **chosen,
    )
