"""Find the Parquet files of a source, each exactly once."""

import os
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from shoal.errors import FileError

SUFFIXES = (".parquet", ".pq")

StrPath = str | os.PathLike[str]


def find_files(source: StrPath | Sequence[StrPath]) -> list[str]:
    """Return the Parquet files of a folder or of a list, sorted by path.

    Files whose names begin with a dot or an underscore are not data, as in Dask and Spark. A file
    with two names is refused: its records would count twice, and a group of k would hide fewer
    persons.
    """
    paths: list[str] = []
    for path in source_paths(source):
        if path.is_dir():
            paths += _parquet_files(path)
        elif not path.exists():
            raise FileError(f"There is no file {str(path)!r}.", code="no-such-file", file=str(path))
        else:
            paths.append(str(path.absolute()))
    paths.sort()
    for one, other in pairwise(sorted(paths, key=os.path.realpath)):
        if os.path.realpath(one) == os.path.realpath(other):
            names = repr(one) if one == other else f"{one!r} and {other!r} are one file, which"
            raise FileError(
                f"{names} is named twice. Its records would count twice.", code="source-twice"
            )
    return paths


def source_paths(source: StrPath | Sequence[StrPath]) -> list[Path]:
    """Return the folders and files that were given as the source."""
    given = [source] if isinstance(source, str | os.PathLike) else list(source)
    return [Path(path) for path in given]


def check_folder_columns(paths: Sequence[str], columns: Sequence[str]) -> None:
    """Refuse files partitioned by a column whose values are only in the names of folders."""
    folder_values = [
        dict(part.split("=", 1) for part in Path(path).parts[:-1] if "=" in part) for path in paths
    ]
    for name in dict.fromkeys(name for values in folder_values for name in values):
        if name not in columns and len({values.get(name) for values in folder_values}) > 1:
            raise FileError(
                f"The values of {name!r} are in the names of folders, not in the files, so the"
                " release would lack them. Write them to the files as a column first.",
                code="values-in-folder-names",
                column=name,
            )


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
    reason = (error.strerror or "I/O error").lower()
    raise FileError(
        f"{str(error.filename)!r} could not be read: {reason}.", code="file-unreadable"
    ) from None


def _is_hidden(name: str) -> bool:
    return name.startswith((".", "_"))
