"""The files that document a release: manifest, signature and hash key, written together."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from shoal.audit import keys
from shoal.audit import manifest as manifests
from shoal.audit.hashes import hash_key_path
from shoal.audit.signature import signature_path
from shoal.errors import ParameterError
from shoal.io.dialect import Dialect
from shoal.io.publish import Publication
from shoal.plan.release import Release

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

ReleaseType = TypeVar("ReleaseType")


class ManifestFiles:
    """A manifest to be written, with its signing key and its hash key.

    Parameters
    ----------
    manifest : Path
        Path of the manifest.
    signing_key : Ed25519PrivateKey, optional
        Private key that signs the manifest; the signature is written next to the manifest.
    hash_key : Path, optional
        File of the hash key, by default next to the manifest. An existing key is used, so that
        the same run gives the same manifest again; otherwise a key is created.
    """

    def __init__(
        self,
        manifest: Path,
        *,
        signing_key: "Ed25519PrivateKey | None" = None,
        hash_key: Path | None = None,
    ):
        manifests.check_suffix(manifest)
        self.manifest = manifest
        self._signing_key = signing_key
        self._key_file = hash_key or hash_key_path(manifest)
        self._new_key = None if self._key_file.exists() else keys.new_hash_key()
        self.hash_key = (
            keys.load_hash_key(self._key_file)
            if self._new_key is None
            else bytes.fromhex(self._new_key)
        )

    @property
    def secret_files(self) -> tuple[Path, ...]:
        """Files that only their owner may read."""
        return () if self._new_key is None else (self._key_file,)

    def documents(
        self, manifest_text: Callable[[ReleaseType], str]
    ) -> dict[Path, Callable[[ReleaseType], str | bytes]]:
        """Return the files to write, each with a function that returns its content.

        Parameters
        ----------
        manifest_text : callable
            Returns the manifest of a release.

        Returns
        -------
        dict
            The functions by path. They must be called in order, because the signature covers the
            manifest as it was written.
        """
        manifest_content = ""

        def manifest(release: ReleaseType) -> str:
            nonlocal manifest_content
            manifest_content = manifest_text(release)
            return manifest_content

        documents: dict[Path, Callable[[ReleaseType], str | bytes]] = {self.manifest: manifest}
        signing_key, new_key = self._signing_key, self._new_key
        if signing_key is not None:
            # The manifest is written first, so that exactly its bytes are signed.
            path = signature_path(self.manifest)
            documents[path] = lambda release: signing_key.sign(manifest_content.encode())
        if new_key is not None:
            documents[self._key_file] = lambda release: new_key
        return documents


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
    """Write the manifest of a release whose data were written to a file by other software.

    Parameters
    ----------
    release : Release
        The release.
    released : str or Path
        The file that contains its data.
    manifest : str or Path
        Manifest to write: ``.json``.
    original : str or Path, optional
        The file that was masked; the manifest contains its keyed hash.
    sign : str, Path or Ed25519PrivateKey, optional
        Private key that signs the manifest, or the PEM file that contains it.
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
        The path of the manifest.
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
            publication.add(path, secret=path in manifest_files.secret_files)
        for path, document in documents.items():
            publication.write(path, document(entries))
    return manifest_files.manifest


def check_signing(manifest: Path | None, sign: object) -> None:
    """Refuse a key that has no manifest to sign."""
    if sign is not None and manifest is None:
        raise ParameterError(
            "A signature needs a manifest to sign. Name one with `manifest`, or leave `sign` out.",
            code="nothing-to-sign",
        )
