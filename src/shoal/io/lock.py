"""One run at a time writes to a target."""

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
except ImportError:  # Windows has no such locks; there, the last of two runs wins
    fcntl = None

OLD = 60.0  # seconds since its last change after which a file that nobody locks was left behind


class TargetLock:
    """A lock on a target, held by a hidden file beside it until `release`.

    The operating system gives the lock back when a process ends, however it ends. On a file
    system without locks nothing is locked, and nothing is swept.

    Parameters
    ----------
    target : Path
        The file that is going to be written.
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
            if self._is_there(handle):
                self._handle = handle
                return
            os.close(handle)  # the run that held the lock has just removed the file

    def release(self) -> None:
        """Give the lock back."""
        if self._handle is not None:
            with contextlib.suppress(OSError):
                self.path.unlink()
            os.close(self._handle)
            self._handle = None

    def sweep(self) -> int:
        """Remove what runs that crashed left beside the target; return the number of files.

        Only hidden files with the name of a part of this very target go, and only while the
        target is locked, so that no other run is writing them.
        """
        if self._handle is None:
            return 0
        named = re.compile(rf"\.{re.escape(self.target.name)}\.[a-z0-9_]{{8}}\.part(\.\w+)*")
        removed = 0
        for entry in os.scandir(self.target.parent):
            if named.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                with contextlib.suppress(OSError):
                    if time.time() - entry.stat(follow_symlinks=False).st_mtime > OLD:
                        Path(entry.path).unlink()
                        removed += 1
        return removed

    def _is_there(self, handle: int) -> bool:
        try:
            return os.path.samestat(os.fstat(handle), self.path.stat())
        except OSError:
            return False
