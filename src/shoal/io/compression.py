"""Files compressed with gzip or zstd, read and written as streams.

Nothing is decompressed to disk, so that no copy of the original data is left behind.
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
    """Return the compression that the suffix of ``path`` names, or None."""
    return COMPRESSION_SUFFIXES.get(Path(path).suffix.lower())


def strip_compression_suffix(path: Path) -> Path:
    """Return ``path`` without the suffix of its compression."""
    path = Path(path)
    return path.with_suffix("") if compression_of(path) else path


@contextmanager
def open_decompressed(path: Path) -> Iterator[Any]:
    """Open ``path`` for reading decompressed bytes; refuse a damaged file."""
    try:
        with pa.input_stream(str(path), compression=compression_of(path)) as stream:
            yield stream
    except FileError:
        raise
    except OSError as error:
        if compression_of(path) is None or error.errno is not None:
            raise
        raise FileError(
            f"{path.name!r} is not a {compression_of(path)} file, or it is damaged or truncated.",
            code="file-damaged",
            file=path.name,
        ) from None


@contextmanager
def open_decompressed_text(path: Path, encoding: str) -> Iterator[TextIO]:
    """Open ``path`` for reading decompressed text, with line endings unchanged."""
    with open_decompressed(path) as stream:
        yield io.TextIOWrapper(stream, encoding=encoding, newline="")


@contextmanager
def open_compressed_text(path: Path, encoding: str, target: Path) -> Iterator[TextIO]:
    """Open ``path`` for writing text, compressed as the suffix of ``target`` names."""
    kind = compression_of(target)
    if kind is None:
        with path.open("w", encoding=encoding, newline="") as text:
            yield text
        return
    # Arrow would close a Python file object itself and swallow the error of a full disk.
    with pa.OSFile(str(path), "wb") as file, pa.CompressedOutputStream(file, kind) as stream:
        text_stream = io.TextIOWrapper(io.BufferedWriter(stream), encoding=encoding, newline="")
        yield text_stream
        text_stream.detach().detach()
