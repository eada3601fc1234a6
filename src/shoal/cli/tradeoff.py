"""``shoal tradeoff``: the trade-off between distortion and dependence."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import _options as options
from shoal.cli._columns import split_lists
from shoal.cli._session import print_result, session
from shoal.cli._settings import parse_numbers

RequiredConfidential = Annotated[
    list[str],
    typer.Option("--confidential", metavar=options.COLUMNS, help="Confidential columns."),
]
Plot = Annotated[
    Path | None, typer.Option("--plot", metavar="FILE", help="Plot of the curves: .svg or .png.")
]
DEPENDENCE = ("0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1")


def tradeoff(
    source: options.Source,
    column: options.Columns,
    confidential: RequiredConfidential,
    k: options.KValues,
    reading: options.ReadOptions,
    dependence: options.DependenceValues = DEPENDENCE,  # type: ignore[assignment]
    method: options.Method = "mdav",
    identifier: options.Identifiers = None,
    unit: options.Unit = None,
    household: options.Household = None,
    types: options.Types = None,
    n_jobs: options.NJobs = None,
    plot: Plot = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Mask SOURCE with several values of dependence and k; release nothing.

    Shows the distortion of the masked columns against the dependence that is preserved.
    """
    with session(quiet=quiet):
        from shoal.comparison.tradeoff import best_relative, by_k, knee, sweep
        from shoal.errors import FileError
        from shoal.frame.types import as_types, parse_type_options
        from shoal.io.files import open_source, typed_table
        from shoal.io.publish import Publication
        from shoal.plan.interpretation import inferred_types
        from shoal.report.tradeoff import draw_tradeoff, tradeoff_text

        k_values = parse_numbers(k, int, "-k")
        shares = parse_numbers(dependence, float, "--dependence")
        if plot is not None and plot.suffix.lower() not in (".svg", ".png"):
            raise FileError(
                f"{plot.name!r} is not the name of a picture. Use .svg or .png.",
                code="picture-ending",
                file=plot.name,
            )
        with Publication(force=force) as publication:
            temporary_path = publication.add(plot) if plot is not None else None
            opened_source = open_source(source, dialect=reading.dialect(), numbers=())
            columns, confidential_columns, identifiers = split_lists(
                [column, confidential, identifier], lambda: opened_source.table.column_names
            )
            column, confidential, identifier = (
                columns or [],
                confidential_columns or [],
                identifiers,
            )
            declared_types = inferred_types(
                opened_source, column, as_types(parse_type_options(types or []))
            )
            points = sweep(
                typed_table(opened_source, declared_types),
                column,
                confidential,
                k=k_values,
                lambdas=shares,
                method=method,
                types=declared_types,
                identifiers=identifier or (),
                unit=unit,
                household=household,
                n_jobs=n_jobs,
            )
            if plot is not None and temporary_path is not None:
                draw_tradeoff(points, temporary_path, plot.suffix.lower()[1:])
        knees = {size: knee(curve).dependence for size, curve in by_k(points).items()}
        relative = {size: best_relative(curve).dependence for size, curve in by_k(points).items()}
        content = {
            "points": [asdict(point) for point in points], "knee": knees, "relative": relative
        }  # fmt: skip
        text = tradeoff_text(points) + (f"\n{plot}: the curves" if plot else "")
        print_result(content, text, as_json=json, quiet=quiet)
