"""A lock that lets only one run at a time write to a target."""

import contextlib
import os
import re
import time
from pathlib import Path
from types import ModuleType

from shoal.errors import FileError

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # Windows has no such locks: the last of two runs wins
    fcntl = None

STALE_AFTER = 60.0  # seconds since its last change after which a partial file is abandoned


class TargetLock:
    """A lock on a target, held on a hidden file next to it until `release`.

    The operating system releases the lock when the process ends in any way. On a file system
    without locks nothing is locked and nothing is removed.

    Parameters
    ----------
    target : Path
        File to be written.
    """

    def __init__(self, target: Path):
        self.target = target
        self.path = target.with_name(f".{target.name}.lock")
        self._handle: int | None = None

    def acquire(self) -> None:
        """Lock the target; refuse one that another run is writing to."""
        while fcntl is not None:
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(handle)
                raise FileError(
                    f"Another run is writing to {str(self.target)!r}. Wait until it is done, or"
                    " write to another file.",
                    code="target-locked",
                    target=str(self.target),
                ) from None
            except OSError:  # a file system without locks
                os.close(handle)
                self.path.unlink(missing_ok=True)
                return
            if self._is_current(handle):
                self._handle = handle
                return
            os.close(handle)  # another run has just released the lock and removed the file

    def release(self) -> None:
        """Release the lock."""
        if self._handle is not None:
            with contextlib.suppress(OSError):
                self.path.unlink()
            os.close(self._handle)
            self._handle = None

    def remove_stale_files(self) -> int:
        """Remove partial files of crashed runs; return their number.

        Only hidden files named after this target are removed, and only while the target is
        locked, so that no other run is writing them.
        """
        if self._handle is None:
            return 0
        pattern = re.compile(rf"\.{re.escape(self.target.name)}\.[a-z0-9_]{{8}}\.part(\.\w+)*")
        removed = 0
        for entry in os.scandir(self.target.parent):
            if pattern.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                with contextlib.suppress(OSError):
                    if time.time() - entry.stat(follow_symlinks=False).st_mtime > STALE_AFTER:
                        Path(entry.path).unlink()
                        removed += 1
        return removed

    def _is_current(self, handle: int) -> bool:
        try:
            return os.path.samestat(os.fstat(handle), self.path.stat())
        except OSError:
            return False
