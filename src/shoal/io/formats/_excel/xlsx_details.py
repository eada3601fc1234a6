"""Details of an .xlsx file that python-calamine does not read: formats, errors and formulas.

The XML of a sheet is searched as a stream, which is much faster than parsing all of it.
"""

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

CHUNK = 1 << 20
FORMAT_ROWS = 100  # rows that are searched for the format of a column
_ERROR = re.compile(rb'<c [^>]*t="e"')
_EMPTY_FORMULA = re.compile(rb"<f(?:/>|[^>]*/>|[^>]*>[^<]*</f>)\s*(?:<v\s*/>|<v></v>)?\s*</c>")
_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


class SheetDetails(NamedTuple):
    """What the XML of a sheet contains besides its values.

    ``has_errors`` is whether a cell shows an error such as #N/A, ``has_empty_formulas`` whether a
    formula has no saved value. ``formats`` has the display format of each column, counted from 0,
    as its first formatted cell gives it.
    """

    has_errors: bool
    has_empty_formulas: bool
    formats: dict[int, str]


def read_details(path: Path, title: str) -> SheetDetails:
    """Return the details of the sheet named ``title``."""
    with zipfile.ZipFile(path) as archive:
        xml_part = _part_of(archive, title)
        has_errors = has_empty_formulas = False
        for text in _overlapping_chunks(archive, xml_part):
            has_errors = has_errors or _ERROR.search(text) is not None
            has_empty_formulas = has_empty_formulas or _EMPTY_FORMULA.search(text) is not None
        return SheetDetails(has_errors, has_empty_formulas, _formats(archive, xml_part))


def _part_of(archive: zipfile.ZipFile, title: str) -> str:
    """Return the name of the XML part of a sheet."""
    book = ElementTree.fromstring(archive.read("xl/workbook.xml"))
    relationship_id = next(
        sheet.get(_ID) or _strict_id(sheet)
        for sheet in book.iter()
        if _tag(sheet) == "sheet" and sheet.get("name") == title
    )
    links = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
    target = next(link.get("Target") or "" for link in links if link.get("Id") == relationship_id)
    return target.lstrip("/") if target.startswith("/") else f"xl/{target}"


def _strict_id(sheet: Any) -> str | None:
    """Return the relationship of a sheet in the strict variant of the format, or None."""
    return next((text for name, text in sheet.attrib.items() if name.endswith("}id")), None)


def _overlapping_chunks(archive: zipfile.ZipFile, xml_part: str) -> Iterator[bytes]:
    """Yield the XML in pieces that overlap, so that no cell is cut in all of them."""
    with archive.open(xml_part) as file:
        tail = b""
        for chunk in iter(lambda: file.read(CHUNK), b""):
            yield tail + chunk
            tail = (tail + chunk)[-(1 << 14) :]


def _formats(archive: zipfile.ZipFile, xml_part: str) -> dict[int, str]:
    """Return the display format of each column, from its first cell with one."""
    formats_by_style = _cell_formats(archive)
    formats: dict[int, str] = {}
    n_rows = 0
    with archive.open(xml_part) as file:
        for _, element in ElementTree.iterparse(file, ("end",)):
            tag = _tag(element)
            if tag == "c" and n_rows and len(element):
                column = _column_number(element.get("r") or "")
                style = int(element.get("s") or 0)
                if column is not None and style < len(formats_by_style):
                    formats.setdefault(column, formats_by_style[style])
            if tag == "row":
                n_rows += 1
                element.clear()
                if n_rows > FORMAT_ROWS:
                    break
    return {column: name for column, name in formats.items() if name != "General"}


def _cell_formats(archive: zipfile.ZipFile) -> list[str]:
    """Return the display format of each cell style."""
    from openpyxl.styles.numbers import BUILTIN_FORMATS

    if "xl/styles.xml" not in archive.namelist():
        return []
    styles = ElementTree.fromstring(archive.read("xl/styles.xml"))
    custom = {
        int(entry.get("numFmtId") or 0): entry.get("formatCode") or "General"
        for entry in styles.iter()
        if _tag(entry) == "numFmt"
    }
    formats = {**BUILTIN_FORMATS, **custom}
    group: Any = next((entry for entry in styles if _tag(entry) == "cellXfs"), [])
    return [formats.get(int(entry.get("numFmtId") or 0), "General") for entry in group]


def _column_number(reference: str) -> int | None:
    """Return the column, counted from 0, of a reference such as ``AB12``, or None."""
    letters = reference.rstrip("0123456789")
    if not letters.isalpha():
        return None
    number = 0
    for letter in letters.upper():
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1


def _tag(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]
