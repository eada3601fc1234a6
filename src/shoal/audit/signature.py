"""A detached signature shows who wrote a manifest.

The signature is made over the bytes of the manifest, whose hashes cover the released file, the
report and the plan. It is the 64 bytes of an Ed25519 signature, in a file beside the manifest, so
that other software can check it too.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from shoal.audit import keys
from shoal.audit import manifest as manifests
from shoal.errors import FileError
from shoal.io.publish import Publication

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

ENDING = ".sig"


def signature_path(manifest: str | Path) -> Path:
    """Return where the signature of a manifest lies: beside it, with one more ending."""
    return Path(f"{manifest}{ENDING}")


def sign(
    manifest: str | Path,
    key: str | Path,
    *,
    passphrase: str | None = None,
    force: bool = False,
) -> Path:
    """Sign a manifest that exists.

    Parameters
    ----------
    manifest : str or Path
        The manifest.
    key : str or Path
        The private key: a PEM file that others cannot read.
    passphrase : str, optional
        Decrypts the key; by default the environment variable ``SHOAL_PASSPHRASE``.
    force : bool
        Whether a signature that exists may be replaced.

    Returns
    -------
    Path
        The signature, beside the manifest.
    """
    content = keys.read_bytes(Path(manifest))
    manifests.parse(content, Path(manifest).name)  # what is no manifest is not signed as one
    private = keys.load_private_key(key, passphrase=passphrase)
    target = signature_path(manifest)
    with Publication(force=force) as publication:
        publication.add(target).write_bytes(private.sign(content))
    return target


def check_signature(
    content: bytes, manifest: Path, key: "Ed25519PublicKey | None"
) -> tuple[bool | None, str]:
    """Say whether a manifest of some content was signed with the private half of ``key``.

    One without a signature was not; without a key nothing can be said.
    """
    path = signature_path(manifest)
    if key is None:
        there = "" if path.exists() else ", and there is none beside the manifest"
        return None, f"not checked: no key was given{there}"
    from cryptography.exceptions import InvalidSignature

    try:
        signature = keys.read_bytes(path)
    except FileError:
        return False, f"there is no readable signature {path.name!r} beside the manifest"
    try:
        key.verify(signature, content)
    except InvalidSignature:
        return False, "the signature is NOT that of this manifest and this key"
    return True, "made over this manifest with the private key of this public key"
