"""Small workbooks in formats that no library of the tests writes: .xls and .ods."""

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
            place = struct.pack("<HHH", row, column, 0)
            if isinstance(value, str):
                text = value.encode("utf-16-le")
                cells += _record(0x0204, place + struct.pack("<HB", len(value), 1) + text)
            elif value is not None:
                cells += _record(0x0203, place + struct.pack("<d", value))
    begin = [_record(0x0809, struct.pack("<HHHHII", 0x0600, kind, 0, 0, 0, 0)) for kind in (5, 16)]
    sheet = begin[1] + cells + _record(0x000A)
    name = struct.pack("<BB", 5, 0) + b"first"
    offset = len(begin[0]) + 4 + 6 + len(name) + 4
    listed = _record(0x0085, struct.pack("<IH", offset, 0) + name)
    stream = (begin[0] + listed + _record(0x000A) + sheet).ljust(4096, b"\0")
    path.write_bytes(_compound_file(stream))
    return path


def _record(kind: int, content: bytes = b"") -> bytes:
    return struct.pack("<HH", kind, len(content)) + content


def _compound_file(stream: bytes) -> bytes:
    """Return a compound file that holds one stream, named Workbook."""
    n_sectors = -(-len(stream) // SECTOR)
    chain = [_FAT, _END, *range(3, 2 + n_sectors), _END]
    table = struct.pack(f"<{len(chain)}I", *chain).ljust(SECTOR, b"\xff")
    folder = b"".join(
        _entry(*entry)
        for entry in (
            ("Root Entry", 5, 1, _END, 0),
            ("Workbook", 2, _FREE, 2, n_sectors * SECTOR),
            ("", 0, _FREE, 0, 0),
            ("", 0, _FREE, 0, 0),
        )
    )
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    head += struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
    head += struct.pack("<IIIIIIIII", 0, 1, 1, 0, 4096, _END, 0, _END, 0)
    head += struct.pack("<I", 0) + b"\xff" * (4 * 108)
    return head + table + folder + stream.ljust(n_sectors * SECTOR, b"\0")


def _entry(name: str, kind: int, child: int, start: int, size: int) -> bytes:
    spelled = (name + "\0").encode("utf-16-le") if name else b""
    entry = spelled.ljust(64, b"\0") + struct.pack("<HBB", len(spelled), kind, 1)
    entry += struct.pack("<III", _FREE, _FREE, child) + bytes(36)
    return entry + struct.pack("<IQ", start, size)


def write_ods(path: Path, rows: str) -> Path:
    """Write an OpenDocument file whose only sheet holds ``rows``, as XML."""
    names = {
        "office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
        "table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0",
        "text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0",
    }
    spaces = " ".join(f'xmlns:{name}="{place}"' for name, place in names.items())
    content = (
        f'<office:document-content {spaces} office:version="1.3"><office:body><office:spreadsheet>'
        f'<table:table table:name="first">{rows}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        packed.writestr("content.xml", content)
        place = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
        packed.writestr("META-INF/manifest.xml", f'<m:manifest xmlns:m="{place}"/>')
    return path
