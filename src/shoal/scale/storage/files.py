"""Files of a run, on a disk or in an object store, by path or address.

Stores are opened with ``pyarrow.fs``, which takes credentials, region and endpoint from the
environment. Messages of ``pyarrow.fs`` may contain names of accounts and keys, so they are not
shown.
"""

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa

from shoal.errors import FileError, MissingDependency, ShoalError
from shoal.io.store_addresses import as_location, is_web, name_of, redact, redact_store
from shoal.scale.storage.web import WebFile

READ_SIZE = 2**23  # bytes that are copied or hashed at a time
# Words in messages of S3, Google Cloud Storage and Azure, and the code and reason that follow.
_REASONS = {
    ("access_denied", "access denied", "permission_denied", "forbidden", "authoriz", "authenti",
     "signature", "invalid_access_key", "http status 403", "http status 401", "credential"): (
        "store-denies", "access is denied. Check the credentials in the environment"
    ),
    ("network_connection", "curlcode", "timeout", "timed out", "unavailable", "connection"): (
        "store-unreachable", "the store does not answer. Check the network and the endpoint"
    ),
    ("no_such_bucket", "no such bucket", "containernotfound"): (
        "no-such-bucket", "there is no such bucket"
    ),
}  # fmt: skip


def is_remote(path: str) -> bool:
    """Return whether a location is not on a disk; see `shoal.io.store_addresses.as_location`."""
    return "://" in path


def join(folder: str, name: str) -> str:
    """Return the location of a file in a folder."""
    return f"{folder}/{name}" if is_remote(folder) else str(Path(folder, name))


def store_error(error: BaseException, path: str) -> FileError | None:
    """Return the `FileError` for an exception of a store, or None if its cause is unknown."""
    location, message = redact_store(path), str(error).lower()
    if isinstance(error, FileNotFoundError):
        return FileError(f"There is no file {location!r}.", code="no-such-file", file=location)
    for words, (code, reason) in _REASONS.items():
        if any(word in message for word in words):
            return FileError(
                f"{location!r}: {reason}. Nothing was released.", code=code, place=location
            )
    return None


@contextmanager
def translate_store_errors(path: str) -> Iterator[None]:
    """Translate exceptions of a store into `FileError`, without account and keys."""
    try:
        yield
    except ShoalError:
        raise
    except (OSError, pa.ArrowException, ValueError) as error:
        translated = store_error(error, path)
        if translated is None:
            location = redact_store(path)
            translated = FileError(
                f"{location!r} could not be read or written, for a reason that Shoal does not"
                " recognise. Nothing was released. Check the address, the credentials and the"
                " permissions of the store.",
                code="store-refuses",
                place=location,
            )
        raise translated from None


def open_input(path: str) -> Any:
    """Return the source from which pyarrow reads a file: the path, or an open file of a store."""
    if not is_remote(path):
        return path
    if is_web(path):
        return pa.PythonFile(WebFile(path), mode="r")
    with translate_store_errors(path):
        file_system, path_in_store = _locate(path)
        return file_system.open_input_file(path_in_store)


def read_bytes(path: str) -> bytes:
    """Return the content of a file."""
    if not is_remote(path):
        return Path(path).read_bytes()
    with open_input(path) as file, translate_store_errors(path):
        content: bytes = file.read()
        return content


def read_ranges(path: str, ranges: Sequence[tuple[int, int]]) -> list[Any]:
    """Return ranges of a file of a store, each given by its first byte and the byte after it."""
    with open_input(path) as file, translate_store_errors(path):
        return [pa.py_buffer(file.read_at(stop - start, start)) for start, stop in ranges]


def write_bytes(path: str, content: Any) -> None:
    """Write a file of a store; it appears complete or not at all."""
    with translate_store_errors(path):
        file_system, path_in_store = _locate(path)
        with file_system.open_output_stream(path_in_store) as stream:
            stream.write(content)


def copy_file(source: str, target: str) -> None:
    """Copy a file to a store, within the store if possible."""
    root = _store_root(target)
    with translate_store_errors(target):
        file_system, path_in_store = _locate(target)
        if is_remote(source) and _store_root(source) == root:
            file_system.copy_file(_locate(source)[1], path_in_store)
            return
    with (
        _open_stream(source) as file,
        translate_store_errors(target),
        file_system.open_output_stream(path_in_store) as stream,
    ):
        while content := file.read(READ_SIZE):
            stream.write(content)


