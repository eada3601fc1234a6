"""``shoal tradeoff``: the trade-off between distortion and dependence."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import options
from shoal.cli.console.session import print_result, session
from shoal.cli.parsing.column_options import parse_type_options
from shoal.cli.parsing.columns import split_lists
from shoal.cli.parsing.settings import parse_numbers
from shoal.errors import FileError

if TYPE_CHECKING:
    from shoal.comparison.tradeoff import TradeoffPoint

Plot = Annotated[
    Path | None, typer.Option("--plot", metavar="FILE", help="Plot of the curves: .svg or .png.")
]
DEPENDENCE = ("0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1")


def tradeoff(
    source: options.Source,
    column: options.Columns,
    confidential: options.RequiredConfidential,
    k: options.KValues,
    read_options: options.ReadOptions,
    dependence: options.DependenceValues = DEPENDENCE,  # type: ignore[assignment]
    method: options.Method = "mdav",
    identifier: options.Identifiers = None,
    unit: options.Unit = None,
    household: options.Household = None,
    types: options.Types = None,
    seed: options.Seed = None,
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
        from shoal.io.publish import Publication
        from shoal.report.tradeoff import draw_tradeoff, tradeoff_text

        k_values = parse_numbers(k, int, "-k")
        shares = parse_numbers(dependence, float, "--dependence")
        _check_plot_suffix(plot)
        with Publication(force=force) as publication:
            temporary_path = publication.add(plot) if plot is not None else None
            points = _sweep(
                source,
                read_options,
                [column, confidential, identifier],
                types,
                k=k_values,
                lambdas=shares,
                method=method,
                unit=unit,
                household=household,
                random_state=seed,
                n_jobs=n_jobs,
            )
            if plot is not None and temporary_path is not None:
                draw_tradeoff(points, temporary_path, plot.suffix.lower()[1:])
        text = tradeoff_text(points) + (f"\n{plot}: the curves" if plot else "")
        print_result(_content(points), text, as_json=json, quiet=quiet)


def _check_plot_suffix(plot: Path | None) -> None:
    """Refuse a plot that is neither .svg nor .png."""
    if plot is not None and plot.suffix.lower() not in (".svg", ".png"):
        raise FileError(
            f"{plot.name!r} has an unsupported suffix. Use .svg or .png.",
            code="picture-ending",
            file=plot.name,
        )


def _sweep(
    source: str,
    read_options: options.ReadOptions,
    lists: Sequence[list[str] | None],
    types: list[str] | None,
    **sweep_options: Any,
) -> "list[TradeoffPoint]":
    """Read the source and mask it with every k and dependence.

    ``lists`` are the columns to mask, the confidential columns and the identifiers.
    """
    from shoal.comparison.tradeoff import sweep
    from shoal.frame.types import as_types
    from shoal.io.files import open_source, typed_table
    from shoal.plan.interpretation import types_of_columns

    opened_source = open_source(source, dialect=read_options.dialect(), numbers=())
    columns, confidential, identifiers = (
        names or [] for names in split_lists(lists, lambda: opened_source.table.column_names)
    )
    declared_types = as_types(parse_type_options(types or []))
    all_types = types_of_columns(opened_source, columns, declared_types)
    return sweep(
        typed_table(opened_source, all_types),
        columns,
        confidential,
        types=all_types,
        identifiers=identifiers,
        **sweep_options,
    )


def _content(points: "list[TradeoffPoint]") -> dict[str, Any]:
    """Return the points of a sweep for JSON, with two suggested values of dependence for each k."""
    from shoal.comparison.tradeoff import by_k, knee, largest_relative_surplus

    curves = by_k(points).items()
    return {
        "points": [asdict(point) for point in points],
        "knee": {k: knee(curve).dependence for k, curve in curves},
        "relative": {k: largest_relative_surplus(curve).dependence for k, curve in curves},
    }
