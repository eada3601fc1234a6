"""The function `verify`: check a release against its manifest and its guarantee."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from shoal.audit import keys, statements
from shoal.audit import manifest as manifests
from shoal.audit.agreed_plan import check_agreed
from shoal.audit.check import Check, Verification, run_check, with_units_counted
from shoal.audit.file_audit import FileAudit, check_file, read_dialect
from shoal.audit.hashes import hash_key_path
from shoal.audit.signature import check_signature
from shoal.errors import ParameterError, ShoalWarning
from shoal.metrics.limits import Limits


def verify(
    released: str | Path,
    manifest: str | Path,
    *,
    original: str | Path | Sequence[str | Path] | None = None,
    earlier: str | Path | Sequence[str | Path] = (),
    key: str | Path | None = None,
    plan: str | Path | None = None,
    report: str | Path | None = None,
    hash_key: str | Path | None = None,
    limits: Limits | Mapping[str, Any] | str | Path | None = None,
    table: str | None = None,
    original_table: str | None = None,
    layout: str | Path | None = None,
    client: Any = None,
) -> Verification:
    """Check a released file or folder against its manifest and its guarantee.

    A folder is checked file by file, with one file in memory at a time.

    Parameters
    ----------
    released : str or Path
        The released file or folder, or the address of a database.
    manifest : str or Path
        The manifest that was written with it.
    original : str, Path or list of them, optional
        The file, the database, the folder or the files that were masked. With the original, the
        plan is run again, and every statement of the manifest is compared with that run.
    earlier : str, Path or list of them
        Earlier releases of about the same people. The verdict then also states how many
        candidates are left for each unit in all releases, which needs the original.
    key : str or Path, optional
        The public key of the signer of the manifest. With a key, a signature that is absent or was
        made with another key is a failure; without a key, the signature is not checked.
    plan : str or Path, optional
        The plan that was agreed on. The plan of the manifest must be the same, except for what a
        run adds, such as the seeds that it drew and the rounds that an effort made in its budget.
    report : str or Path, optional
        The report that was written with the release.
    hash_key : str or Path, optional
        Secret key of the hashes of the original; by default the file next to the manifest.
    limits : Limits, mapping, path or None
        Limits to check besides the limits of the plan; see `shoal.Limits`. Limits whose figures
        need the original fail without it.
    table : str, optional
        The released table of a database; by default the table that the manifest names.
    original_table : str, optional
        The original table of a database; by default the table that the manifest names.
    layout : str or Path, optional
        Column map of fixed-width text; by default the map that the manifest names, next to the
        manifest.
    client : Client, Runner, str or None
        The cluster on which the plan of a folder is run again, the address of its scheduler, or
        ``"processes"``, as in `shoal.scale.mask`; a local cluster if None.

    Returns
    -------
    Verification
        The checks in order, each with ``name``, ``passed`` (True, False, or None if it could not
        be made) and ``message``, and the ``verdict`` on the released values.
    """
    path = Path(manifest)
    content = keys.read_bytes(path)
    entries = manifests.parse(content, path.name)
    originals = [original] if isinstance(original, str | Path) else list(original or ())
    earlier_releases = [earlier] if isinstance(earlier, str | Path) else list(earlier)
    extra_limits = Limits.of(limits)
    public_key = None if key is None else keys.load_public_key(key)
    hash_key_bytes = _hash_key(path, hash_key) if originals else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        checks = [run_check("signature", lambda: check_signature(content, path, public_key))]
        checks += _check_documents(entries, plan, report)
        if "files" in entries.get("output", {}):
            _refuse_checks_of_whole_table(earlier_releases, extra_limits)
            from shoal.scale.verification.folder_audit import FolderAudit  # large tables

            folder = FolderAudit(entries, released, path.parent, client)
            checks += folder.checks()
            if originals:
                checks += folder.checks_with_original(originals, hash_key_bytes)
            checked_plan, verdict = folder.plan, folder.verdict
        else:
            _refuse_several_originals(originals)
            dialect = read_dialect(entries, path.parent, layout)
            file = FileAudit(entries, str(released), table, dialect)
            checks += file.checks()
            if originals:
                checks += file.checks_with_original(
                    str(originals[0]), original_table, hash_key_bytes
                )
            checks += file.check_limits(extra_limits)
            checks += file.check_earlier([str(location) for location in earlier_releases])
            checked_plan, verdict = file.plan, file.verdict
        return Verification(tuple(with_units_counted(checks, checked_plan, verdict)), verdict)


def _refuse_several_originals(originals: Sequence[str | Path]) -> None:
    """Refuse several originals of a released file."""
    if len(originals) > 1:
        raise ParameterError(
            f"A file has one original. Got {len(originals)}; name one.",
            code="several-originals",
            count=len(originals),
        )


def _refuse_checks_of_whole_table(earlier_releases: Sequence[str | Path], limits: Limits) -> None:
    """Refuse checks that need the whole table, which is never in memory for a folder."""
    if earlier_releases:
        raise ParameterError(
            "Earlier releases cannot be compared with a folder, whose table is never in"
            " memory. Leave the earlier releases out.",
            code="earlier-of-folder",
        )
    if limits:
        raise ParameterError(
            "Limits cannot be checked on a folder, whose table is never in memory. Set them"
            " in the plan.",
            code="limits-of-folder",
        )


def _check_documents(
    entries: Mapping[str, Any], plan: str | Path | None, report: str | Path | None
) -> Iterator[Check]:
    """Yield the checks of the manifest itself, of the plan and of the report."""
    yield run_check("manifest", lambda: statements.check_manifest(entries))
    if plan is not None:
        yield run_check("plan", lambda: check_agreed(plan, entries))
    if report is not None or "report" in entries:
        yield run_check("report", lambda: _check_report(entries.get("report"), report))


def _check_report(
    entry: Mapping[str, Any] | None, report: str | Path | None
) -> tuple[bool | None, str]:
    if report is None:
        return None, "not checked: no report was named"
    if entry is None:
        return False, "the manifest has no hash of a report"
    return check_file(str(report), entry)


def _hash_key(manifest: Path, hash_key: str | Path | None) -> bytes | None:
    """Return the key of the hashes of an original, or None if there is none."""
    if hash_key is not None:
        return keys.load_hash_key(hash_key)
    path = hash_key_path(manifest)
    return keys.load_hash_key(path) if path.exists() else None
