"""Missing codes of SAS transport files, .A to .Z and ._, which pyreadstat does not support.

A missing value is stored as one letter and zeros in place of a float. Only these letters are read
and written here; pyreadstat does the rest.
"""

from collections.abc import Mapping
from pathlib import Path
from string import ascii_uppercase

import numpy as np
from numpy.typing import NDArray

RECORD = 80  # bytes
LETTERS = np.frombuffer(f"{ascii_uppercase}_".encode(), np.uint8)
PLAIN_MISSING = ord(".")


def read_letters(path: Path, rows: int) -> dict[int, list[str | None]]:
    """Return the missing codes of each column that has any, by column number."""
    letters = {}
    cells = _number_cells(path, rows, "r")
    for number, column in cells.items():
        has_letter = np.isin(column[:, 0], LETTERS) & ~column[:, 1:].any(axis=1)
        if has_letter.any():
            first_bytes = column[:, 0]
            letters[number] = [
                chr(first_bytes[row]) if has_letter[row] else None for row in range(len(column))
            ]
    return letters


def write_letters(path: Path, rows: int, letters: Mapping[int, list[str | None]]) -> None:
    """Write missing codes in place of missing values, by column number."""
    cells = _number_cells(path, rows, "r+") if letters else {}
    for number, column in letters.items():
        for row, letter in enumerate(column):
            if letter is not None and cells[number][row, 0] == PLAIN_MISSING:
                cells[number][row, 0] = ord(letter)


def _number_cells(path: Path, rows: int, mode: str) -> dict[int, NDArray[np.uint8]]:
    """Return the bytes of each column of numbers, one row per record."""
    content = np.memmap(path, np.uint8, mode)  # type: ignore[call-overload]
    descriptors_start = _position_after(content, b"HEADER RECORD*******NAM")
    count = int(bytes(content[descriptors_start - 32 : descriptors_start - 22]))
    descriptor_size = int(bytes(content[314:318]))  # 140 bytes, and 136 on some machines
    if descriptors_start + descriptor_size * count > len(content):
        raise ValueError("The header of the file describes more columns than it has.")
    kinds, widths, offsets = [], [], []
    for number in range(count):
        descriptor = bytes(
            content[descriptors_start + descriptor_size * number :][:descriptor_size]
        )
        kinds.append(int.from_bytes(descriptor[:2], "big"))
        widths.append(int.from_bytes(descriptor[4:6], "big"))
        offsets.append(int.from_bytes(descriptor[84:88], "big"))
    length = sum(widths)
    records_start = _position_after(content, b"HEADER RECORD*******OBS")
    table = content[records_start : records_start + rows * length].reshape(rows, length)
    return {
        number: table[:, offsets[number] : offsets[number] + widths[number]]
        for number in range(count)
        if kinds[number] == 1
    }


def _position_after(content: NDArray[np.uint8], heading: bytes) -> int:
    """Return the position after a header record."""
    for i in range(0, len(content) - RECORD + 1, RECORD):
        if bytes(content[i : i + len(heading)]) == heading:
            return i + RECORD
    raise ValueError
