"""Publish a release in an object store, which cannot rename: the list of files is written last."""

import json
import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, Self

from shoal import _progress as progress
from shoal._signals import defer_interrupt
from shoal.errors import FileError, ParameterError, ScratchFilesLeft, ShoalError
from shoal.io.store_addresses import as_location, is_web, redact_store
from shoal.scale.storage.files import (
    copy_file,
    file_exists,
    is_remote,
    join,
    list_files,
    read_bytes,
    remove_file,
    write_bytes,
)
from shoal.scale.storage.marker import JOURNAL, MARKER, files_of_marker
from shoal.scale.storage.scratch_folder import ScratchFolder

HASH_DIGITS = 16  # digits of the hash in the name of a file


class StoreRelease:
    """A release in progress whose target is in a store.

    Workers write to a scratch folder. When everything is checked, the files are copied to the
    target, under names that contain their hashes, followed by the marker ``_SUCCESS``, which lists
    them. Readers use the files that the marker lists: the old release until the new marker is
    written, the new release from then on. A file ``_UNFINISHED`` lists the files while they are
    being copied, so that files of a killed run can be distinguished from others and replaced.

    Parameters
    ----------
    target : str
        Address of the folder to create.
    scratch : str or Path, optional
        Place of the scratch files.
    force : bool
        Whether an existing release may be replaced.
    """

    def __init__(
        self,
        target: str,
        scratch: str | os.PathLike[str] | None,
        *,
        force: bool = False,
    ):
        self.target, self.force = target, force
        self.shown_target = redact_store(target)
        self._check_scratch(scratch)
        self._scratch_folder = ScratchFolder(as_location(scratch or ""), PurePosixPath(target).name)
        self._replaceable: set[str] = set()  # files of an earlier release, or of a killed run
        self._old_marker: bytes | None = None
        self._names: list[str] = []
        self._is_started = self._is_published = False

    def __enter__(self) -> Self:
        self._check_target()
        self._scratch_folder.create()
        return self

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        with defer_interrupt(redeliver=False):
            try:
                if error is None and self._is_published:
                    self._remove_files(self._replaceable - {MARKER, *self._names})
                elif self._is_started:
                    self._withdraw()
            except ShoalError:
                warnings.warn(
                    ScratchFilesLeft(
                        f"Files in {self.shown_target!r} that are not part of a release could not"
                        f" be removed. The file {MARKER}, if there is one, lists those that are.",
                        code="files-left",
                        folder=self.shown_target,
                    ),
                    stacklevel=3,
                )
            finally:
                self._scratch_folder.close()

    def path(self, name: str) -> str:
        """Return the location of a scratch file or folder."""
        return self._scratch_folder.path(name)

    def remove(self, name: str) -> None:
        """Remove a folder of scratch files that are no longer needed."""
        self._scratch_folder.remove(name)

    def check_sources(self, paths: Sequence[str], source_folders: Sequence[str] = ()) -> None:
        """Refuse a target that contains the source, or is inside a source folder."""
        for path in paths:
            if path.startswith(f"{self.target}/"):
                raise FileError(
                    f"{self.shown_target!r} contains the source. Write to another folder.",
                    code="target-holds-source",
                    folder=self.shown_target,
                )
        for folder in source_folders:
            if f"{self.target}/".startswith(f"{folder.rstrip('/')}/"):
                raise FileError(
                    f"{self.shown_target!r} is inside the source folder, so the release would"
                    " become part of the source. Write to another folder.",
                    code="target-inside-source",
                    folder=self.shown_target,
                )

    def published_name(self, entry: Mapping[str, Any]) -> str:
        """Return the name of a file in the target.

        The name contains the hash of the content, so a new release never overwrites a file of the
        release that it replaces, unless with the same bytes.
        """
        name = PurePosixPath(entry["name"])
        return f"{name.stem}-{entry['sha256'][:HASH_DIGITS]}{name.suffix}"

    def publish(self, entries: Sequence[Mapping[str, Any]], marker: str) -> None:
        """Copy the files to the target; when all are there, write the marker."""
        self._check_target()
        self._names = [self.published_name(entry) for entry in entries]
        leftovers = sorted(self._leftovers() - set(self._names))
        journal_entries = {
            "files": [*self._names, *leftovers],
            "run": self._scratch_folder.location[-13:],
        }
        journal = json.dumps(journal_entries).encode()
        with defer_interrupt():
            self._is_started = True
            write_bytes(join(self.target, JOURNAL), journal)
        for n_done, (entry, name) in enumerate(zip(entries, self._names, strict=True)):
            progress.report("publishing", n_done, len(entries))
            copy_file(join(self.path("release"), entry["name"]), join(self.target, name))
        published_sizes = list_files(self.target)
        for entry, name in zip(entries, self._names, strict=True):
            if published_sizes.get(name) != entry["bytes"]:
                raise FileError(
                    f"The file {name!r} is missing in {self.shown_target!r}, although it was"
                    " written. Nothing was released. Run again.",
                    code="file-gone",
                    file=name,
                )
        if read_bytes(join(self.target, JOURNAL)) != journal:
            raise FileError(
                f"Another run is writing to {self.shown_target!r}. Wait until it is done, or write"
                " to another folder.",
                code="target-locked",
                target=self.shown_target,
            )
        with defer_interrupt():
            write_bytes(join(self.target, MARKER), marker.encode())
            self._is_published = True
            remove_file(join(self.target, JOURNAL))

    def _withdraw(self) -> None:
        """Restore the marker of the previous release, and remove the files of this one."""
        if self._is_published and self._old_marker is None:
            remove_file(join(self.target, MARKER))
        elif self._is_published and self._old_marker is not None:
            write_bytes(join(self.target, MARKER), self._old_marker)
        old_files = files_of_marker(self._old_marker) if self._old_marker else set()
        self._remove_files((set(self._names) | self._leftovers()) - old_files)
        remove_file(join(self.target, JOURNAL))

    def _leftovers(self) -> set[str]:
        """Return the files of a killed run in the target, which no marker lists."""
        old_files = files_of_marker(self._old_marker) if self._old_marker else set()
        return self._replaceable - old_files - {JOURNAL}

    def _remove_files(self, names: set[str]) -> None:
        for name in sorted(names):
            remove_file(join(self.target, name))

    def _check_target(self) -> None:
        """Refuse a target that exists, or that contains files that are not part of a release."""
        if file_exists(self.target):
            raise FileError(
                f"{self.shown_target!r} is a file. The release of a large table is a folder.",
                code="is-a-file",
                file=self.shown_target,
            )
        existing = set(list_files(self.target))
        if not existing:
            self._old_marker, self._replaceable = None, set()
            return
        if not self.force:
            unfinished = JOURNAL in existing and MARKER not in existing
            problem = "contains files of an unfinished run" if unfinished else "exists already"
            raise FileError(
                f"{self.shown_target!r} {problem}. Use `force=True` to replace it.",
                code="unfinished-release" if unfinished else "file-exists",
                file=self.shown_target,
            )
        self._old_marker = read_bytes(join(self.target, MARKER)) if MARKER in existing else None
        released = files_of_marker(self._old_marker) if self._old_marker is not None else set()
        unfinished_files = journal_files(self.target) if JOURNAL in existing else set()
        if not released and (MARKER in existing or not unfinished_files):
            raise FileError(
                f"{self.shown_target!r} is not a release of Shoal: the file {MARKER} is missing or"
                " was written by another program. Remove the folder yourself, or write to another.",
                code="not-a-release",
                folder=self.shown_target,
            )
        self._replaceable = existing & (released | unfinished_files)
        if other_files := sorted(existing - released - unfinished_files):
            raise FileError(
                f"{self.shown_target!r} also contains {other_files[0]!r}, which is not part of the"
                " release. Move it elsewhere, or write to another folder.",
                code="other-files-in-release",
                folder=self.shown_target,
                file=other_files[0],
            )

    def _check_scratch(self, scratch: str | os.PathLike[str] | None) -> None:
        """Refuse a target on a web server, and scratch files without a private location."""
        if is_web(self.target):
            raise FileError(
                f"{self.shown_target!r} is on a web server, to which nothing can be written. Name a"
                " folder, or an address in a store.",
                code="web-is-only-read",
                place=self.shown_target,
            )
        if scratch is None:
            raise ParameterError(
                f"The target {self.shown_target!r} is in a store, and scratch files contain"
                " original records. Name a private place for them as `scratch`: a folder that all"
                " workers share, or an address in a store.",
                code="scratch-needed",
                option="scratch",
            )
        location = as_location(scratch)
        if is_remote(location) and f"{location}/".startswith(f"{self.target}/"):
            raise ParameterError(
                f"The place of scratch files is inside {self.shown_target!r}, where the release"
                " will be. Name another as `scratch`.",
                code="scratch-in-target",
                option="scratch",
            )


def journal_files(folder: str) -> set[str]:
    """Return the files that the list of an unfinished publication names, and the list itself."""
    try:
        return {JOURNAL, *json.loads(read_bytes(join(folder, JOURNAL)))["files"]}
    except (ValueError, TypeError, KeyError):
        return {JOURNAL}
