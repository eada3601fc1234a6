"""The first lines of a text file, and its format as detected from them.

Only the beginning of the file is read, so that users see the effect of a separator or a character
set before the whole file is read.
"""

import codecs
import csv
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from shoal._text import count, shorten
from shoal.frame.inference.kinds import MISSING_WORDS
from shoal.frame.notation.numerals import parse_numerals
from shoal.io.compression import open_decompressed
from shoal.io.dialect import Dialect

SAMPLE = 1 << 16  # bytes that are read of a file
LINES = 8  # lines that are shown
MAX_CELLS = 30  # cells that are shown of a line
MAX_TEXT = 60  # characters that are shown of a cell
# Every second byte of UTF-16 text in Latin script is null, and hardly any of the others.
NULL_SAMPLE = 1000  # bytes in which null bytes are counted
MIN_NULL_SHARE = 1 / 4
MAX_OTHER_NULL_SHARE = 1 / 20
MAX_CONTROL_SHARE = 1 / 100  # control characters in text of a single-byte encoding
SEPARATORS = (",", ";", "\t", "|")
_COMMA = re.compile(r"[+-]?(\d+|\d{1,3}(\.\d{3})+),\d+")
_POINT = re.compile(r"[+-]?(\d+|\d{1,3}(,\d{3})+)\.\d+")


@dataclass(frozen=True)
class DetectedFormat:
    """The format of a text file, as far as it could be detected; empty fields mean the default."""

    encoding: str = ""
    separator: str = ""
    decimal: str = ""
    missing: str = ""

    def to_dict(self) -> dict[str, str]:
        """Return the settings by name."""
        return asdict(self)


def read_sample(path: Path) -> bytes:
    """Return the first bytes of a text file, decompressed, or none if that is impossible."""
    try:
        with open_decompressed(path) as file:
            return bytes(file.read(SAMPLE))
    except Exception:  # a damaged file; decompressors have exceptions of their own
        return b""


def detect_format(sample: bytes) -> DetectedFormat | None:
    r"""Return the detected format of a sample, or None if the sample is not text.

    Examples
    --------
    >>> detect_format("naïve;x\n1,5;2\n3,5;4\n".encode("latin-1"))
    DetectedFormat(encoding='latin-1', separator=';', decimal=',', missing='')
    """
    encoding = _detect_encoding(sample)
    if encoding is None or not sample:
        return None
    text = decode(sample, encoding or "utf-8")
    if text is None:
        return None
    separator = _detect_separator(text)
    decimal = _detect_decimal(_cells(text, separator or ",")) if separator != "," else ""
    missing = _detect_missing(_cells(text, separator or ","), decimal)
    return DetectedFormat(encoding, "" if separator == "," else separator, decimal, missing)


def decode(sample: bytes, encoding: str) -> str | None:
    """Return the sample as text, or None if the encoding does not fit."""
    if Dialect(encoding=encoding).is_utf8:
        encoding = "utf-8-sig"
    try:
        return codecs.getincrementaldecoder(encoding)().decode(sample, len(sample) < SAMPLE)
    except (UnicodeError, ValueError):
        return None


def split_lines(text: str, separator: str) -> list[list[str]]:
    """Return the cells of the first lines, each cut to a length that can be shown."""
    lines = text.splitlines()[:LINES]
    rows = []
    for line in lines:
        try:
            cells = next(csv.reader([line[: 1 << 12]], delimiter=separator), [])
        except csv.Error:
            cells = [line]
        rows.append([shorten(cell, MAX_TEXT) for cell in cells[:MAX_CELLS]])
    return rows


def preview_lines(path: Path, dialect: Dialect) -> dict[str, Any]:
    """Return the first lines of a text file, split by ``dialect``, and a message about them."""
    text = decode(read_sample(path), dialect.encoding)
    if text is None:
        return {"rows": [], "message": f"The file is not written in {dialect.encoding}."}
    rows = split_lines(text, dialect.separator_for(path))
    widths = {len(row) for row in rows if row}
    message = count(max(widths, default=0), "column")
    if len(widths) > 1:
        message = "The lines have different numbers of cells. Check the separator."
    return {"rows": rows, "message": message}


def _detect_encoding(sample: bytes) -> str | None:
    """Return the encoding, empty for UTF-8, or None if the sample is not text."""
    if sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    beginning = sample[:NULL_SAMPLE]
    if b"\0" in beginning:
        even, odd = beginning[0::2].count(0), beginning[1::2].count(0)
        fewer, more = sorted((even / len(beginning), odd / len(beginning)))
        if more < MIN_NULL_SHARE or fewer > MAX_OTHER_NULL_SHARE:
            return None
        return "utf-16-be" if even > odd else "utf-16-le"
    if decode(sample, "utf-8") is not None:
        return ""
    if sum(byte < 9 or 13 < byte < 32 for byte in sample) > MAX_CONTROL_SHARE * len(sample):
        return None
    return "cp1252" if any(0x80 <= byte < 0xA0 for byte in sample) else "latin-1"


def _detect_separator(text: str) -> str:
    """Return the separator that splits all first lines into equally many cells, or ""."""
    lines = [line[: 1 << 12] for line in text.splitlines()[:50] if line.strip()]
    separator, n_cells = "", 1
    for candidate in SEPARATORS:
        try:
            widths = [len(row) for row in csv.reader(lines[:-1] or lines, delimiter=candidate)]
        except csv.Error:
            continue
        if widths and min(widths) == max(widths) > n_cells:
            separator, n_cells = candidate, widths[0]
    return separator


def _cells(text: str, separator: str) -> list[list[str]]:
    """Return the cells of the first lines without the header, or none if they cannot be split."""
    lines = [line[: 1 << 12] for line in text.splitlines()[1:50]]
    try:
        return [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=separator)]
    except csv.Error:
        return []


def _detect_missing(rows: list[list[str]], decimal: str) -> str:
    """Return the word, such as NA, that occurs in columns of numbers, or "" if there is not one."""
    words: set[str] = set()
    for column in zip(*(row for row in rows if len(row) == len(rows[0])), strict=True):
        non_missing = [cell for cell in column if cell and cell.lower() not in MISSING_WORDS]
        if non_missing and parse_numerals(non_missing, decimal or ".")[1] is not None:
            words.update(cell for cell in column if cell and cell.lower() in MISSING_WORDS)
    return words.pop() if len(words) == 1 else ""


def _detect_decimal(rows: list[list[str]]) -> str:
    """Return a comma if numbers have decimal commas and none has a decimal point, or else ""."""
    cells = [cell for row in rows for cell in row]
    commas = sum(_COMMA.fullmatch(cell) is not None for cell in cells)
    return "," if commas and not any(_POINT.fullmatch(cell) for cell in cells) else ""
