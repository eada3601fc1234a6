"""Fixed-width text: columns stand at places that a map tells.

The map is a TOML file with one table per column::

    [[columns]]
    name = "age"
    start = 4          # the first character of a line is 1
    width = 3
    type = "number"    # or "text", which is what is left out
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
from shoal.io.compression import open_compressed_text, open_decompressed_text
from shoal.io.csv import LONGEST_LINE, cell_texts, parse_columns, wrong_encoding
from shoal.io.dialect import Dialect
from shoal.io.limits import check_growth
from shoal.io.source import Source

KEYS = ("name", "start", "width", "type")
TYPES = ("text", "number")


@dataclass(frozen=True)
class Place:
    """Where a column stands in a line.

    Parameters
    ----------
    name : str
        The column.
    start : int
        Its first character, counted from 1.
    width : int
        Its number of characters.
    type : str
        ``"text"``, which stands at the left, or ``"number"``, which stands at the right.
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
    """Read a fixed-width table; parse ``numbers`` (None: every column the map calls a number)."""
    places = read_layout(dialect, path)
    cells: list[list[str]] = [[] for _ in places]
    last = max(place.end for place in places)
    for line in _lines(path, dialect, last):
        for column, place in zip(cells, places, strict=True):
            cell = line[place.start - 1 : place.end].rstrip()
            column.append(cell.lstrip() if place.type == "number" else cell)
    names = [place.name for place in places]
    table = pa.Table.from_arrays([pa.array(column, pa.string()) for column in cells], names=names)
    wanted = [place.name for place in places if place.type == "number"]
    parsed = parse_columns(table, [n for n in wanted if numbers is None or n in numbers], dialect)
    return Source(parsed, text=dialect)


def write(source: Source, path: Path, dialect: Dialect, target: Path) -> list[str]:
    """Write a fixed-width table; a column of the map that is not released is left blank."""
    places = sorted(read_layout(dialect, target), key=lambda place: place.start)
    table = source.table
    known = {place.name for place in places}
    for name in table.column_names:
        if name not in known:
            raise FileError(
                f"The column map has no place for {name!r}.{hint(name, known)} Add it, or drop the"
                " column.",
                code="layout-lacks-column",
                column=name,
            )
    fields, at = [], 1
    for place in places:
        if place.start > at:
            fields.append(pa.array([" " * (place.start - at)] * table.num_rows))
        fields.append(_field(table, place, dialect))
        at = place.end + 1
    lines = pc.binary_join_element_wise(*fields, "")
    try:
        with open_compressed_text(path, dialect.encoding, target) as file:
            file.writelines(f"{line}\n" for line in lines.to_pylist())
    except UnicodeEncodeError:
        raise FileError(
            f"The table holds characters that {dialect.encoding} cannot write. Use"
            ' `encoding="utf-8"`.',
            code="cannot-encode",
            encoding=dialect.encoding,
        ) from None
    return source.notes.without_place("A fixed-width table", (), "text")


def read_layout(dialect: Dialect, path: Path) -> list[Place]:
    """Read the column map; refuse one that is no map or whose columns overlap."""
    if dialect.layout is None:
        raise ParameterError(
            f'{path.name!r} is fixed-width text: give its column map with `layout="map.toml"`.',
            code="layout-needed",
            file=path.name,
        )
    culprit = dialect.layout.name
    try:
        entries = tomllib.loads(dialect.layout.read_text(encoding="utf-8"))
    except OSError as error:
        reason = (error.strerror or "the disk said no").lower()
        raise FileError(
            f"{str(dialect.layout)!r} could not be read: {reason}.",
            code="file-unreadable",
            file=str(dialect.layout),
        ) from None
    except ValueError as error:  # UnicodeDecodeError and TOMLDecodeError are such
        raise FileError(
            f"{culprit!r} cannot be read as a column map: {error}.",
            code="layout-malformed",
            file=culprit,
        ) from None
    columns = entries.get("columns")
    if not isinstance(columns, list) or not columns or set(entries) != {"columns"}:
        raise FileError(
            f"{culprit!r} is no column map: it is a list of [[columns]].",
            code="layout-malformed",
            file=culprit,
        )
    places = [_place(entry, f"Column {at} of {culprit!r}") for at, entry in enumerate(columns, 1)]
    ordered = sorted(places, key=lambda place: place.start)
    for one, other in zip(ordered, ordered[1:], strict=False):
        if other.start <= one.end:
            raise FileError(
                f"Columns {one.name!r} and {other.name!r} of {culprit!r} overlap.",
                code="layout-overlaps",
                file=culprit,
                columns=(one.name, other.name),
            )
    return places


def _place(entry: Any, culprit: str) -> Place:
    if not isinstance(entry, dict):
        raise FileError(
            f"{culprit} is no table. Write [[columns]] above each.", code="layout-malformed"
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
        if type(entry.get(key)) is not int or not 1 <= entry[key] <= LONGEST_LINE:
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
    return Place(name, entry["start"], entry["width"], kind)


def _lines(path: Path, dialect: Dialect, last: int) -> Iterator[str]:
    """Yield the lines without their ends; refuse one that has text beyond the map."""
    packed, seen = path.stat().st_size, 0
    try:
        with open_decompressed_text(path, dialect.encoding_read) as file:
            number = 0
            while line := file.readline(LONGEST_LINE):
                number += 1
                seen += len(line)
                check_growth(path.name, packed, seen, dialect.memory_limit)
                line = line.rstrip("\r\n\x1a")
                if len(line) > last and line[last:].strip():
                    raise FileError(
                        f"Line {number} of {path.name!r} has {len(line)} characters; the column"
                        f" map ends at {last}. Add to the map what is there.",
                        code="line-beyond-layout",
                        file=path.name,
                        line=number,
                        length=len(line),
                    )
                if line.strip():
                    yield line
    except UnicodeError:
        raise wrong_encoding(path, dialect) from None


def _field(table: pa.Table, place: Place, dialect: Dialect) -> Any:
    """Return the cells of a column, filled up with blanks."""
    if place.name not in table.column_names:
        return pa.array([" " * place.width] * table.num_rows)
    column = pa.concat_arrays(table.column(place.name).chunks)
    cells = cell_texts(column, place.name, dialect)
    longest = pc.max(pc.utf8_length(cells)).as_py()
    if longest > place.width:
        raise FileError(
            f"Column {place.name!r} needs {longest} characters and has {place.width} in the column"
            " map. Round it with `decimals`, widen the map, or write another format.",
            code="value-too-wide",
            column=place.name,
            width=place.width,
            needed=longest,
        )
    if pc.any(pc.match_substring_regex(cells, "[\r\n]")).as_py():
        raise FileError(
            f"Column {place.name!r} holds line ends, which a fixed-width table cannot.",
            code="line-ends",
            column=place.name,
        )
    pad = pc.utf8_lpad if place.type == "number" else pc.utf8_rpad
    return pad(cells, place.width, " ")
