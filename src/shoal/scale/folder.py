"""A folder that appears whole, or not at all."""

import json
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from shoal._signals import defer_interrupt
from shoal.errors import FileError, ScratchFilesLeft

MARKER = "_SUCCESS"


class Folder:
    """A release under way: a hidden folder beside its target, renamed when all is done.

    Whatever goes wrong before that removes it, and what goes wrong after it, while the folder
    is still in hand, takes it back. A killed process may leave the hidden folder, never one that
    could be taken for a release: what is whole holds the file ``_SUCCESS``.

    Parameters
    ----------
    target : str or Path
        The folder to make.
    force : bool
        Whether a release that lies there may be replaced.
    """

    def __init__(self, target: str | os.PathLike[str], *, force: bool = False):
        self.target = Path(target).resolve()
        self.force = force
        self._hidden = Path()
        self._published = False

    def __enter__(self) -> Self:
        self._check()
        try:
            self._hidden = Path(
                tempfile.mkdtemp(
                    prefix=f".{self.target.name}.", suffix=".part", dir=self.target.parent
                )
            )
            for name in ("came", "cells", "masked", "release"):
                (self._hidden / name).mkdir()
        except OSError as error:
            raise FileError(
                self._cannot(error), code="cannot-write", file=str(self.target)
            ) from None
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with defer_interrupt(redeliver=False):
            if error is not None and self._published:
                self._take_back()
            for _ in range(2):  # a worker that is still writing may be in the way once
                shutil.rmtree(self._hidden, ignore_errors=True)
        if self._hidden.exists():
            warnings.warn(
                ScratchFilesLeft(
                    f"The scratch folder {str(self._hidden)!r} could not be removed. It may hold"
                    " records as they came, identifiers included: remove it yourself.",
                    code="scratch-files-left",
                    folder=str(self._hidden),
                ),
                stacklevel=3,
            )

    def path(self, name: str) -> Path:
        """Return the path of something in the hidden folder."""
        return self._hidden / name

    def forget(self, name: str) -> None:
        """Remove scratch files that nobody needs any more, with their folder."""
        shutil.rmtree(self.path(name), ignore_errors=True)

    def check_sources(self, paths: Sequence[str], places: Sequence[Path] = ()) -> None:
        """Refuse to replace a folder that holds the source, by whatever way it is named.

        Nor may the release lie in a folder that is the source: who masks this folder again
        would count the released records as further persons.
        """
        for path in map(Path, paths):
            for place in (path.resolve().parent, path.parent.resolve()):
                if self.target in (place, *place.parents):
                    raise FileError(
                        f"{str(self.target)!r} holds the source. Write to another folder.",
                        code="target-holds-source",
                        folder=str(self.target),
                    )
        for place in places:
            if place.is_dir() and place.resolve() in self.target.parents:
                raise FileError(
                    f"{str(self.target)!r} lies in the source, of which it would be a part from"
                    " then on. Write to another folder.",
                    code="target-inside-source",
                    folder=str(self.target),
                )

    def publish(self, names: Iterable[str]) -> None:
        """Give the release its name: the files of these names and the marker, nothing else.

        They move to a folder that no worker knows, so that what a worker left half-written,
        or still writes, stays behind. What came to lie at the target meanwhile is judged as
        at the start.
        """
        whole, old = self.path("whole"), self.path("old")
        self._check()
        try:
            whole.mkdir()
            for name in (*names, MARKER):
                (self.path("release") / name).rename(whole / name)
            with defer_interrupt():
                if self.force and self.target.exists():
                    self.target.rename(old)
                try:
                    whole.rename(self.target)
                except OSError:
                    if old.exists():
                        old.rename(self.target)
                    raise
                self._published = True
        except OSError as error:
            raise FileError(
                self._cannot(error), code="cannot-write", file=str(self.target)
            ) from None

    def _take_back(self) -> None:
        """Leave the target as it was before."""
        old = self.path("old")
        self.target.rename(self.path("back"))
        if old.exists():
            old.rename(self.target)

    def _check(self) -> None:
        if not self.target.parent.is_dir():
            raise FileError(
                f"There is no folder {str(self.target.parent)!r} to write to.",
                code="no-such-folder",
                folder=str(self.target.parent),
            )
        if not self.target.exists():
            return
        if not self.target.is_dir():
            raise FileError(
                f"{str(self.target)!r} is a file. A large table becomes a folder.",
                code="is-a-file",
                file=str(self.target),
            )
        if not self.force:
            raise FileError(
                f"{str(self.target)!r} exists already. Use `force=True` to replace it.",
                code="file-exists",
                file=str(self.target),
            )
        inside = {path.name for path in self.target.iterdir()}
        if inside and not (own := _released(self.target)):
            raise FileError(
                f"{str(self.target)!r} is no release of Shoal: it lacks the file {MARKER}, or this"
                " is of another program. Remove the folder yourself, or write to another.",
                code="not-a-release",
                folder=str(self.target),
            )
        if inside and (others := sorted(inside - own)):
            raise FileError(
                f"{str(self.target)!r} also holds {others[0]!r}, which is no part of the release"
                " there. Move it elsewhere, or write to another folder.",
                code="other-files-in-release",
                folder=str(self.target),
                file=others[0],
            )

    def _cannot(self, error: OSError) -> str:
        reason = (os.strerror(error.errno) if error.errno else "the disk said no").lower()
        return f"{str(self.target)!r} could not be written: {reason}. Nothing was changed."


def _released(folder: Path) -> set[str]:
    """Return the names of all files of a release; none if the folder is no release of Shoal.

    Other programs write a file of the marker's name too.
    """
    try:
        told = json.loads((folder / MARKER).read_text(encoding="utf-8"))
        return {MARKER, *(entry["name"] for entry in told["files"])} if "promise" in told else set()
    except (OSError, ValueError, TypeError, KeyError):
        return set()
