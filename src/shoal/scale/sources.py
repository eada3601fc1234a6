"""The Parquet files of a source: each of them, and each once."""

import os
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from shoal.errors import FileError

ENDINGS = (".parquet", ".pq")

Place = str | os.PathLike[str]


def find_files(source: Place | Sequence[Place]) -> list[str]:
    """Return the Parquet files of a folder or of a list, in the order of their paths.

    Files whose names begin with a dot or an underscore are no data, as everywhere. A file with
    two names is refused: each of its persons would be two, and a group of k would hide fewer.
    """
    found: list[str] = []
    for place in places(source):
        if place.is_dir():
            found += _inside(place)
        elif not place.exists():
            raise FileError(
                f"There is no file {str(place)!r}.", code="no-such-file", file=str(place)
            )
        else:
            found.append(str(place.absolute()))
    found.sort()
    for one, other in pairwise(sorted(found, key=_real)):
        if _real(one) == _real(other):
            names = repr(one) if one == other else f"{one!r} and {other!r} are one file, which"
            raise FileError(
                f"{names} is named twice. Its records would count twice.", code="source-twice"
            )
    return found


def places(source: Place | Sequence[Place]) -> list[Path]:
    """Return what was named as the source: folders and files."""
    given = [source] if isinstance(source, str | os.PathLike) else list(source)
    return [Path(place) for place in given]


def check_parted(paths: Sequence[str], columns: Sequence[str]) -> None:
    """Refuse files that lack a column because its values stand in the names of folders."""
    parted = [
        dict(part.split("=", 1) for part in Path(path).parts[:-1] if "=" in part) for path in paths
    ]
    for name in dict.fromkeys(name for one in parted for name in one):
        if name not in columns and len({one.get(name) for one in parted}) > 1:
            raise FileError(
                f"The values of {name!r} stand in the names of folders, not in the files, so the"
                " release would lack them. Write them to the files as a column first.",
                code="values-in-folder-names",
                column=name,
            )


def _inside(folder: Path) -> list[str]:
    """Return the files of a folder and of all folders in it."""
    found: list[str] = []
    for place, folders, files in os.walk(folder, onerror=_refuse):
        folders[:] = [name for name in folders if not _hidden(name)]
        for name in folders:
            if Path(place, name).is_symlink():
                raise FileError(
                    f"{str(Path(place, name))!r} is a link to a folder, which is not followed. Name"
                    " that folder as a source too, or take the link away.",
                    code="link-not-followed",
                )
        found += [
            str(Path(place, name).absolute())
            for name in files
            if name.lower().endswith(ENDINGS) and not _hidden(name)
        ]
    if not found:
        raise FileError(
            f"The folder {str(folder)!r} holds no .parquet files.",
            code="no-parquet-files",
            folder=str(folder),
        )
    return found


def _refuse(error: OSError) -> None:
    """Refuse a folder that cannot be looked into: its records would be left out in silence."""
    reason = (error.strerror or "the disk said no").lower()
    raise FileError(
        f"{str(error.filename)!r} could not be read: {reason}.", code="file-unreadable"
    ) from None


def _hidden(name: str) -> bool:
    return name.startswith((".", "_"))


def _real(path: str) -> str:
    return os.path.realpath(path)
