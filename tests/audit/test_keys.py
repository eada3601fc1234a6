"""Keys are made, kept secret and read; whatever is no key is refused."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from raising import raises
from shoal.audit import keys
from shoal.cli import app
from shoal.errors import FileError, MissingDependency, ParameterError


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(keys.PASSPHRASE, raising=False)
    return tmp_path


def shell(*arguments, **options):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], **options)


def test_a_key_pair_signs_and_checks(folder):
    assert shell("keygen", "key.pem", "public.pem").exit_code == 0
    signature = keys.load_private_key("key.pem").sign(b"something")
    keys.load_public_key("public.pem").verify(signature, b"something")
    assert Path("key.pem").stat().st_mode & 0o777 == 0o600


def test_a_key_file_is_never_overwritten(folder):
    Path("public.pem").write_text("mine")
    assert shell("keygen", "key.pem", "public.pem").exit_code == 1
    assert not Path("key.pem").exists()
    assert Path("public.pem").read_text() == "mine"
    keys.make_key_pair("key.pem", "other.pem")
    before = Path("key.pem").read_bytes()
    with raises(FileError, "file-exists"):
        keys.make_key_pair("key.pem", "third.pem")
    assert Path("key.pem").read_bytes() == before
    assert not Path("third.pem").exists()
    with raises(FileError, "cannot-write"):
        keys.make_key_pair("nowhere/key.pem", "third.pem")


@pytest.mark.parametrize("mode", [0o644, 0o604, 0o602, 0o620, 0o777])
def test_a_secret_that_others_can_read_or_change_is_refused(folder, mode):
    keys.make_key_pair("key.pem", "public.pem")
    Path("hash.key").write_text(keys.new_hash_key())
    for name, load in (("key.pem", keys.load_private_key), ("hash.key", keys.load_hash_key)):
        Path(name).chmod(mode)
        with raises(FileError, "secret-shared", file=name):
            load(name)
        Path(name).chmod(0o640)
        load(name)


def test_a_passphrase_comes_from_the_environment_or_from_a_prompt(folder, monkeypatch):
    result = shell("keygen", "key.pem", "public.pem", "--passphrase", input="open\nopen\n")
    assert result.exit_code == 0, result.output
    assert "open" not in result.output
    assert b"ENCRYPTED" in Path("key.pem").read_bytes()
    with raises(FileError, "passphrase-needed"):
        keys.load_private_key("key.pem")
    with raises(FileError, "bad-private-key"):
        keys.load_private_key("key.pem", passphrase="shut")
    keys.load_private_key("key.pem", passphrase="open")
    monkeypatch.setenv(keys.PASSPHRASE, "open")
    keys.load_private_key("key.pem")
    assert shell("keygen", "second.pem", "p.pem", "--passphrase").exit_code == 0
    assert b"ENCRYPTED" in Path("second.pem").read_bytes()
    assert shell("keygen", "bare.pem", "b.pem").exit_code == 0
    assert b"ENCRYPTED" not in Path("bare.pem").read_bytes()
    keys.load_private_key("bare.pem")  # a passphrase that is set does not matter there
    with raises(ParameterError, "empty-passphrase"):
        keys.make_key_pair("a.pem", "b2.pem", passphrase="")


def test_malformed_keys_are_refused(folder):
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key

    keys.make_key_pair("key.pem", "public.pem")
    other_key = generate_private_key(SECP256R1())
    pem = serialization.Encoding.PEM
    private_format, no_encryption = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    public_format = serialization.PublicFormat.SubjectPublicKeyInfo
    contents = [b"", b"\0\xff", b"-----BEGIN PRIVATE KEY-----\n", Path("public.pem").read_bytes()]
    for content in (*contents, other_key.private_bytes(pem, private_format, no_encryption)):
        Path("bad").write_bytes(content)
        Path("bad").chmod(0o600)
        with raises(FileError, "bad-private-key"):
            keys.load_private_key("bad")
    contents = [b"", b"\0\xff", Path("key.pem").read_bytes(), other_key.public_key().public_bytes(
        pem, public_format)]  # fmt: skip
    for content in contents:
        Path("bad").write_bytes(content)
        with raises(FileError, "bad-public-key"):
            keys.load_public_key("bad")
    for text in ("", "00", "g" * 64, "0" * 62, "0" * 66, "ä" * 32):
        Path("bad").write_text(text)
        with raises(FileError, "bad-hash-key"):
            keys.load_hash_key("bad")
    for load in (keys.load_private_key, keys.load_public_key, keys.load_hash_key):
        with raises(FileError, "file-unreadable"):
            load("none.pem")


def test_a_hash_key_is_random_and_comes_back(folder):
    hash_keys = [keys.new_hash_key() for _ in range(3)]
    assert len(set(hash_keys)) == 3
    Path("hash.key").write_text(hash_keys[0])
    Path("hash.key").chmod(0o600)
    assert keys.load_hash_key("hash.key").hex() == hash_keys[0].strip()


def test_openssl_can_make_the_keys(folder):
    command = ["openssl", "genpkey", "-algorithm", "ed25519", "-out", "key.pem"]
    subprocess.run(command, check=True, capture_output=True)
    derived = ["openssl", "pkey", "-in", "key.pem", "-pubout", "-out", "public.pem"]
    subprocess.run(derived, check=True, capture_output=True)
    os.chmod("key.pem", 0o600)  # noqa: PTH101
    signature = keys.load_private_key("key.pem").sign(b"something")
    keys.load_public_key("public.pem").verify(signature, b"something")


def test_without_the_package_the_extra_is_named(folder, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("cryptography")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with raises(MissingDependency, extra="sign"):
        keys.make_key_pair("key.pem", "public.pem")
