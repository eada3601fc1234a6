"""Named tuples of arrays in scratch files, which workers map into memory.

A worker reads only those pages of a file that it needs, and processes of one machine share them.
"""

import io
import mmap
import tempfile
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO, Generic, NamedTuple, TypeVar

import numpy as np

from shoal.errors import FileError
from shoal.io.store_addresses import redact
from shoal.scale.storage.files import (
    copy_to_stream,
    is_remote,
    os_reason,
    remove_file,
    write_bytes,
)
from shoal.scale.storage.scratch_files import atomic_path

ALIGNMENT = 64  # an array begins at a multiple of this many bytes
Content = TypeVar("Content", bound=tuple[Any, ...])


class StoredArray(NamedTuple):
    """The type and the shape of an array in a file, and its first byte."""

    dtype: str
    shape: tuple[int, ...]
    start: int


class ArrayFile(NamedTuple, Generic[Content]):
    """The entry of a scratch file: a named tuple with a `StoredArray` in place of each array."""

    path: str
    content: Content


def write_arrays(path: str, content: Content) -> ArrayFile[Content]:
    """Write the arrays of a named tuple to a scratch file; it appears complete or not at all.

    This is for the process that started the run: in a store, workers use `write_scratch_object`.
    """
    if is_remote(path):
        buffer = io.BytesIO()
        stored = _write_to_stream(buffer, content)
        write_bytes(path, buffer.getbuffer())
        return ArrayFile(path, stored)
    try:
        with atomic_path(Path(path)) as temporary, temporary.open("wb") as file:
            return ArrayFile(path, _write_to_stream(file, content))
    except OSError as error:
        folder = str(Path(path).parent)
        raise FileError(
            f"Scratch files cannot be written to {folder!r}: {os_reason(error)}. Name another"
            " folder as `scratch`.",
            code="cannot-write",
            file=folder,
        ) from None


def map_arrays(file: ArrayFile[Content]) -> Content:
    """Return a named tuple with the arrays of a scratch file, mapped into memory.

    The arrays are private to this process: what is written to them does not change the file.
    """
    mapped = _fetch(file.path) if is_remote(file.path) else _map_file(file.path)

    def as_array(entry: StoredArray) -> Any:
        size = int(np.prod(entry.shape))
        return np.frombuffer(mapped, entry.dtype, size, entry.start).reshape(entry.shape)

    content: Content = _replace(file.content, StoredArray, as_array)
    return content


def remove_arrays(file: ArrayFile[Any]) -> None:
    """Remove a scratch file."""
    if is_remote(file.path):
        remove_file(file.path)
    else:
        Path(file.path).unlink(missing_ok=True)


def _write_to_stream(stream: BinaryIO, content: Content) -> Content:
    """Write the arrays of a named tuple; return it with positions in place of the arrays."""

    def write(array: Any) -> StoredArray:
        stream.write(bytes(-stream.tell() % ALIGNMENT))
        entry = StoredArray(array.dtype.str, array.shape, stream.tell())
        stream.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
        return entry

    stored: Content = _replace(content, np.ndarray, write)
    return stored


def _replace(value: Any, kind: type, function: Callable[[Any], Any]) -> Any:
    """Apply a function to all members of one kind, including those of nested named tuples."""
    if isinstance(value, kind):
        return function(value)
    if isinstance(value, tuple):
        return type(value)(*(_replace(member, kind, function) for member in value))
    return value


def _map_file(path: str) -> mmap.mmap:
    try:
        with Path(path).open("rb") as file:
            return _map(file)
    except OSError as error:
        raise FileError(
            f"{redact(path)!r} could not be read: {os_reason(error)}.",
            code="file-unreadable",
            file=redact(path),
        ) from None


@lru_cache(maxsize=2)  # the table, and the duals of one search
def _fetch(path: str) -> mmap.mmap:
    """Copy a file of a store to a temporary file without a name, and map the copy."""
    with tempfile.TemporaryFile() as file:
        copy_to_stream(path, file)
        file.flush()
        return _map(file)


def _map(file: Any) -> mmap.mmap:
    # Nothing is written to it, but kernels are compiled for arrays that can be written to.
    return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
