"""Manifests of files that were written from Python."""

from pathlib import Path
from typing import TYPE_CHECKING

from shoal.audit import keys
from shoal.audit import manifest as manifests
from shoal.audit.manifest_files import ManifestFiles
from shoal.io.dialect import Dialect
from shoal.io.publish import Publication
from shoal.plan.release import Release

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


def write_manifest(
    release: Release,
    released: str | Path,
    manifest: str | Path,
    *,
    original: str | Path | None = None,
    sign: "str | Path | Ed25519PrivateKey | None" = None,
    hash_key: str | Path | None = None,
    dialect: Dialect | None = None,
    force: bool = False,
) -> Path:
    """Write the manifest of a release whose data you wrote to a file yourself.

    Parameters
    ----------
    release : Release
        The release.
    released : str or Path
        The file that holds its data.
    manifest : str or Path
        Manifest to write: ``.json``.
    original : str or Path, optional
        The file that was masked; the manifest holds its keyed hash.
    sign : str, Path or Ed25519PrivateKey, optional
        Private key, or the PEM file that holds it, to sign the manifest with.
    hash_key : str or Path, optional
        Secret key for the hash of the original, by default next to the manifest; created if it
        does not exist.
    dialect : Dialect, optional
        What the file does not say, such as the separator of a text table.
    force : bool
        Whether files that exist may be replaced.

    Returns
    -------
    Path
        The manifest.
    """
    manifest_files = ManifestFiles(
        Path(manifest),
        signing_key=keys.as_private_key(sign),
        hash_key=None if hash_key is None else Path(hash_key),
    )
    input_entry = {} if original is None else manifests.entry_of_file(str(original))
    output_entry = manifests.entry_of_file(str(released))
    entries = manifests.with_files(
        release.manifest, input_entry, output_entry, dialect or Dialect(), manifest_files.hash_key
    )
    documents = manifest_files.documents(manifests.dumps)
    with Publication(force=force) as publication:
        for path in documents:
            publication.add(path, secret=path in manifest_files.secret)
        for path, document in documents.items():
            publication.write(path, document(entries))
    return manifest_files.manifest
