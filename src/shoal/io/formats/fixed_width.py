"""Fixed-width text, whose columns have the positions that a column map declares.

The column map is a TOML file with one table per column::

    [[columns]]
    name = "age"
    start = 4          # the first character of a line is 1
    width = 3
    type = "number"    # or "text", the default
"""

import tomllib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from shoal._params import hint
from shoal.errors import FileError, ParameterError
from shoal.frame.types import Type
from shoal.io.compression import open_decompressed_text
from shoal.io.dialect import Dialect
from shoal.io.size_limits import check_growth
from shoal.io.source import Source
from shoal.io.text_tables.numbers import parse_columns
from shoal.io.text_tables.reading import MAX_LINE, wrong_encoding_error
from shoal.io.text_tables.style import open_styled, read_style
from shoal.io.text_tables.writing import cell_texts

KEYS = ("name", "start", "width", "type")
TYPES = ("text", "number")


@dataclass(frozen=True)
class Position:
    """Position of a column in a line.

    Parameters
    ----------
    name : str
        The column.
    start : int
        Its first character, counted from 1.
    width : int
        Its number of characters.
    type : str
        ``"text"``, aligned left, or ``"number"``, aligned right.
    """

    name: str
    start: int
    width: int
    type: str = "text"

    @property
    def end(self) -> int:
        """The last character of the column, counted from 1."""
        return self.start + self.width - 1


def read(path: Path, dialect: Dialect, numbers: Collection[str] | None) -> Source:
    """Read a fixed-width table; parse ``numbers`` (None: every numeric column of the map)."""
    positions = read_layout(dialect, path)
    cells: list[list[str]] = [[] for _ in positions]
    last_character = max(position.end for position in positions)
    for line in _lines(path, dialect, last_character):
        for column, position in zip(cells, positions, strict=True):
            cell = line[position.start - 1 : position.end].rstrip()
            column.append(cell.lstrip() if position.type == "number" else cell)
    names = [position.name for position in positions]
    table = pa.Table.from_arrays([pa.array(column, pa.string()) for column in cells], names=names)
    numeric = [position.name for position in positions if position.type == "number"]
    parsed = parse_columns(table, [n for n in numeric if numbers is None or n in numbers], dialect)
    declared_types: dict[str, Any] = {
        position.name: Type("numeric") if position.type == "number" else "text"
        for position in positions
    }
    style = read_style(path, dialect)
    return Source(parsed, text_dialect=dialect, style=style, declared_types=declared_types)


def write(source: Source, path: Path, dialect: Dialect, target: Path) -> list[str]:
    """Write a fixed-width table, with blanks for columns of the map that are not released."""
    positions = sorted(read_layout(dialect, target), key=lambda position: position.start)
    table = source.table
    names_in_map = {position.name for position in positions}
    for name in table.column_names:
        if name not in names_in_map:
            raise FileError(
                f"The column map has no position for {name!r}.{hint(name, names_in_map)} Add it, or"
                " drop the column.",
                code="layout-lacks-column",
                column=name,
            )
    padded_columns = []
    next_character = 1
    for position in positions:
        if position.start > next_character:
            padded_columns.append(
                pa.array([" " * (position.start - next_character)] * table.num_rows)
            )
        padded_columns.append(_field(table, position, dialect))
        next_character = position.end + 1
    lines = pc.binary_join_element_wise(*padded_columns, "")
    with open_styled(path, dialect, source.style, target) as file:
        file.writelines(f"{line}{source.style.line_end}" for line in lines.to_pylist())
    return source.metadata.describe_loss("A fixed-width table", (), "text")


def read_layout(dialect: Dialect, path: Path) -> list[Position]:
    """Read the column map; refuse a malformed map and overlapping columns."""
    if dialect.layout is None:
        raise ParameterError(
            f'{path.name!r} is fixed-width text: give its column map with `layout="map.toml"`.',
            code="layout-needed",
            file=path.name,
        )
    culprit = dialect.layout.name
    columns = _layout_entries(dialect.layout)
    positions = [
        _position(entry, f"Column {i} of {culprit!r}") for i, entry in enumerate(columns, 1)
    ]
    positions_by_start = sorted(positions, key=lambda position: position.start)
    for previous, following in zip(positions_by_start, positions_by_start[1:], strict=False):
        if following.start <= previous.end:
            raise FileError(
                f"Columns {previous.name!r} and {following.name!r} of {culprit!r} overlap. Correct"
                " start or width.",
                code="layout-overlaps",
                file=culprit,
                columns=(previous.name, following.name),
            )
    return positions


