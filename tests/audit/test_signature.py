"""A manifest is signed, and a release without the right signature does not pass."""

import hashlib
import hmac
import json
import subprocess
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

import shoal
from raising import raises
from shoal.audit import keys, sign, write_manifest
from shoal.audit import manifest as manifests
from shoal.cli import app
from shoal.errors import FileError

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")

CSV = "name,age,size\n" + "".join(f"p{i},{20 + i * 7 % 30},{i * 13 % 17}\n" for i in range(24))
MASK = [*("mask", "in.csv", "out.csv", "-c", "age", "-c", "size", "-k", "4", "-m", "mdav"),
        *("-i", "name", "--manifest", "out.json")]  # fmt: skip
VERIFY = ("verify", "out.csv", "--manifest", "out.json")


def shell(*arguments, **options):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], **options)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(keys.PASSPHRASE, raising=False)
    Path("in.csv").write_text(CSV)
    keys.make_key_pair("key.pem", "public.pem")
    return tmp_path


def names(folder):
    return {path.name for path in folder.iterdir()}


def test_a_signed_release_passes_with_the_public_key(folder):
    assert shell(*MASK, "--sign", "key.pem", "--report", "out.txt").exit_code == 0
    result = shell(*VERIFY, "--key", "public.pem", "--report", "out.txt", "--original", "in.csv")
    assert result.exit_code == 0, result.stdout
    assert "ok   signature: " in result.stdout
    assert "ok   report: " in result.stdout
    assert "-    signature: not checked" in shell(*VERIFY).stdout


def test_other_software_can_check_the_signature(folder):
    assert shell(*MASK, "--sign", "key.pem").exit_code == 0
    check = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", "public.pem", "-rawin",
             "-in", "out.json", "-sigfile", "out.json.sig"]  # fmt: skip
    assert subprocess.run(check, capture_output=True).returncode == 0
    Path("out.json").write_text(Path("out.json").read_text() + " ")
    assert subprocess.run(check, capture_output=True).returncode != 0


def test_with_a_key_an_absent_or_wrong_signature_fails(folder):
    assert shell(*MASK).exit_code == 0
    assert shell(*VERIFY).exit_code == 0
    assert "FAIL signature" in shell(*VERIFY, "--key", "public.pem").stdout
    assert shell(*VERIFY, "--key", "public.pem").exit_code == 1
    sign("out.json", "key.pem")
    assert shell(*VERIFY, "--key", "public.pem").exit_code == 0
    keys.make_key_pair("other.pem", "other-public.pem")
    assert shell(*VERIFY, "--key", "other-public.pem").exit_code == 1
    signature = Path("out.json.sig").read_bytes()
    for other_bytes in (b"", signature[:-1], signature + b"0", bytes(64), signature[::-1]):
        Path("out.json.sig").write_bytes(other_bytes)
        assert shoal.verify("out.csv", "out.json", key="public.pem").failed == ["signature"]
    Path("out.json.sig").unlink()
    Path("out.json.sig").mkdir()
    assert shoal.verify("out.csv", "out.json", key="public.pem").failed == ["signature"]
    assert shell(*VERIFY, "--key", "none.pem").exit_code == 1
    assert shell(*VERIFY, "--key", "key.pem").exit_code == 1


def test_manifest_and_signature_appear_together_or_not_at_all(folder):
    Path("out.json.sig").write_text("mine")
    before = names(folder)
    result = shell(*MASK, "--sign", "key.pem")
    assert result.exit_code == 1
    assert names(folder) == before
    assert Path("out.json.sig").read_text() == "mine"
    assert shell(*MASK, "--sign", "key.pem", "--force").exit_code == 0
    assert names(folder) == before | {"out.csv", "out.json", "out.json.hashkey"}
    assert shell(*VERIFY, "--key", "public.pem").exit_code == 0


def test_a_key_that_cannot_sign_is_refused_before_the_work(folder):
    before = names(folder)
    Path("key.pem").chmod(0o644)
    assert shell(*MASK, "--sign", "key.pem").exit_code == 1
    assert shell(*MASK, "--sign", "none.pem").exit_code == 1
    assert shell(*MASK, "--sign", "public.pem").exit_code == 1
    Path("key.pem").chmod(0o600)
    assert shell(*MASK[:-2], "--sign", "key.pem").exit_code == 2
    assert names(folder) == before


def test_a_passphrase_is_needed_where_the_key_has_one(folder, monkeypatch):
    keys.make_key_pair("locked.pem", "locked-public.pem", passphrase="open")
    assert shell(*MASK, "--sign", "locked.pem").exit_code == 1
    monkeypatch.setenv(keys.PASSPHRASE, "open")
    result = shell(*MASK, "--sign", "locked.pem")
    assert result.exit_code == 0
    assert "open" not in result.output + Path("out.json").read_text()
    assert shell(*VERIFY, "--key", "locked-public.pem").exit_code == 0


def test_other_files_than_manifests_are_not_signed(folder):
    Path("x.json").write_text("{}")
    with raises(FileError, "bad-manifest"):
        sign("x.json", "key.pem")
    assert not Path("x.json.sig").exists()
    assert shell(*MASK).exit_code == 0
    assert sign("out.json", "key.pem") == Path("out.json.sig")
    with raises(FileError, "file-exists"):
        sign("out.json", "key.pem")
    sign("out.json", "key.pem", force=True)


