"""A release is held against its manifest and its promise."""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shoal.audit import manifest as manifests
from shoal.audit.check import Check, Verification
from shoal.audit.file import Audit, read_dialect
from shoal.errors import ParameterError, ShoalWarning

__all__ = ["Check", "Verification", "verify"]


def verify(
    released: str | Path,
    manifest: str | Path,
    *,
    original: str | Path | Sequence[str | Path] | None = None,
    table: str | None = None,
    original_table: str | None = None,
    layout: str | Path | None = None,
    client: Any = None,
) -> Verification:
    """Check a released file or folder against its manifest and its promise.

    A folder is looked at file by file: no more than one file is held at a time.

    Parameters
    ----------
    released : str or Path
        The released file or folder, or the address of a database.
    manifest : str or Path
        The manifest that was written with it.
    original : str, Path or list of them, optional
        The file, the database, the folder or the files that were masked. With it the plan is
        run again.
    table : str, optional
        The released table of a database; by default the one that the manifest names.
    original_table : str, optional
        The original table of a database; by default the one that the manifest names.
    layout : str or Path, optional
        Column map of fixed-width text; by default the one that the manifest names, beside
        the manifest.
    client : Client, str or None
        The cluster on which the plan of a folder is run again, or the address of its
        scheduler; a local cluster where None.

    Returns
    -------
    Verification
        What was looked at, in order: each check has a ``name``, ``passed`` (True, False, or None
        where it could not be looked at) and ``told``, a sentence. Its ``verdict`` is what may be
        said about the release.
    """
    path = Path(manifest)
    entries = manifests.load(path)
    places = [original] if isinstance(original, str | Path) else list(original or ())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        if "files" in entries.get("output", {}):
            from shoal.scale.verification import FolderAudit  # the room of large tables

            whole = FolderAudit(entries, Path(released), path.parent, client)
            found = [*whole.checks(), *(whole.again(places) if places else ())]
            return Verification(tuple(found), whole.verdict)
        if len(places) > 1:
            raise ParameterError(f"A file has one original. Got {len(places)}; name one.")
        audit = Audit(entries, str(released), table, read_dialect(entries, path.parent, layout))
        found = [*audit.checks(), *(audit.again(str(places[0]), original_table) if places else ())]
        return Verification(tuple(found), audit.verdict)
