"""The cache folder of compiled kernels, and how damaged files in it are detected.

The folder is named after a digest of the text of all kernels. Numba itself compares only the text
of a kernel's own file, but the machine code of a kernel contains the kernels that it calls.

Numba loads machine code without checking it, so a damaged file would crash the process or make
every run fail. Each process that compiles therefore writes the checksums of all files, and a file
that does not match is removed before numba sees it.
"""

import hashlib
import json
import logging
import os
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from multiprocessing.util import Finalize
from pathlib import Path

from numba import __version__, config

_log = logging.getLogger("shoal")

CHECKSUMS = "checksums.json"
STALE_AFTER = 30 * 24 * 3600.0  # seconds after which the folder of another version is removed


@contextmanager
def use_cache_folder() -> Iterator[bool]:
    """Let numba cache the kernels decorated here in our folder; yield whether there is one."""
    original_folder, folder = config.CACHE_DIR, open_kernel_folder()
    config.CACHE_DIR = str(folder or original_folder)
    try:
        yield folder is not None
    finally:
        config.CACHE_DIR = original_folder


@cache
def open_kernel_folder() -> Path | None:
    """Return the folder for the current kernels, or None if no folder is writable.

    Stale folders and unverified files are removed first.
    """
    for parent in _cache_locations():
        folder = parent / kernel_digest()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError:
            continue
        with suppress(OSError):
            remove_stale_folders(parent)
        remove_unverified(folder)
        return folder
    return None


def _cache_locations() -> Iterable[Path]:
    """Return the parent folders to try: one beside the kernels, then the user's cache.

    If NUMBA_CACHE_DIR is set, only a folder in it is tried.
    """
    if config.CACHE_DIR:
        return [Path(config.CACHE_DIR) / "shoal"]
    locations = [Path(__file__).parent / "__pycache__" / "compiled"]
    with suppress(RuntimeError):  # the user has no home
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        locations.append(home / "shoal" / "compiled")
    return locations


@cache
def kernel_digest() -> str:
    """Return a digest of the text of all kernels, numba's version and its compiler options."""
    package = Path(__file__).parent
    digest = hashlib.sha256(f"{__version__} {config.BOUNDSCHECK} {config.OPT}".encode())
    for path in sorted(package.rglob("*.py")):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def remove_unverified(folder: Path) -> None:
    """Remove files without a checksum, and those that do not match theirs, with a warning.

    There is no warning for a file newer than the checksums: another process has compiled it.
    """
    checksums, checksums_time = read_checksums(folder), _checksums_time(folder)
    for path in compiled_files(folder):
        name = path.relative_to(folder).as_posix()
        with suppress(OSError):
            if checksums.get(name) == checksum(path):
                continue
            if name in checksums and path.stat().st_mtime <= checksums_time:
                _log.warning("%s does not match its checksum: its kernel is compiled again.", path)
            path.unlink()


def write_checksums(folder: Path) -> None:
    """Write the checksums of all files in ``folder``; only those of new files are computed."""
    with suppress(OSError):
        checksums_time = _checksums_time(folder)
        known_checksums = read_checksums(folder)
        checksums = {}
        for path in compiled_files(folder):
            name = path.relative_to(folder).as_posix()
            is_new = name not in known_checksums or path.stat().st_mtime >= checksums_time
            checksums[name] = checksum(path) if is_new else known_checksums[name]
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as file:
            json.dump(checksums, file, indent=0)
        Path(file.name).replace(folder / CHECKSUMS)


def _checksums_time(folder: Path) -> float:
    """Return the time at which the checksums were written, or 0 if there are none."""
    try:
        return (folder / CHECKSUMS).stat().st_mtime
    except OSError:
        return 0.0


def write_checksums_now_and_at_exit() -> None:
    """Write the checksums of the files so far, and again when the process ends.

    A process that is killed therefore loses one compiled kernel at most.
    """
    folder = open_kernel_folder()
    if folder is not None:
        write_checksums(folder)
        _write_checksums_at_exit(folder, os.getpid())


@cache
def _write_checksums_at_exit(folder: Path, process: int) -> None:
    """Register the writing once per process; ``process`` distinguishes a fork from its parent.

    `atexit` would not do, since the worker processes of `multiprocessing` never call it.
    """
    del process
    Finalize(None, write_checksums, (folder,), exitpriority=0)


def read_checksums(folder: Path) -> dict[str, str]:
    """Return the checksums by file name, or an empty dict if they cannot be read."""
    try:
        checksums = json.loads((folder / CHECKSUMS).read_text())
    except (OSError, ValueError):
        return {}
    return checksums if isinstance(checksums, dict) else {}


def compiled_files(folder: Path) -> list[Path]:
    """Return the files that numba wrote: machine code and its indexes."""
    return sorted(path for path in folder.rglob("*.nb[ci]") if path.is_file())


def checksum(path: Path) -> str:
    """Return a checksum of the content of a file."""
    return hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest()


def remove_stale_folders(parent: Path) -> None:
    """Remove the folders of other versions that have not been written to for a month."""
    for folder in parent.iterdir():
        last_used = max((path.stat().st_mtime for path in folder.glob("*")), default=time.time())
        if folder.name != kernel_digest() and time.time() - last_used > STALE_AFTER:
            for path in [*compiled_files(folder), folder / CHECKSUMS]:
                path.unlink(missing_ok=True)
            for path in [*folder.glob("*"), folder]:
                path.rmdir()