def _layout_entries(layout: Path) -> list[Any]:
    """Return the entries of the columns in a column map, unchecked."""
    try:
        entries = tomllib.loads(layout.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError.unreadable(layout, error) from None
    except ValueError as error:  # a UnicodeDecodeError or a TOMLDecodeError
        raise FileError(
            f"{layout.name!r} cannot be read as a column map: {error}.",
            code="layout-malformed",
            file=layout.name,
        ) from None
    columns = entries.get("columns")
    if not isinstance(columns, list) or not columns or set(entries) != {"columns"}:
        raise FileError(
            f"{layout.name!r} is not a column map, which is a list of [[columns]].",
            code="layout-malformed",
            file=layout.name,
        )
    return columns


def _position(entry: Any, culprit: str) -> Position:
    """Return the position that an entry of the map declares; messages name it ``culprit``."""
    if not isinstance(entry, dict):
        raise FileError(
            f"{culprit} is not a table. Write [[columns]] above each.", code="layout-malformed"
        )
    for key in entry:
        if key not in KEYS:
            raise FileError(
                f"{culprit} has the unknown key {key!r}.{hint(str(key), KEYS)} The keys are:"
                f" {', '.join(KEYS)}.",
                code="unknown-key",
                key=key,
            )
    name, kind = entry.get("name"), entry.get("type", "text")
    if not isinstance(name, str) or not name:
        raise FileError(f'{culprit} needs a name: name = "age".', code="layout-malformed")
    for key in ("start", "width"):
        if type(entry.get(key)) is not int or not 1 <= entry[key] <= MAX_LINE:
            raise FileError(
                f"{culprit}, {name!r}, needs {key} = a whole number from 1.",
                code="layout-malformed",
                column=name,
            )
    if kind not in TYPES:
        raise FileError(
            f"{culprit}, {name!r}, has the type {kind!r}. Use text or number.",
            code="layout-malformed",
            column=name,
        )
    return Position(name, entry["start"], entry["width"], kind)


def _lines(path: Path, dialect: Dialect, last_character: int) -> Iterator[str]:
    """Yield the lines without line endings; refuse a line with text beyond the map."""
    file_size = path.stat().st_size
    n_read = 0
    try:
        with open_decompressed_text(path, dialect.encoding_read) as file:
            number = 0
            while line := file.readline(MAX_LINE):
                number += 1
                n_read += len(line)
                check_growth(path.name, file_size, n_read, dialect.memory_limit)
                line = line.rstrip("\r\n\x1a")
                if len(line) > last_character and line[last_character:].strip():
                    raise FileError(
                        f"Line {number} of {path.name!r} has {len(line):,} characters; the"
                        f" column map ends at {last_character}. Add the remaining columns to the"
                        " map.",
                        code="line-beyond-layout",
                        file=path.name,
                        line=number,
                        length=len(line),
                    )
                if line:  # a line of blanks is a record whose values are all missing
                    yield line
    except UnicodeError:
        raise wrong_encoding_error(path, dialect) from None


def _field(table: pa.Table, position: Position, dialect: Dialect) -> Any:
    """Return the cells of a column, padded with blanks."""
    if position.name not in table.column_names:
        return pa.array([" " * position.width] * table.num_rows)
    column = pa.concat_arrays(table.column(position.name).chunks)
    cells = cell_texts(column, position.name, dialect)
    longest = pc.max(pc.utf8_length(cells)).as_py()
    if longest > position.width:
        raise FileError(
            f"Column {position.name!r} needs {longest} characters and has {position.width} in the"
            " column map. Round it with `decimals`, widen the map, or write another format.",
            code="value-too-wide",
            column=position.name,
            width=position.width,
            needed=longest,
        )
    if pc.any(pc.match_substring_regex(cells, "[\r\n]")).as_py():
        raise FileError(
            f"Column {position.name!r} contains line breaks, which a fixed-width table cannot hold."
            " Write another format.",
            code="line-ends",
            column=position.name,
        )
    pad = pc.utf8_lpad if position.type == "number" else pc.utf8_rpad
    return pad(cells, position.width, " ")
