"""Scratch folders of runs that publish no folder on a disk: releases in a store, and bounds."""

import shutil
import tempfile
import uuid
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from shoal._signals import defer_interrupt
from shoal.errors import FileError, ScratchFilesLeft, ShoalError
from shoal.io.store_addresses import is_web, redact
from shoal.scale.storage.files import (
    file_exists,
    is_remote,
    join,
    os_reason,
    remove_file,
    remove_folder,
    write_bytes,
)

RUN_FILE = "run"  # a file that exists as long as the run may write scratch files
STAGE_FOLDERS = ("source", "cells", "masked", "release")


class ScratchFolder:
    """A folder for the scratch files of one run, on a disk that workers share or in a store.

    Parameters
    ----------
    scratch : str
        The location to create it in.
    name : str
        Name of the target, which becomes part of the name of the folder.
    subfolders : tuple of str
        Folders to create in it.
    """

    def __init__(self, scratch: str, name: str, subfolders: Sequence[str] = STAGE_FOLDERS):
        self.scratch, self.name, self.subfolders = scratch, name, subfolders
        self.location = ""

    def create(self) -> None:
        """Create the folder."""
        if is_web(self.scratch):
            raise FileError(
                f"Nothing can be written to {redact(self.scratch)!r}, which is on a web server."
                " Name a folder or an address in a store as `scratch`.",
                code="web-is-only-read",
                place=redact(self.scratch),
            )
        if is_remote(self.scratch):
            self.location = join(self.scratch, f".{self.name}.{uuid.uuid4().hex[:8]}.part")
            write_bytes(join(self.location, RUN_FILE), b"")
            return
        try:
            self.location = tempfile.mkdtemp(
                prefix=f".{self.name}.", suffix=".part", dir=Path(self.scratch).resolve()
            )
            for name in self.subfolders:
                Path(self.location, name).mkdir()
        except OSError as error:
            reason = os_reason(error)
            raise FileError(
                f"Scratch files cannot be written to {self.scratch!r}: {reason}. Name another"
                " folder as `scratch`.",
                code="cannot-write",
                file=self.scratch,
            ) from None

    def path(self, name: str) -> str:
        """Return the location of a file or folder in it."""
        return join(self.location, name)

    def remove(self, name: str) -> None:
        """Remove a folder of scratch files that are no longer needed."""
        if not is_remote(self.location):
            shutil.rmtree(self.path(name), ignore_errors=True)
            return
        try:
            remove_folder(self.path(name))
        except FileError:
            return  # it is removed at the end of the run, with all others

    def close(self) -> None:
        """Remove the folder; warn if that is impossible."""
        if not self.location:
            return
        try:
            if is_remote(self.location):
                # In this order: see `write_scratch_object`.
                remove_file(self.path(RUN_FILE))
                remove_folder(self.location)
                return
            for _ in range(2):  # the first attempt may fail while a worker is still writing
                shutil.rmtree(self.location, ignore_errors=True)
            if not Path(self.location).exists():
                return
        except ShoalError:
            pass
        warnings.warn(
            ScratchFilesLeft(
                f"The scratch folder {redact(self.location)!r} could not be removed. It may hold"
                " original records with identifiers: remove it yourself.",
                code="scratch-files-left",
                folder=redact(self.location),
            ),
            stacklevel=4,
        )


@contextmanager
def open_scratch_folder(
    scratch: str, name: str, subfolders: Sequence[str]
) -> Iterator[ScratchFolder]:
    """Create a scratch folder, and remove it at the end."""
    folder = ScratchFolder(scratch, name, subfolders)
    folder.create()
    try:
        yield folder
    finally:
        with defer_interrupt(redeliver=False):
            folder.close()


def write_scratch_object(path: str, content: Any) -> None:
    """Write a scratch file to a store, unless the run has ended.

    A worker that lost its connection may go on after the run has removed its scratch files, and no
    missing folder stops it in a store. So the run removes the file ``run`` before all others, and a
    worker looks for that file after writing: either the run sees the new file, or the worker sees
    that the run has ended, and removes the new file itself.
    """
    write_bytes(path, content)
    if not file_exists(join(path.rsplit("/", 2)[0], RUN_FILE)):
        remove_file(path)
        raise FileError("The run has ended. Nothing was written.", code="run-ended")
