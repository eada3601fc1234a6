"""The files that document a release: manifest, signature and hash key."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from shoal.audit import keys
from shoal.audit.hashes import hash_key_path
from shoal.audit.manifest import check_suffix
from shoal.audit.signature import signature_path
from shoal.errors import ParameterError

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
        Signs the manifest; the signature is written next to it.
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
        check_suffix(manifest)
        self.manifest, self._signing_key = manifest, signing_key
        self._key_file = hash_key or hash_key_path(manifest)
        self._new_key = None if self._key_file.exists() else keys.new_hash_key()
        self.hash_key = (
            keys.load_hash_key(self._key_file)
            if self._new_key is None
            else bytes.fromhex(self._new_key)
        )

    @property
    def secret(self) -> tuple[Path, ...]:
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
            Paths, and functions of the release.
        """
        written_manifest: list[str] = []

        def manifest(release: ReleaseType) -> str:
            written_manifest[:] = [manifest_text(release)]
            return written_manifest[0]

        documents: dict[Path, Callable[[ReleaseType], str | bytes]] = {self.manifest: manifest}
        signing_key, new_key = self._signing_key, self._new_key
        if signing_key is not None:
            # The manifest is written first, so that exactly its bytes are signed.
            path = signature_path(self.manifest)
            documents[path] = lambda release: signing_key.sign(written_manifest[0].encode())
        if new_key is not None:
            documents[self._key_file] = lambda release: new_key
        return documents


def check_signing(manifest: Path | None, sign: object) -> None:
    """Refuse a key that has no manifest to sign."""
    if sign is not None and manifest is None:
        raise ParameterError(
            "A signature needs a manifest to sign. Name one with `manifest`, or leave `sign` out.",
            code="nothing-to-sign",
        )