def test_a_manifest_from_python_may_be_signed_too(folder):
    import pandas as pd

    release = shoal.microaggregate(pd.read_csv("in.csv"), ["age"], k=4, identifiers=["name"])
    release.data.to_csv("out.csv", index=False)
    write_manifest(release, "out.csv", "out.json", sign="key.pem", original="in.csv")
    assert shoal.verify("out.csv", "out.json", key="public.pem").failed == []


def test_the_manifest_alone_does_not_confirm_a_guess_of_the_original(folder):
    assert shell(*MASK).exit_code == 0
    text = Path("out.json").read_text()
    entries = json.loads(text)
    digest = hashlib.sha256(CSV.encode()).hexdigest()
    assert digest not in text
    assert "bytes" not in entries["input"]
    assert entries["input"].keys() == {"name", "hmac_sha256"}
    key = bytes.fromhex(Path("out.json.hashkey").read_text())
    expected = hmac.new(key, bytes.fromhex(digest), hashlib.sha256).hexdigest()
    assert entries["input"]["hmac_sha256"] == expected
    assert Path("out.json.hashkey").stat().st_mode & 0o777 == 0o600
    Path("second").mkdir()
    command = [word.replace("out.", "second/out.") for word in MASK]
    assert shell(*command).exit_code == 0
    other_entries = json.loads(Path("second/out.json").read_text())
    assert other_entries["input"]["hmac_sha256"] != entries["input"]["hmac_sha256"]


def test_the_hash_key_recognises_the_original(folder):
    assert shell(*MASK, "--hash-key", "office.key").exit_code == 0
    assert not Path("out.json.hashkey").exists()
    original = (*VERIFY, "--original", "in.csv")
    assert "FAIL original" in shell(*original).stdout
    assert shell(*original, "--hash-key", "office.key").exit_code == 0
    text = Path("out.json").read_text()
    assert shell(*MASK, "--hash-key", "office.key", "--force").exit_code == 0
    assert Path("out.json").read_text() == text  # the key is used again
    Path("wrong.key").write_text(keys.new_hash_key())
    Path("wrong.key").chmod(0o600)
    assert "FAIL original" in shell(*original, "--hash-key", "wrong.key").stdout
    Path("office.key").chmod(0o644)
    assert shell(*original, "--hash-key", "office.key").exit_code == 1


def test_the_agreed_plan_must_be_that_of_the_manifest(folder):
    command = [*MASK[:7], "-k", "4", "-m", "mu-approx", *MASK[11:], "--effort", "search"]
    result = shell(*command, "--budget", "0.01")
    assert result.exit_code == 0, result.output
    plan = json.loads(Path("out.json").read_text())["plan"]
    partition = plan["steps"][0]["partition"]
    assert {"rounds", "random_state"} <= set(partition)
    agreed = {**{n: v for n, v in partition.items() if n not in ("rounds", "random_state")},
              "budget": 0.01}  # fmt: skip

    def checked(**changes):
        steps = [{**plan["steps"][0], "partition": {**agreed, **changes}}]
        shoal.Plan.from_dict({**plan, "steps": steps}).save("agreed.toml", force=True)
        return shoal.verify("out.csv", "out.json", plan="agreed.toml").failed

    assert checked() == []
    assert checked(random_state=partition["random_state"]) == []
    assert checked(random_state=7) == ["plan"]
    assert checked(k=5) == ["plan"]
    assert checked(budget=None, rounds=1.0) == ["plan"]
    weaker = {**plan, "roles": {**plan["roles"], "name": "non-confidential"}}
    shoal.Plan.from_dict(weaker).save("agreed.toml", force=True)
    assert shoal.verify("out.csv", "out.json", plan="agreed.toml").failed == ["plan"]
    assert shell(*VERIFY, "--plan", "agreed.toml").exit_code == 1
    assert shell(*VERIFY, "--plan", "none.toml").exit_code == 1


def test_the_saved_plan_is_that_of_its_own_manifest_where_kinds_were_inferred(folder):
    rows = "".join(f"{i % 4 + 1:02},{20 + i % 9}\n" for i in range(24))
    Path("codes.csv").write_text("zip,age\n" + rows)
    command = ["mask", "codes.csv", "coded.csv", "-c", "zip", "-c", "age", "-k", "3"]
    result = shell(*command, "--manifest", "coded.json", "--save-plan", "saved.toml")
    assert result.exit_code == 0, result.output
    assert json.loads(Path("coded.json").read_text())["plan"]["types"]["zip"]["why"]

    def failed(types):
        plan = tomllib.loads(Path("saved.toml").read_text())
        shoal.Plan.from_dict({**plan, **types}).save("agreed.toml", force=True)
        return shoal.verify("coded.csv", "coded.json", plan="agreed.toml").failed

    assert failed({}) == []
    assert failed({"types": {"zip": {"kind": "ordinal", "order": ["01", "02", "03", "04"]}}}) == [
        "plan"
    ]


def test_manifests_of_any_shape_are_refused_or_fail(folder):
    assert shell(*MASK).exit_code == 0
    valid_entries = json.loads(Path("out.json").read_text())
    for name in valid_entries:
        for value in (None, 0, "", [], {}, [None], {"k": None}, True, "x", 1.5):
            if value == valid_entries[name]:
                continue
            entries = manifests.sealed({**valid_entries, name: value})
            if name == "seal":
                entries["seal"] = value
            Path("out.json").write_text(json.dumps(entries))
            try:
                verification = shoal.verify("out.csv", "out.json", original="in.csv")
            except shoal.errors.ShoalError:
                continue
            harmless = name == "dialect" and value == {}
            assert (
                verification.failed or harmless or None in [c.passed for c in verification[1:]]
            ), (name, value)
