"""Writers of small .xls and .ods workbooks, which no library of the tests writes."""

import struct
import zipfile
from pathlib import Path

SECTOR = 512
_END, _FREE, _FAT = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD


def write_xls(path: Path, rows: list[list[str | float | None]]) -> Path:
    """Write an old Excel file: BIFF8 records in a compound file, as [MS-XLS] describes."""
    cells = b""
    for row, values in enumerate(rows):
        for column, value in enumerate(values):
            position = struct.pack("<HHH", row, column, 0)
            if isinstance(value, str):
                text = value.encode("utf-16-le")
                cells += _record(0x0204, position + struct.pack("<HB", len(value), 1) + text)
            elif value is not None:
                cells += _record(0x0203, position + struct.pack("<d", value))
    begin_records = [
        _record(0x0809, struct.pack("<HHHHII", 0x0600, kind, 0, 0, 0, 0)) for kind in (5, 16)
    ]
    sheet = begin_records[1] + cells + _record(0x000A)
    name = struct.pack("<BB", 5, 0) + b"first"
    offset = len(begin_records[0]) + 4 + 6 + len(name) + 4
    sheet_record = _record(0x0085, struct.pack("<IH", offset, 0) + name)
    stream = (begin_records[0] + sheet_record + _record(0x000A) + sheet).ljust(4096, b"\0")
    path.write_bytes(_compound_file(stream))
    return path


def _record(kind: int, content: bytes = b"") -> bytes:
    return struct.pack("<HH", kind, len(content)) + content


def _compound_file(stream: bytes) -> bytes:
    """Return a compound file that holds one stream, named Workbook."""
    n_sectors = -(-len(stream) // SECTOR)
    chain = [_FAT, _END, *range(3, 2 + n_sectors), _END]
    table = struct.pack(f"<{len(chain)}I", *chain).ljust(SECTOR, b"\xff")
    directory = b"".join(
        _entry(*entry)
        for entry in (
            ("Root Entry", 5, 1, _END, 0),
            ("Workbook", 2, _FREE, 2, n_sectors * SECTOR),
            ("", 0, _FREE, 0, 0),
            ("", 0, _FREE, 0, 0),
        )
    )
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    header += struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
    header += struct.pack("<IIIIIIIII", 0, 1, 1, 0, 4096, _END, 0, _END, 0)
    header += struct.pack("<I", 0) + b"\xff" * (4 * 108)
    return header + table + directory + stream.ljust(n_sectors * SECTOR, b"\0")


def _entry(name: str, kind: int, child: int, start: int, size: int) -> bytes:
    encoded_name = (name + "\0").encode("utf-16-le") if name else b""
    entry = encoded_name.ljust(64, b"\0") + struct.pack("<HBB", len(encoded_name), kind, 1)
    entry += struct.pack("<III", _FREE, _FREE, child) + bytes(36)
    return entry + struct.pack("<IQ", start, size)


def write_ods(path: Path, rows: str) -> Path:
    """Write an OpenDocument file whose only sheet holds ``rows``, as XML."""
    names = {
        "office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
        "table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0",
        "text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0",
    }
    namespaces = " ".join(f'xmlns:{name}="{uri}"' for name, uri in names.items())
    content = (
        f'<office:document-content {namespaces} office:version="1.3">'
        "<office:body><office:spreadsheet>"
        f'<table:table table:name="first">{rows}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", content)
        uri = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
        archive.writestr("META-INF/manifest.xml", f'<m:manifest xmlns:m="{uri}"/>')
    return path
