"""``shoal inspect``: look at a file before masking it."""

from shoal.cli import _options as options
from shoal.cli._session import say, session


def inspect(
    source: options.Source,
    separator: options.Separator = None,
    decimal: options.Decimal = ".",
    encoding: options.Encoding = "utf-8",
    missing: options.Missing = "",
    sheet: options.Sheet = None,
    layout: options.Layout = None,
    table: options.Table = None,
    json: options.Json = False,
) -> None:
    """Show the columns of SOURCE, how telling they are, and which roles they may have."""
    with session():
        from shoal.table.database import shown as place
        from shoal.table.dialect import Dialect
        from shoal.table.files import read
        from shoal.table.inspect import inspect as look
        from shoal.table.inspect import shown

        dialect = Dialect(separator, decimal, encoding, missing, sheet, layout, table)
        found = look(read(source, dialect=dialect))
        say(found, f"{place(source)}\n{shown(found)}", as_json=json, quiet=False)
