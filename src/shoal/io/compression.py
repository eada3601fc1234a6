"""Files packed with gzip or zstd, read and written as they stream by.

Nothing is unpacked to a disk: what is to be masked must not lie about.
"""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import pyarrow as pa

from shoal.errors import FileError

COMPRESSION_SUFFIXES = {".gz": "gzip", ".zst": "zstd"}


def compression_of(path: Path) -> str | None:
    """Return how ``path`` is packed, by its ending."""
    return COMPRESSION_SUFFIXES.get(Path(path).suffix.lower())


def strip_compression_suffix(path: Path) -> Path:
    """Return the name without the ending that says how it is packed."""
    path = Path(path)
    return path.with_suffix("") if compression_of(path) else path


@contextmanager
def open_decompressed(path: Path) -> Iterator[Any]:
    """Open ``path`` for reading bytes; refuse what is damaged."""
    try:
        with pa.input_stream(str(path), compression=compression_of(path)) as stream:
            yield stream
    except FileError:
        raise
    except OSError as error:
        if compression_of(path) is None or error.errno is not None:
            raise
        raise FileError(
            f"{path.name!r} is no {compression_of(path)} file, or it is damaged or cut off.",
            code="file-damaged",
            file=path.name,
        ) from None


@contextmanager
def open_decompressed_text(path: Path, encoding: str) -> Iterator[TextIO]:
    """Open ``path`` for reading text, line ends as they are."""
    with open_decompressed(path) as stream:
        yield io.TextIOWrapper(stream, encoding=encoding, newline="")


@contextmanager
def open_compressed_text(path: Path, encoding: str, target: Path) -> Iterator[TextIO]:
    """Open ``path`` for writing text, packed as the name of ``target`` says."""
    kind = compression_of(target)
    if kind is None:
        with path.open("w", encoding=encoding, newline="") as text:
            yield text
        return
    # A file of Python's under the packer would be closed by it, and a full disk not be told.
    with pa.OSFile(str(path), "wb") as file, pa.CompressedOutputStream(file, kind) as stream:
        packed = io.TextIOWrapper(io.BufferedWriter(stream), encoding=encoding, newline="")
        yield packed
        packed.detach().detach()
