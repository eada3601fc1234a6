"""Files become pieces that one worker reads at a time."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from shoal.errors import ColumnError, FileError, InputError
from shoal.frame import tables

BATCH = 50_000  # records that are decoded at a time


@dataclass(frozen=True)
class Piece:
    """Some row groups of a Parquet file.

    Parameters
    ----------
    path : str
        The file.
    row_groups : tuple of int
        The row groups, by number.
    records : int
        Number of records in them.
    """

    path: str
    row_groups: tuple[int, ...]
    records: int


class Footer(NamedTuple):
    """What the end of a Parquet file says: columns, lengths of row groups, ordered categories."""

    schema: pa.Schema
    lengths: list[int]
    ordered: frozenset[str] = frozenset()


def read_footer(path: str) -> Footer:
    """Return the columns of a file and the lengths of its row groups."""
    with _reading(path), pq.ParquetFile(path) as file:
        groups = range(file.metadata.num_row_groups)
        lengths = [file.metadata.row_group(at).num_rows for at in groups]
        schema = file.schema_arrow
        _check_names(schema, path)
        return Footer(_usual(schema), lengths, frozenset(f.name for f in schema if _ordered(f)))


def cut_pieces(paths: Sequence[str], footers: Sequence[Footer], most: int) -> list[Piece]:
    """Return pieces of about ``most`` records; a row group is never cut.

    Files must have the same columns of the same types.
    """
    first = footers[0].schema
    pieces: list[Piece] = []
    for path, (schema, lengths, _) in zip(paths, footers, strict=True):
        _check_same(first, schema, paths[0], path)
        chosen: list[int] = []
        for at in range(len(lengths)):
            chosen.append(at)
            records = sum(lengths[one] for one in chosen)
            if records >= most or at + 1 == len(lengths):
                pieces.append(Piece(path, tuple(chosen), records))
                chosen = []
    if not sum(piece.records for piece in pieces):
        raise InputError("The data hold no records.", code="no-records")
    return [piece for piece in pieces if piece.records]


def batches(
    piece: Piece, columns: Sequence[str], needed: Sequence[str], most: int = BATCH
) -> Iterator[pa.Table]:
    """Yield the records of a piece, some columns of them, in parts that are never empty.

    Records that lack a value in the columns ``needed`` are left out. No part has more than
    ``most`` records.
    """
    seen = 0
    with _reading(piece.path), _parquet(piece.path) as file:
        size = min(BATCH, most)
        for batch in file.iter_batches(size, list(piece.row_groups), columns=list(columns)):
            seen += len(batch)
            table = usual(pa.Table.from_batches([batch]).select(list(columns)))
            if needed and len(table):
                lacking = tables.has_missing(tables.open_frame(table), needed)
                table = table.filter(pa.array(~lacking))
            if len(table):
                yield table
    if seen != piece.records:
        raise FileError(
            f"{Path(piece.path).name!r} changed while it was read. Run again.",
            code="file-changed",
            file=Path(piece.path).name,
        )


def read_columns(path: str, columns: Sequence[str]) -> pa.Table:
    """Return some columns of all records of a file."""
    with _reading(path), _parquet(path) as file:
        return file.read(columns=list(columns)).select(list(columns))


def usual(table: pa.Table) -> pa.Table:
    """Return a table without notes, and without types that files know alone or nothing sorts."""
    return one_zero(table.cast(_usual(table.schema)))


def one_zero(table: pa.Table) -> pa.Table:
    """Return a table without negative zeros, and with one kind of what is not a number.

    They are equal, so nothing could sort records that differ in them alone.
    """
    for at, field in enumerate(table.schema):
        if field.type in (pa.float32(), pa.float64()):
            column = pc.add(table.column(at), pa.scalar(0.0, field.type))
            column = pc.if_else(pc.is_nan(column), pa.scalar(float("nan"), field.type), column)
            table = table.set_column(at, field, column)
    return table


def sorted_by(table: pa.Table, columns: Sequence[str]) -> pa.Table:
    """Return the records in the order of some columns, then of all others.

    Records that are still equal are equal throughout, so this order depends on nothing else.
    """
    names = [*columns, *(name for name in table.column_names if name not in columns)]
    keys = pa.table([table.column(name) for name in names], [str(at) for at in range(len(names))])
    return table.take(pc.sort_indices(keys, [(name, "ascending") for name in keys.column_names]))


def check_sortable(schema: pa.Schema) -> None:
    """Refuse columns of types that have no order."""
    for field in schema:
        if not _sortable(field.type):
            raise ColumnError(
                f"Column {field.name!r} holds {field.type} values, which have no order that"
                " released records could be sorted by. Leave it out, or turn it into text.",
                code="no-order",
                column=field.name,
            )


def _sortable(kind: Any) -> bool:
    if pa.types.is_struct(kind):  # one that is empty is never looked into
        return all(_sortable(field.type) for field in kind)
    try:
        pc.sort_indices(pa.table({"x": pa.array([], kind)}), [("x", "ascending")])
    except (pa.ArrowTypeError, pa.ArrowNotImplementedError):
        return False
    return True


def _parquet(path: str) -> pq.ParquetFile:
    """Open a file so that it is read in small bites, and damage is seen where it can be."""
    return pq.ParquetFile(path, buffer_size=2**20, page_checksum_verification=True)


def _usual(schema: pa.Schema) -> pa.Schema:
    return pa.schema([pa.field(field.name, _plain(field.type)) for field in schema])


def _plain(kind: Any) -> Any:
    if pa.types.is_dictionary(kind):
        return _plain(kind.value_type)
    others = {
        pa.string_view(): pa.large_string(),
        pa.binary_view(): pa.large_binary(),
        pa.float16(): pa.float32(),
    }
    return others.get(kind, kind)


def _check_same(first: pa.Schema, other: pa.Schema, path: str, another: str) -> None:
    one = {field.name: field.type for field in first}
    two = {field.name: field.type for field in other}
    differ = [name for name in {**one, **two} if one.get(name) != two.get(name)]
    if differ:
        raise FileError(
            f"{Path(another).name!r} and {Path(path).name!r} differ in column {differ[0]!r}: not"
            " there in both, or not of one type. Files of one table have the same columns.",
            code="files-differ",
            column=differ[0],
        )


def _check_names(schema: pa.Schema, path: str) -> None:
    twice = [name for name in dict.fromkeys(schema.names) if schema.names.count(name) > 1]
    if twice:
        raise ColumnError(
            f"{Path(path).name!r} has several columns {twice[0]!r}. Rename them: a plan could mean"
            " each of them.",
            code="name-twice",
            column=twice[0],
        )


def _ordered(field: Any) -> bool:
    return bool(pa.types.is_dictionary(field.type) and field.type.ordered)


@contextmanager
def _reading(path: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise FileError(
            f"{path!r} is gone, or a worker does not see it. Nothing was released.",
            code="file-gone",
            file=path,
        ) from None
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, InputError | FileError | ColumnError):
            raise
        raise FileError(
            f"{Path(path).name!r} is not a Parquet file, or it is damaged. Nothing was released.",
            code="file-damaged",
            file=Path(path).name,
        ) from None
