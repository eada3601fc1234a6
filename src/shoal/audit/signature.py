"""Detached signatures of manifests.

The signature covers the bytes of the manifest, whose hashes cover the released file, the report and
the plan. It is the 64 bytes of an Ed25519 signature, in a file next to the manifest, so that other
software can check it too.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from shoal.audit import keys
from shoal.audit import manifest as manifests
from shoal.errors import FileError
from shoal.io.publish import Publication

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

SUFFIX = ".sig"


def signature_path(manifest: str | Path) -> Path:
    """Return the path of the signature of a manifest: its own path with another suffix."""
    return Path(f"{manifest}{SUFFIX}")


def sign(
    manifest: str | Path,
    key: str | Path,
    *,
    passphrase: str | None = None,
    force: bool = False,
) -> Path:
    """Sign an existing manifest.

    Parameters
    ----------
    manifest : str or Path
        The manifest.
    key : str or Path
        The private key: a PEM file that others cannot read.
    passphrase : str, optional
        Passphrase of the key; by default the environment variable ``SHOAL_PASSPHRASE``.
    force : bool
        Whether a signature that exists may be replaced.

    Returns
    -------
    Path
        The path of the signature, next to the manifest.
    """
    content = keys.read_bytes(Path(manifest))
    manifests.parse(content, Path(manifest).name)  # refuses to sign any other file
    private = keys.load_private_key(key, passphrase=passphrase)
    target = signature_path(manifest)
    with Publication(force=force) as publication:
        publication.add(target).write_bytes(private.sign(content))
    return target


def check_signature(
    content: bytes, manifest: Path, key: "Ed25519PublicKey | None"
) -> tuple[bool | None, str]:
    """Check that a manifest with this content was signed with the private key of ``key``.

    Without a key, nothing is checked.
    """
    path = signature_path(manifest)
    if key is None:
        clause = "" if path.exists() else ", and the manifest has no signature"
        return None, f"not checked: no public key was given{clause}"
    from cryptography.exceptions import InvalidSignature

    try:
        signature = keys.read_bytes(path)
    except FileError:
        return False, f"there is no readable signature {path.name!r} next to the manifest"
    try:
        key.verify(signature, content)
    except InvalidSignature:
        return False, "does not match this manifest and this public key"
    return True, "matches this manifest and this public key"
