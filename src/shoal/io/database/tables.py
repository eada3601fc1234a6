"""Tables of databases: conversion of types, reading and writing."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from shoal import _progress as progress
from shoal.errors import ColumnError, FileError
from shoal.frame.arrow_types import value_type
from shoal.io.metadata import ColumnMetadata, FileMetadata
from shoal.io.source import Source

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from sqlalchemy.types import TypeEngine

ROWS_PER_INSERT = 5_000
_ROW_ID = {"sqlite": "rowid", "postgresql": "ctid"}  # orders the rows of a new table


def read(
    connection: "Connection", schema: str | None, name: str, *, as_written: bool = False
) -> Source:
    """Read a table in the order of its primary key, or else in the database's own order.

    With ``as_written``, a table that was just created is read in the order of insertion.
    """
    import sqlalchemy as sa

    table = sa.Table(name, sa.MetaData(), schema=schema, autoload_with=connection)
    family = connection.dialect.name
    query = sa.select(*[_select_expression(column, family) for column in table.columns])
    order = _ROW_ID.get(family) if as_written else None
    ordered_query = query.order_by(*([sa.text(order)] if order else table.primary_key.columns))
    rows = connection.execute(ordered_query).fetchall()
    columns = [
        _to_array(column, [row[i] for row in rows], family)
        for i, column in enumerate(table.columns)
    ]
    names = [str(column.name) for column in table.columns]
    column_metadata = {
        str(column.name): ColumnMetadata(
            label=column.comment or None, sql_type=_declared_type(column.type, connection)
        )
        for column in table.columns
    }
    return Source(pa.Table.from_arrays(columns, names=names), FileMetadata(family, column_metadata))


def write(
    source: Source, connection: "Connection", schema: str | None, name: str, *, replace: bool
) -> list[str]:
    """Create the table in the connection's transaction; return sentences about lost metadata."""
    import sqlalchemy as sa

    family = connection.dialect.name
    sql_types = {field.name: _sql_type(field, family) for field in source.table.schema}
    declared_types = {
        column: _type_from_text(declared_text)
        for column in sql_types
        if source.metadata.family == family
        and (declared_text := source.metadata.of_column(column).sql_type)
    }
    columns = [
        sa.Column(
            column,
            declared_types.get(column, sql_type),
            comment=source.metadata.of_column(column).label,
        )
        for column, sql_type in sql_types.items()
    ]
    new_table = sa.Table(name, sa.MetaData(), *columns, schema=schema)
    if replace:
        new_table.drop(connection)
    new_table.create(connection)
    cells: dict[str, Any] = {}
    for i, (column, sql_type) in enumerate(sql_types.items()):
        cells[column] = sa.bindparam(f"c{i}", type_=sql_type)
        if column in declared_types and family != "sqlite":  # SQLite converts values itself
            cells[column] = sa.cast(cells[column], declared_types[column])
    remarks = _insert(connection, sa.insert(new_table).values(cells), source.table)
    supported = ("labels",) if connection.dialect.supports_comments else ()
    return [*remarks, *source.metadata.describe_loss("A table of this database", supported, family)]


def _insert(connection: "Connection", statement: Any, table: pa.Table) -> list[str]:
    """Insert the records; return remarks on lost precision."""
    remarks = []
    for i, field in enumerate(table.schema):
        if pa.types.is_timestamp(field.type) and field.type.unit == "ns":
            microseconds = table.column(i).cast(pa.timestamp("us", field.type.tz), safe=False)
            if not microseconds.cast(field.type).equals(table.column(i)):
                remarks.append(f"Column {field.name!r} loses its nanoseconds in a database.")
            table = table.set_column(i, field.name, microseconds)
    n_done = 0
    for batch in table.to_batches(max_chunksize=ROWS_PER_INSERT):
        cells = zip(*(column.to_pylist() for column in batch.columns), strict=True)
        connection.execute(
            statement, [{f"c{i}": cell for i, cell in enumerate(row)} for row in cells]
        )
        n_done += batch.num_rows
        # A listener may stop the run here, while the transaction can still be rolled back.
        progress.report("writing", n_done, table.num_rows)
    return remarks


def _select_expression(column: Any, family: str) -> Any:
    """Return the expression that selects a column: as text if Arrow does not have its type."""
    import sqlalchemy as sa

    if family == "sqlite":  # a cell may hold any kind of value, whatever the column declares
        return sa.type_coerce(column, sa.types.NullType())
    return column if _arrow_type(column.type) is not None else sa.cast(column, sa.Text)


