"""Atomic publication of files: each appears complete, and new files appear all or not at all."""

import contextlib
import logging
import os
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Self

from shoal import _progress as progress
from shoal._signals import defer_interrupt
from shoal._text import count
from shoal.errors import FileError
from shoal.io.compression import compression_of, strip_compression_suffix
from shoal.io.lock import TargetLock

_log = logging.getLogger("shoal")


class Publication:
    """Files to be published: each is written next to its target and renamed when all are done.

    After an error, a full disk or Ctrl-C, the partial files are removed and every target is as
    before; Ctrl-C during the renaming is held back until all are renamed. There is one exception:
    if existing files are replaced and one of several cannot be renamed, the files before it have
    already been replaced, and the error names them. A killed process may leave hidden files
    (``.NAME.xxxxxxxx.part.SUFFIX``) but never a partial target; the next run that writes to the
    target removes them. A lock keeps two runs from writing to one target at a time.

    Parameters
    ----------
    force : bool
        Whether a file that exists may be replaced.
    """

    def __init__(self, *, force: bool = False):
        self.force = force
        self._partial_files: dict[Path, Path] = {}
        self._locks: list[TargetLock] = []
        self._secret: set[Path] = set()

    def add(self, target: Path, *, secret: bool = False) -> Path:
        """Return the path to write to in place of ``target``.

        A ``secret`` file is readable by its owner only, before and after publication.
        """
        target = Path(target)
        if target.absolute() in (other_target.absolute() for other_target in self._partial_files):
            raise FileError(
                f"{str(target)!r} would be written twice. Name two files.",
                code="written-twice",
                file=str(target),
            )
        if target.is_dir():
            raise FileError(
                f"{str(target)!r} is a directory. Name a file in it.",
                code="is-a-directory",
                file=str(target),
            )
        if target.exists() and not self.force:
            raise _exists_error(target)
        try:
            self._lock(target)
            # The partial file keeps the suffix, so that it is read back in the target's format.
            handle, name = tempfile.mkstemp(
                prefix=f".{target.name}.", suffix=f".part{_suffixes(target)}", dir=target.parent
            )
        except FileError:
            raise
        except OSError as error:
            raise _write_error(target, error) from None
        os.close(handle)
        self._partial_files[target] = Path(name)
        if secret:
            self._secret.add(target)
        return Path(name)

    def write(self, target: Path, content: str | bytes) -> None:
        """Write the whole content of a ``target`` that was added; text in UTF-8."""
        encoded_content = content.encode() if isinstance(content, str) else content
        self._partial_files[Path(target)].write_bytes(encoded_content)

    def _lock(self, target: Path) -> None:
        """Lock the target, and remove partial files of crashed runs."""
        lock = TargetLock(target)
        lock.acquire()
        self._locks.append(lock)
        removed = lock.remove_stale_files()
        if removed:
            files = count(removed, "hidden file")
            _log.info("removed %s of an interrupted run next to %s", files, target.name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        try:
            if error is None:
                self._publish()
            elif (
                isinstance(error, OSError)
                and not isinstance(error, FileError)
                and self._partial_files
            ):
                target = next(iter(self._partial_files))
                raise _write_error(target, error) from None
        finally:
            for partial_file in self._partial_files.values():
                with contextlib.suppress(OSError):
                    partial_file.unlink()
            for lock in self._locks:
                lock.release()

    def _publish(self) -> None:
        umask = os.umask(0)
        os.umask(umask)
        for target, partial_file in self._partial_files.items():
            try:
                mode = target.stat().st_mode if target.exists() else 0o666 & ~umask
                partial_file.chmod(0o600 if target in self._secret else mode)
                with partial_file.open("rb") as file:
                    os.fsync(file.fileno())
            except OSError as error:
                raise _write_error(target, error) from None
        published: list[Path] = []
        with defer_interrupt():  # Ctrl-C leaves either all targets or none
            try:
                for target, partial_file in self._partial_files.items():
                    self._rename(partial_file, target, published)
                    published.append(target)
            except FileError:
                if not self.force:  # otherwise the previous files cannot be restored
                    for target in published:
                        target.unlink(missing_ok=True)
                raise
            progress.report_published(target.name for target in published)

    def _rename(self, partial_file: Path, target: Path, published: Sequence[Path]) -> None:
        try:
            if self.force:
                partial_file.replace(target)
            else:
                os.link(partial_file, target)  # fails if the target was created meanwhile
        except FileExistsError:
            raise _exists_error(target) from None
        except OSError as error:
            if self.force or target.exists():
                replaced = published if self.force else ()
                raise _write_error(target, error, replaced) from None
            partial_file.replace(target)  # a file system without links


def refuse_overwriting(
    paths: Iterable[str | Path | None], inputs: Iterable[tuple[str | Path | None, str]]
) -> None:
    """Refuse to overwrite an input; ``inputs`` are paths and what each of them is."""
    inputs = list(inputs)
    for path in paths:
        for other, role in inputs:
            if path is not None and other is not None and _is_same_file(path, other):
                raise FileError(
                    f"{str(path)!r} is the {role}. Write to another file.",
                    code="would-overwrite-input",
                    file=str(path),
                    what=role,
                )


def _is_same_file(path: str | Path, other_path: str | Path) -> bool:
    path, other_path = Path(path), Path(other_path)
    return path.exists() and other_path.exists() and path.samefile(other_path)


def _suffixes(target: Path) -> str:
    """Return the suffixes of format and compression, such as ``.csv.gz``."""
    return strip_compression_suffix(target).suffix + (
        target.suffix if compression_of(target) else ""
    )


def _write_error(target: Path, error: OSError, replaced: Iterable[Path] = ()) -> FileError:
    """Return the error with its reason, and the files that were ``replaced`` before it."""
    reason = (os.strerror(error.errno) if error.errno else "I/O error").lower()
    names = ", ".join(repr(str(path)) for path in replaced)
    consequence = f"Replaced before that: {names}." if names else "Nothing was changed."
    return FileError(
        f"{str(target)!r} could not be written: {reason}. {consequence}",
        code="cannot-write",
        file=str(target),
    )


def _exists_error(target: Path) -> FileError:
    return FileError(
        f"{str(target)!r} exists already. Use `force=True` to replace it.",
        code="file-exists",
        file=str(target),
    )
