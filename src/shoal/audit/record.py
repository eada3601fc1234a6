"""The files that vouch for a release: its manifest, the signature and the hash key."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from shoal.audit import keys
from shoal.audit.hashes import hash_key_path
from shoal.audit.manifest import check_manifest
from shoal.audit.signature import signature_path
from shoal.errors import ParameterError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

Made = TypeVar("Made")


class Record:
    """Where a manifest is to be written, with what signs it and what keys its hashes.

    Parameters
    ----------
    manifest : Path
        The manifest.
    signing_key : Ed25519PrivateKey, optional
        Signs the manifest; the signature appears beside it.
    hash_key : Path, optional
        The file of the hash key; by default it lies beside the manifest. One that exists is
        used, so that the same run gives the same manifest again; else it is made.
    """

    def __init__(
        self,
        manifest: Path,
        *,
        signing_key: "Ed25519PrivateKey | None" = None,
        hash_key: Path | None = None,
    ):
        check_manifest(manifest)
        self.manifest, self._signing_key = manifest, signing_key
        self._key_file = hash_key or hash_key_path(manifest)
        self._new = None if self._key_file.exists() else keys.new_hash_key()
        self.hash_key = (
            keys.load_hash_key(self._key_file) if self._new is None else bytes.fromhex(self._new)
        )

    @property
    def secret(self) -> tuple[Path, ...]:
        """The files that their owner alone may read."""
        return () if self._new is None else (self._key_file,)

    def documents(self, text: Callable[[Made], str]) -> dict[Path, Callable[[Made], str | bytes]]:
        """Return the files to write, each with what returns its content.

        Parameters
        ----------
        text : callable
            Returns the manifest of what was made.

        Returns
        -------
        dict
            Paths, and functions of what was made.
        """
        written: list[str] = []

        def manifest(made: Made) -> str:
            written[:] = [text(made)]
            return written[0]

        found: dict[Path, Callable[[Made], str | bytes]] = {self.manifest: manifest}
        signing_key, new = self._signing_key, self._new
        if signing_key is not None:
            # The manifest comes first, so what is signed are its very bytes.
            path = signature_path(self.manifest)
            found[path] = lambda made: signing_key.sign(written[0].encode())
        if new is not None:
            found[self._key_file] = lambda made: new
        return found


def check_signing(manifest: Path | None, sign: object) -> None:
    """Refuse a key that has no manifest to sign."""
    if sign is not None and manifest is None:
        raise ParameterError(
            "A signature is made over the manifest. Name one with `manifest`, or leave `sign` out.",
            code="nothing-to-sign",
        )
