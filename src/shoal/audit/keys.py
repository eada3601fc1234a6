"""Key files: Ed25519 key pairs that sign manifests, and secret keys for the hash of an original.

Key pairs are PEM files (PKCS #8 and SubjectPublicKeyInfo), as OpenSSL reads and writes them.
"""

import contextlib
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from shoal.errors import FileError, MissingDependency, ParameterError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )

    PrivateKey: TypeAlias = Ed25519PrivateKey

PASSPHRASE = "SHOAL_PASSPHRASE"  # the environment variable
FORBIDDEN_PERMISSIONS = 0o037  # permission bits refused on a secret file; its group may read it
HASH_KEY_BYTES = 32


def make_key_pair(
    private: str | Path, public: str | Path, *, passphrase: str | None = None
) -> None:
    """Write a new Ed25519 key pair; no file is ever replaced.

    Parameters
    ----------
    private : str or Path
        File for the private key, readable by its owner only.
    public : str or Path
        File for the public key.
    passphrase : str, optional
        Passphrase that encrypts the private key; by default it is not encrypted.
    """
    serialization = _serialization()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.generate()
    encryption: Any = serialization.NoEncryption()
    if passphrase is not None:
        if not passphrase:
            raise ParameterError("The passphrase is empty.", code="empty-passphrase")
        encryption = serialization.BestAvailableEncryption(passphrase.encode())
    pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    private_pem = key.private_bytes(pem, pkcs8, encryption)
    public_pem = key.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo)
    _create(Path(private), private_pem, 0o600)
    try:
        _create(Path(public), public_pem, 0o644)
    except FileError:
        with contextlib.suppress(OSError):
            Path(private).unlink()
        raise


def load_private_key(path: str | Path, *, passphrase: str | None = None) -> "PrivateKey":
    """Read a private key for signing.

    Parameters
    ----------
    path : str or Path
        A PEM file that others can neither read nor write.
    passphrase : str, optional
        Passphrase of the key; by default the environment variable ``SHOAL_PASSPHRASE``.

    Returns
    -------
    Ed25519PrivateKey
        The decrypted key.
    """
    serialization = _serialization()
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    path = Path(path)
    content = read_secret(path)
    passphrase = passphrase if passphrase is not None else os.environ.get(PASSPHRASE)
    password = passphrase.encode() if passphrase else None
    try:
        key = serialization.load_pem_private_key(content, password)
    except TypeError:
        if password is None:
            raise FileError(
                f"The key {path.name!r} has a passphrase. Give it in the environment variable"
                f" {PASSPHRASE}.",
                code="passphrase-needed",
                file=str(path),
            ) from None
        # SHOAL_PASSPHRASE may be set for another key.
        key = serialization.load_pem_private_key(content, None)
    except (ValueError, UnsupportedAlgorithm):
        raise FileError(
            f"{path.name!r} is not a private key in PEM format, or the passphrase is wrong.",
            code="bad-private-key",
            file=str(path),
        ) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise FileError(
            f"{path.name!r} is not an Ed25519 key. Create one with shoal keygen.",
            code="bad-private-key",
            file=str(path),
        )
    return key


def as_private_key(key: "str | Path | PrivateKey | None") -> "PrivateKey | None":
    """Return a private key, given as a file or as a loaded key; None stays None."""
    return load_private_key(key) if isinstance(key, str | Path) else key


def load_public_key(path: str | Path) -> "Ed25519PublicKey":
    """Read a public key for checking signatures.

    Parameters
    ----------
    path : str or Path
        A PEM file.

    Returns
    -------
    Ed25519PublicKey
        The key; any other kind of key is refused.
    """
    serialization = _serialization()
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    path = Path(path)
    try:
        key = serialization.load_pem_public_key(read_bytes(path))
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PublicKey):
        raise FileError(
            f"{path.name!r} is not an Ed25519 public key in PEM format.",
            code="bad-public-key",
            file=str(path),
        )
    return key


def new_hash_key() -> str:
    """Return a new secret key for the hashes of an original, as text."""
    return secrets.token_hex(HASH_KEY_BYTES) + "\n"


def load_hash_key(path: str | Path) -> bytes:
    """Read the secret key for the hashes of an original.

    Parameters
    ----------
    path : str or Path
        A file that others can neither read nor write.

    Returns
    -------
    bytes
        The key, of 32 bytes.
    """
    path = Path(path)
    try:
        key = bytes.fromhex(read_secret(path).decode("ascii").strip())
    except ValueError:
        key = b""
    if len(key) != HASH_KEY_BYTES:
        raise FileError(
            f"{path.name!r} is not a hash key: it does not contain exactly {2 * HASH_KEY_BYTES}"
            " hexadecimal digits.",
            code="bad-hash-key",
            file=str(path),
        )
    return key


def read_secret(path: Path) -> bytes:
    """Read a secret file; refuse one that others can read or write."""
    content = read_bytes(path)
    if os.name == "posix" and path.stat().st_mode & FORBIDDEN_PERMISSIONS:
        raise FileError(
            f"{str(path)!r} is a secret file, and others can read or change it. Run chmod 600 on"
            " it.",
            code="secret-shared",
            file=str(path),
        )
    return content


def read_bytes(path: Path) -> bytes:
    """Read a small file."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise FileError.unreadable(path, error) from None


def _create(path: Path, content: bytes, mode: int) -> None:
    """Write a file that does not exist yet."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except FileExistsError:
        raise FileError(
            f"{str(path)!r} exists already. Keys are never replaced: name another file.",
            code="file-exists",
            file=str(path),
        ) from None
    except OSError as error:
        reason = (error.strerror or "I/O error").lower()
        raise FileError(
            f"{str(path)!r} could not be written: {reason}.", code="cannot-write", file=str(path)
        ) from None


def _serialization() -> Any:
    """Return the module of cryptography that reads and writes keys; refuse if not installed."""
    try:
        from cryptography.hazmat.primitives import serialization
    except ImportError:
        raise MissingDependency(
            'Signatures need the package cryptography: pip install "shoal[sign]".',
            code="package-missing",
            extra="sign",
        ) from None
    return serialization