def copy_to_stream(path: str, stream: BinaryIO) -> None:
    """Copy a file of a store to an open file of this machine."""
    with open_input(path) as file:
        while True:
            with translate_store_errors(path):
                content = file.read(READ_SIZE)
            if not content:
                break
            stream.write(content)


def file_exists(path: str) -> bool:
    """Return whether there is a file."""
    from pyarrow import fs

    if not is_remote(path):
        return Path(path).is_file()
    if is_web(path):
        WebFile(path).close()
        return True
    with translate_store_errors(path):
        file_system, path_in_store = _locate(path)
        return bool(file_system.get_file_info(path_in_store).type == fs.FileType.File)


def list_files(folder: str) -> dict[str, int]:
    """Return the size of each file in a folder and the folders in it, by its relative name."""
    from pyarrow import fs

    if not is_remote(folder):
        return {
            path.relative_to(folder).as_posix(): path.lstat().st_size
            for path in sorted(Path(folder).rglob("*"))
            if path.is_symlink() or not path.is_dir()
        }
    with translate_store_errors(folder):
        file_system, path_in_store = _locate(folder)
        selector = fs.FileSelector(path_in_store, recursive=True, allow_not_found=True)
        files = [
            file for file in file_system.get_file_info(selector) if file.type == fs.FileType.File
        ]
    return {
        file.path[len(path_in_store) + 1 :]: file.size
        for file in sorted(files, key=lambda file: file.path)
    }


def remove_file(path: str) -> None:
    """Remove a file of a store, if it exists."""
    try:
        with translate_store_errors(path):
            file_system, path_in_store = _locate(path)
            file_system.delete_file(path_in_store)
    except FileError as error:
        if error.code != "no-such-file":
            raise


def remove_folder(folder: str) -> None:
    """Remove a folder of a store with all its files."""
    try:
        with translate_store_errors(folder):
            file_system, path_in_store = _locate(folder)
            file_system.delete_dir(path_in_store)
    except FileError as error:
        if error.code != "no-such-file":
            raise


def hash_file(path: str) -> tuple[int, str]:
    """Return the number of bytes of a file and its SHA-256."""
    digest, size = hashlib.sha256(), 0
    errors = translate_store_errors(path) if is_remote(path) else nullcontext()
    with _open_stream(path) as file, errors:
        while content := file.read(READ_SIZE):
            digest.update(content)
            size += len(content)
    return size, digest.hexdigest()


def os_reason(error: OSError) -> str:
    """Return the operating system's reason for an error, without any text from a store."""
    return (os.strerror(error.errno) if error.errno else "I/O error").lower()


def file_entry(path: str) -> dict[str, Any]:
    """Return name, size and hash of a file, for a manifest."""
    try:
        size, digest = hash_file(path)
    except ShoalError:
        raise
    except OSError as error:
        raise FileError.unreadable(redact(path), error) from None
    return {"name": name_of(path), "bytes": size, "sha256": digest}


def _open_stream(path: str) -> Any:
    return open_input(path) if is_remote(path) else pa.OSFile(path)


def _store_root(path: str) -> str:
    scheme, _, path_in_scheme = path.partition("://")
    return f"{scheme}://{path_in_scheme.partition('/')[0]}"


def _locate(path: str) -> tuple[Any, str]:
    """Return the file system of an address, and the path in it."""
    root = _store_root(path)
    file_system, base = _open_store(root)
    return file_system, f"{base}/{path[len(root) + 1 :]}".rstrip("/")


@lru_cache
def _open_store(root: str) -> tuple[Any, str]:
    from pyarrow import fs

    # A small file takes one request instead of the three of a multipart upload.
    options = "?allow_delayed_open=true" if root.startswith("s3://") else ""
    try:
        file_system, base = fs.FileSystem.from_uri(f"{as_location(root)}/{options}")
    except pa.ArrowNotImplementedError:
        raise MissingDependency(
            f"This pyarrow was built without {root.partition('://')[0]}. Install another build,"
            " such as the wheels of its developers.",
            code="package-missing",
            extra="scale",
        ) from None
    return file_system, base.rstrip("/")
