"""``shoal tradeoff``: how much distortion buys how much dependence."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import _options as options
from shoal.cli._session import numbers, say, session

Sizes = Annotated[str, typer.Option("-k", "--k", help="Values of k to try, as in 3,5,10.")]
Lambdas = Annotated[
    str, typer.Option("--lambdas", help="Shares of the confidential columns to try, in [0, 1].")
]
Secret = Annotated[
    list[str], typer.Option("--confidential", help="Confidential column; repeat for more.")
]
Plot = Annotated[Path | None, typer.Option("--plot", help="Draw the curves here: .svg or .png.")]


def tradeoff(
    source: options.Source,
    column: options.Columns,
    confidential: Secret,
    k: Sizes,
    lambdas: Lambdas = "0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1",
    method: options.Method = "mdav",
    type_: options.Types = None,
    plot: Plot = None,
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
    """Try several lambda and k on SOURCE: distortion of columns against dependence kept."""
    with session(quiet=quiet):
        from shoal.comparison.tradeoff import knee, sweep
        from shoal.errors import FileError
        from shoal.frame.types import as_types, parse_type_options
        from shoal.io.dialect import Dialect
        from shoal.io.files import read_typed
        from shoal.io.publish import Publication
        from shoal.report.tradeoff import by_k, draw_tradeoff, tradeoff_text

        sizes, shares = numbers(k, int, "--k"), numbers(lambdas, float, "--lambdas")
        if plot is not None and plot.suffix.lower() not in (".svg", ".png"):
            raise FileError(
                f"{plot.name!r} is no picture. Use .svg or .png.",
                code="picture-ending",
                file=plot.name,
            )
        with Publication(force=force) as publication:
            part = publication.add(plot) if plot is not None else None
            dialect = Dialect(
                separator,
                decimal,
                encoding,
                missing,
                sheet,
                layout,
                table,
                memory_limit=memory_limit,
            )
            types = as_types(parse_type_options(type_ or []))
            data = read_typed(source, types, dialect)
            points = sweep(
                data, column, confidential, k=sizes, lambdas=shares, method=method, types=types
            )
            if plot is not None and part is not None:
                draw_tradeoff(points, part, plot.suffix.lower()[1:])
        best = {size: knee(curve).dependence for size, curve in by_k(points).items()}
        found = {"points": [asdict(point) for point in points], "knee": best}
        line = tradeoff_text(points) + (f"\n{plot}: the curves" if plot else "")
        say(found, line, as_json=json, quiet=quiet)
