"""Find the Parquet files of a source, each exactly once."""

import json
import os
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from shoal.errors import FileError
from shoal.io.store_addresses import as_location, is_web, name_of, redact
from shoal.scale.storage.files import file_exists, is_remote, join, list_files, read_bytes
from shoal.scale.storage.marker import JOURNAL, MARKER, files_of_marker

SUFFIXES = (".parquet", ".pq")

StrPath = str | os.PathLike[str]


def find_files(source: StrPath | Sequence[StrPath]) -> list[str]:
    """Return the Parquet files of a folder or of a list, sorted by path.

    Files whose names begin with a dot or an underscore are not data, as in Dask and Spark. A file
    that is named twice is refused: its records would count twice, and a group of k would hide fewer
    than k persons.
    """
    paths: list[str] = []
    for location in source_paths(source):
        if is_remote(location):
            paths += _store_files(location)
            continue
        path = Path(location)
        if path.is_dir():
            paths += _parquet_files(path)
        elif not path.exists():
            raise FileError(f"There is no file {str(path)!r}.", code="no-such-file", file=str(path))
        else:
            paths.append(str(path.absolute()))
    paths.sort()
    for first, second in pairwise(sorted(paths, key=_identity)):
        if _identity(first) == _identity(second):
            first, second = redact(first), redact(second)
            file = f"{first!r} and {second!r} are one file, which"
            if first == second:
                file = repr(first)
            raise FileError(
                f"{file} is named twice. Its records would count twice.", code="source-twice"
            )
    return paths


def source_paths(source: StrPath | Sequence[StrPath]) -> list[str]:
    """Return the folders and files that were given as the source: paths and addresses."""
    paths = [source] if isinstance(source, str | os.PathLike) else list(source)
    return [as_location(path) for path in paths]


def check_folder_columns(paths: Sequence[str], columns: Sequence[str]) -> None:
    """Refuse files partitioned by a column whose values are only in the names of folders."""
    folder_values = [
        dict(
            part.split("=", 1)
            for part in path.split("?")[0].replace(os.sep, "/").split("/")[:-1]
            if "=" in part
        )
        for path in paths
    ]
    for name in dict.fromkeys(name for values in folder_values for name in values):
        if name not in columns and len({values.get(name) for values in folder_values}) > 1:
            raise FileError(
                f"The values of {name!r} are in the names of folders, not in the files, so they"
                " would be missing in the release. Write them to the files as a column first.",
                code="values-in-folder-names",
                column=name,
            )


def released_files(folder: StrPath) -> list[str]:
    """Return the files of a complete release, in a folder or in a store.

    A release in a store consists only of the files that its marker lists. Use this function to read
    a release: it returns all of its files or raises an error.

    Parameters
    ----------
    folder : str or Path
        The folder of the release, or its address.

    Returns
    -------
    list of str
        The paths or addresses of its Parquet files, in order.
    """
    location = as_location(folder)
    file_sizes = list_files(location)
    content = read_bytes(join(location, MARKER)) if MARKER in file_sizes else b""
    names = sorted(files_of_marker(content) - {MARKER})
    if not names:
        raise FileError(
            f"{redact(location)!r} is not a release of Shoal: the file {MARKER} is missing or was"
            " written by another program.",
            code="not-a-release",
            folder=redact(location),
        )
    sizes = {entry["name"]: entry["bytes"] for entry in json.loads(content)["files"]}
    for name in names:
        if file_sizes.get(name) != sizes[name]:
            raise FileError(
                f"{redact(location)!r} is not complete: {name!r} is missing or was changed. Create"
                " the release again.",
                code="release-incomplete",
                file=name,
            )
    return [join(location, name) for name in names]


def _store_files(location: str) -> list[str]:
    """Return the Parquet files at an address: of a release, of another folder, or a single one."""
    if is_web(location):
        if not name_of(location).lower().endswith(SUFFIXES):
            raise FileError(
                f"{redact(location)!r} is not a Parquet file. Folders on the web cannot be listed:"
                " name their .parquet files.",
                code="web-not-listed",
                place=redact(location),
            )
        return [location]
    if file_exists(location):
        return [location]
    names = list_files(location)
    if JOURNAL in names and MARKER not in names:
        raise FileError(
            f"{redact(location)!r} contains files of an unfinished release. Run that release again"
            " first.",
            code="unfinished-release",
            file=redact(location),
        )
    if MARKER in names and files_of_marker(read_bytes(join(location, MARKER))):
        return released_files(location)
    paths = [
        join(location, name)
        for name in names
        if name.lower().endswith(SUFFIXES) and not any(map(_is_hidden, name.split("/")))
    ]
    if not paths:
        raise FileError(
            f"The folder {redact(location)!r} contains no .parquet files.",
            code="no-parquet-files",
            folder=redact(location),
        )
    return paths


def _identity(path: str) -> str:
    """Return the real path of a file, which all links to it share, or an address unchanged."""
    return path if is_remote(path) else os.path.realpath(path)


def _parquet_files(folder: Path) -> list[str]:
    """Return the Parquet files of a folder and of all folders below it."""
    paths: list[str] = []
    for parent, folders, files in os.walk(folder, onerror=_refuse_unreadable):
        folders[:] = [name for name in folders if not _is_hidden(name)]
        for name in folders:
            if Path(parent, name).is_symlink():
                raise FileError(
                    f"{str(Path(parent, name))!r} is a link to a folder, which is not followed. Add"
                    " that folder to the source, or remove the link.",
                    code="link-not-followed",
                )
        paths += [
            str(Path(parent, name).absolute())
            for name in files
            if name.lower().endswith(SUFFIXES) and not _is_hidden(name)
        ]
    if not paths:
        raise FileError(
            f"The folder {str(folder)!r} contains no .parquet files.",
            code="no-parquet-files",
            folder=str(folder),
        )
    return paths


def _refuse_unreadable(error: OSError) -> None:
    """Refuse a folder that cannot be read: its records would be left out silently."""
    raise FileError.unreadable(error.filename, error) from None


def _is_hidden(name: str) -> bool:
    return name.startswith((".", "_"))