def _arrow_type(sql_type: "TypeEngine[Any]") -> pa.DataType | str | None:
    """Return the Arrow type of a plain SQL type, ``"decimal"`` for exact decimals, or None."""
    import sqlalchemy as sa

    if isinstance(sql_type, sa.Enum):
        return None
    if isinstance(sql_type, sa.Numeric) and not isinstance(sql_type, sa.Float):
        return "decimal"
    zoned = (
        pa.timestamp("us", "UTC") if getattr(sql_type, "timezone", False) else pa.timestamp("us")
    )
    arrow_types: Sequence[tuple[type, Any]] = (
        (sa.SmallInteger, pa.int16()),
        (sa.BigInteger, pa.int64()),
        (sa.Integer, pa.int32()),
        (sa.REAL, pa.float32()),
        (sa.Float, pa.float64()),
        (sa.Boolean, pa.bool_()),
        (sa.DateTime, zoned),
        (sa.Date, pa.date32()),
        (sa.String, pa.string()),
        (sa.LargeBinary, pa.binary()),
    )
    return next((arrow_type for cls, arrow_type in arrow_types if isinstance(sql_type, cls)), None)


def _to_array(column: Any, cells: list[Any], family: str) -> pa.Array:
    """Return the cells of a column as an Arrow array; refuse a mixture of types."""
    arrow_type = None if family == "sqlite" else (_arrow_type(column.type) or pa.string())
    try:
        if arrow_type == "decimal":
            return _decimals(column.type, cells)
        python_types = {type(cell) for cell in cells if cell is not None}
        if arrow_type is None and python_types == {int, float}:
            return pa.array([None if cell is None else float(cell) for cell in cells], pa.float64())
        if arrow_type is None and len(python_types) > 1:
            raise TypeError  # Arrow would take text for bytes
        return pa.array(cells, arrow_type)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, ValueError, TypeError):
        raise ColumnError(
            f"Column {str(column.name)!r} mixes kinds of values, or contains values that a table"
            " cannot represent. Leave it out with a view, or correct it.",
            code="mixed-values",
            column=str(column.name),
        ) from None


def _decimals(sql_type: Any, cells: list[Any]) -> pa.Array:
    """Return exact decimals, or floats if the column contains NaN or infinite values."""
    if any(cell is not None and not cell.is_finite() for cell in cells):
        return pa.array([None if cell is None else float(cell) for cell in cells], pa.float64())
    if sql_type.precision and sql_type.scale is not None and sql_type.precision <= 76:
        decimal_type = pa.decimal128 if sql_type.precision <= 38 else pa.decimal256
        return pa.array(cells, decimal_type(sql_type.precision, sql_type.scale))
    return pa.array(cells, None if any(cell is not None for cell in cells) else pa.float64())


def _declared_type(sql_type: "TypeEngine[Any]", connection: "Connection") -> str | None:
    """Return an SQL type in the syntax of its database, or None for user-defined types."""
    import sqlalchemy as sa

    if isinstance(sql_type, sa.Enum | sa.types.NullType) or type(sql_type).__name__ == "DOMAIN":
        return None
    return str(sql_type.compile(dialect=connection.dialect))


def _sql_type(field: pa.Field, family: str) -> Any:
    """Return the SQL type that stores values of an Arrow type."""
    import sqlalchemy as sa

    arrow_type = value_type(field.type)
    if pa.types.is_decimal(arrow_type):
        return (
            sa.Float() if family == "sqlite" else sa.Numeric(arrow_type.precision, arrow_type.scale)
        )
    if pa.types.is_timestamp(arrow_type):
        return sa.DateTime(timezone=arrow_type.tz is not None)
    sql_types: Sequence[tuple[Any, Any]] = (
        (pa.types.is_boolean, sa.Boolean()),
        (pa.types.is_uint64, sa.Numeric(20, 0)),
        (lambda t: pa.types.is_integer(t) and t.bit_width <= 16, sa.SmallInteger()),
        (lambda t: pa.types.is_integer(t) and t.bit_width <= 32, sa.Integer()),
        (pa.types.is_integer, sa.BigInteger()),
        (pa.types.is_float32, sa.REAL()),
        (pa.types.is_floating, sa.Double()),
        (pa.types.is_date, sa.Date()),
        (pa.types.is_time, sa.Time()),
        (pa.types.is_binary, sa.LargeBinary()),
        (pa.types.is_string, sa.Text()),
        (pa.types.is_large_string, sa.Text()),
        (pa.types.is_null, sa.Text()),
    )
    for is_of_type, sql_type in sql_types:
        if is_of_type(arrow_type):
            return sql_type
    raise FileError(
        f"Column {field.name!r} contains {arrow_type} values, which a database cannot hold. Convert"
        " it to text first.",
        code="type-not-writable",
        column=field.name,
        kind=str(arrow_type),
    )


def _type_from_text(declared_text: str) -> Any:
    """Return an SQL type from its text in the syntax of the database."""
    import sqlalchemy as sa

    class TextType(sa.types.UserDefinedType):  # type: ignore[type-arg]
        cache_ok = True

        def __init__(self, declared_text: str):
            self.declared_text = declared_text

        def get_col_spec(self, **options: Any) -> str:
            return self.declared_text

    return TextType(declared_text)
