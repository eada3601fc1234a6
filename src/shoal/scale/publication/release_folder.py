"""Publish a release folder atomically."""

import os
import shutil
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from shoal._signals import defer_interrupt
from shoal.errors import FileError, ScratchFilesLeft
from shoal.scale.storage.files import is_remote, os_reason
from shoal.scale.storage.marker import MARKER, files_of_marker
from shoal.scale.storage.scratch_folder import STAGE_FOLDERS


class ReleaseFolder:
    """A release in progress: a hidden folder next to its target, renamed when it is complete.

    If an error occurs before the renaming, the hidden folder is removed; if one occurs after it,
    within the context, the target is restored. A killed process may leave the hidden folder, but
    never one that could be mistaken for a release: only a complete release contains the file
    ``_SUCCESS``.

    Parameters
    ----------
    target : str or Path
        The folder to create.
    force : bool
        Whether an existing release may be replaced.
    """

    def __init__(self, target: str | os.PathLike[str], *, force: bool = False):
        self.target = Path(target).resolve()
        self.force = force
        self._hidden_folder = Path()
        self._is_published = False

    def __enter__(self) -> Self:
        self._check_target()
        try:
            self._hidden_folder = Path(
                tempfile.mkdtemp(
                    prefix=f".{self.target.name}.", suffix=".part", dir=self.target.parent
                )
            )
            for name in STAGE_FOLDERS:
                (self._hidden_folder / name).mkdir()
        except OSError as error:
            raise FileError(
                self._write_error(error), code="cannot-write", file=str(self.target)
            ) from None
        return self

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        with defer_interrupt(redeliver=False):
            if error is not None and self._is_published:
                self._restore_target()
            for _ in range(2):  # the first attempt may fail while a worker is still writing
                shutil.rmtree(self._hidden_folder, ignore_errors=True)
        if self._hidden_folder.exists():
            warnings.warn(
                ScratchFilesLeft(
                    f"The scratch folder {str(self._hidden_folder)!r} could not be removed. It may"
                    " hold original records with identifiers: remove it yourself.",
                    code="scratch-files-left",
                    folder=str(self._hidden_folder),
                ),
                stacklevel=3,
            )

    def path(self, name: str) -> Path:
        """Return the path of a file or folder in the hidden folder."""
        return self._hidden_folder / name

    def remove(self, name: str) -> None:
        """Remove a folder of scratch files that are no longer needed."""
        shutil.rmtree(self.path(name), ignore_errors=True)

    def published_name(self, entry: Mapping[str, Any]) -> str:
        """Return the name of a file in the target: the one it has in the hidden folder."""
        return str(entry["name"])

    def check_sources(self, paths: Sequence[str], source_folders: Sequence[str] = ()) -> None:
        """Refuse to replace a folder that contains the source, directly or through links.

        The release must not be inside a source folder either: masking that folder again would
        count the released records as further persons.
        """
        for path in (Path(path) for path in paths if not is_remote(path)):
            for folder in (path.resolve().parent, path.parent.resolve()):
                if self.target in (folder, *folder.parents):
                    raise FileError(
                        f"{str(self.target)!r} contains the source. Write to another folder.",
                        code="target-holds-source",
                        folder=str(self.target),
                    )
        for folder in (Path(path) for path in source_folders if not is_remote(path)):
            if folder.is_dir() and folder.resolve() in self.target.parents:
                raise FileError(
                    f"{str(self.target)!r} is inside the source folder, so the release would become"
                    " part of the source. Write to another folder.",
                    code="target-inside-source",
                    folder=str(self.target),
                )

    def publish(self, entries: Sequence[Mapping[str, Any]], marker: str) -> None:
        """Move the files and the marker to the target, and nothing else.

        They are first moved to a folder that no worker writes to, so that temporary files of
        workers are not published. The target is checked again, since it may exist by now.
        """
        complete, previous = self.path("complete"), self.path("old")
        self._check_target()
        try:
            complete.mkdir()
            (self.path("release") / MARKER).write_text(marker, encoding="utf-8")
            for name in (*(entry["name"] for entry in entries), MARKER):
                (self.path("release") / name).rename(complete / name)
            with defer_interrupt():
                if self.force and self.target.exists():
                    self.target.rename(previous)
                try:
                    complete.rename(self.target)
                except OSError:
                    if previous.exists():
                        previous.rename(self.target)
                    raise
                self._is_published = True
        except OSError as error:
            raise FileError(
                self._write_error(error), code="cannot-write", file=str(self.target)
            ) from None

    def _restore_target(self) -> None:
        """Restore the folder that was at the target before, if there was one."""
        previous = self.path("old")
        self.target.rename(self.path("withdrawn"))
        if previous.exists():
            previous.rename(self.target)

    def _check_target(self) -> None:
        if not self.target.parent.is_dir():
            raise FileError(
                f"There is no folder {str(self.target.parent)!r} to write to. Create it.",
                code="no-such-folder",
                folder=str(self.target.parent),
            )
        if not self.target.exists():
            return
        if not self.target.is_dir():
            raise FileError(
                f"{str(self.target)!r} is a file. The release of a large table is a folder.",
                code="is-a-file",
                file=str(self.target),
            )
        if not self.force:
            raise FileError(
                f"{str(self.target)!r} exists already. Use `force=True` to replace it.",
                code="file-exists",
                file=str(self.target),
            )
        existing = {path.name for path in self.target.iterdir()}
        if existing and not (release_files := _files_of_release(self.target)):
            raise FileError(
                f"{str(self.target)!r} is not a release of Shoal: the file {MARKER} is missing or"
                " was written by another program. Remove the folder yourself, or write to another.",
                code="not-a-release",
                folder=str(self.target),
            )
        if existing and (other_files := sorted(existing - release_files)):
            raise FileError(
                f"{str(self.target)!r} also contains {other_files[0]!r}, which is not part of the"
                " release. Move it elsewhere, or write to another folder.",
                code="other-files-in-release",
                folder=str(self.target),
                file=other_files[0],
            )

    def _write_error(self, error: OSError) -> str:
        return (
            f"{str(self.target)!r} could not be written: {os_reason(error)}. Nothing was changed."
        )


def _files_of_release(folder: Path) -> set[str]:
    """Return the names of the files of a release, or an empty set unless Shoal wrote it."""
    try:
        return files_of_marker((folder / MARKER).read_bytes())
    except OSError:
        return set()
