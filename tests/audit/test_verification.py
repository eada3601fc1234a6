"""A manifest is written with a release, and a release is verified against it."""

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

import shoal
from raising import raises
from shoal.audit import manifest as manifests
from shoal.audit import verify, write_manifest
from shoal.audit.check import Check, kept_result, with_units_counted
from shoal.cli import app
from shoal.errors import FileError
from shoal.partitioners import MDAV
from shoal.plan import Plan
from shoal.plan.verdict import Finding, Verdict

CSV = "name,hh,age,size,ill,w\n" + "".join(
    f"p{i},h{i // 2},{20 + i * 7 % 30},{i * 13 % 17},{i % 3},{1 + i % 4}\n" for i in range(24)
)
MASK = [
    *("mask", "in.csv", "out.csv", "-c", "age", "-c", "size", "-k", "4", "-m", "mdav"),
    *("-i", "name", "--confidential", "ill", "--manifest", "out.json"),
]
VERIFY = ["verify", "out.csv", "--manifest", "out.json"]


def shell(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "in.csv").write_text(CSV)
    monkeypatch.chdir(tmp_path)
    assert shell(*MASK).exit_code == 0
    return tmp_path


def failed(*arguments):
    result = shell(*arguments, "--json")
    checks = json.loads(result.stdout)["checks"]
    bad = [check["name"] for check in checks if check["passed"] is False]
    assert result.exit_code == (1 if bad else 0)
    return bad


def changed(change, *, seal=False):
    entries = json.loads(Path("out.json").read_text())
    change(entries)
    if seal:
        entries = manifests.sealed(entries)
    Path("out.json").write_text(json.dumps(entries))


def test_a_release_matches_its_manifest(folder):
    result = shell(*VERIFY)
    assert result.exit_code == 0
    *checks, verdict = result.stdout.splitlines()
    names = [line.split()[1].rstrip(":") for line in checks]
    assert names == [
        "signature", "manifest", "file", "records", "columns", "dropped", "guarantee", "smallest",
        "measures", "verdict",
    ]  # fmt: skip
    assert checks[0].startswith("-    signature: not checked")
    assert all(line.startswith("ok ") for line in checks[1:])
    assert verdict.startswith("verdict: ")
    assert failed(*VERIFY, "--original", "in.csv") == []


def test_strict_fails_where_the_verdict_is_qualified(folder):
    verification = shoal.verify("out.csv", "out.json")
    assert verification.verdict.status == "qualified"
    assert verification.passed
    assert len(verification) == len(list(verification))
    assert shell(*VERIFY).exit_code == 0
    assert shell(*VERIFY, "--strict").exit_code == 1
    content = json.loads(shell(*VERIFY, "--json").stdout)["verdict"]
    assert content["findings"] == verification.verdict.to_dict()["findings"]


def test_with_the_original_the_verdict_is_that_of_the_release(folder):
    with_original = shoal.verify("out.csv", "out.json", original="in.csv").verdict
    assert "checks-not-computed" not in with_original.codes()
    without_original = shoal.verify("out.csv", "out.json").verdict
    assert without_original.codes()[-1] == "checks-not-computed"
    assert set(without_original.codes()[:-1]) <= set(with_original.codes())


def test_columns_that_attain_less_together_are_not_kept(folder):
    result = shell("mask", "in.csv", "apart.csv", "-c", "age", "-c", "size", "-k", "3",
                 "--set", "blocks=1", "--manifest", "apart.json", "--allow-not-kept")  # fmt: skip
    verification = shoal.verify("apart.csv", "apart.json")
    assert verification.verdict.status == "not kept"
    assert not verification.passed
    assert (
        shell("verify", "apart.csv", "--manifest", "apart.json").exit_code == result.exit_code == 1
    )


def test_a_manifest_names_files_and_seeds_but_neither_paths_nor_the_time(folder):
    text = Path("out.json").read_text()
    entries = json.loads(text)
    assert str(folder) not in text
    assert entries["input"]["name"] == "in.csv"
    assert entries["output"]["bytes"] == Path("out.csv").stat().st_size
    assert entries["dropped"] == ["name"]
    assert "not for publication" in entries["note"]
    assert shell(*MASK, "--force").exit_code == 0
    assert Path("out.json").read_text() == text


def test_seeds_in_the_manifest_reproduce_the_release(folder):
    command = [*MASK[:9], "-m", "mu-approx", "--manifest", "out.json", "--force"]
    assert shell(*command).exit_code == 0
    assert "random_state" in Path("out.json").read_text()
    assert failed(*VERIFY, "--original", "in.csv") == []


def test_a_changed_cell_is_detected(folder):
    text = Path("out.csv").read_text().splitlines()
    cells = text[1].split(",")
    cells[1] = cells[1][:-1] + ("1" if cells[1][-1] != "1" else "2")
    Path("out.csv").write_text("\n".join([text[0], ",".join(cells), *text[2:]]) + "\n")
    assert failed(*VERIFY) == ["file", "guarantee", "smallest class", "measures", "verdict"]
    assert "run again" in failed(*VERIFY, "--original", "in.csv")


def test_a_truncated_file_is_detected(folder):
    text = Path("out.csv").read_text()
    Path("out.csv").write_text("".join(text.splitlines(keepends=True)[:-3]))
    assert {"file", "records"} <= set(failed(*VERIFY))
    Path("out.csv").write_text(text[: len(text) // 2].rsplit(",", 1)[0])
    assert {"file", "readable"} <= set(failed(*VERIFY))


def test_a_released_identifier_is_detected(folder):
    out = pd.read_csv("out.csv")
    out.insert(0, "name", [f"p{i}" for i in range(24)])
    out.to_csv("out.csv", index=False)
    assert {"file", "columns", "dropped"} <= set(failed(*VERIFY))


def test_a_changed_manifest_entry_is_detected(folder):
    changed(lambda entries: entries["measures"].update(information_loss=1.0))
    assert failed(*VERIFY) == ["manifest"]


def test_a_manifest_that_claims_too_much_is_detected_even_with_a_new_seal(folder):
    changed(lambda entries: entries["promise"].update(k=9), seal=True)
    assert failed(*VERIFY) == ["guarantee"]
    changed(lambda entries: entries["plan"]["steps"][0]["partition"].update(k=9), seal=True)
    assert failed(*VERIFY) == ["guarantee", "verdict"]


def test_a_manifest_with_another_smallest_class_is_detected(folder):
    for smallest in (3, 5):
        changed(lambda entries, n=smallest: entries["promise"].update(smallest_class=n), seal=True)
        assert failed(*VERIFY) == ["smallest class"]


def test_a_manifest_that_claims_too_little_is_detected_with_the_original(folder):
    def lower(entries):
        entries["promise"]["k"] = 3
        entries["plan"]["steps"][0]["partition"]["k"] = 3
        entries["promise"]["guarantees"] = [g.replace("4", "3") for g in entries["promise"][
            "guarantees"]]  # fmt: skip
        entries["verdict"]["promised"] = 3
        entries["verdict"]["sentence"] = entries["verdict"]["sentence"].replace("k = 4", "k = 3")

    changed(lower, seal=True)
    assert failed(*VERIFY) == []  # k = 3 is true as well
    assert failed(*VERIFY, "--original", "in.csv") == ["run again", "statements"]


def test_the_verdict_may_be_stated_in_the_words_of_version_0_1_0(folder):
    verdict = json.loads(Path("out.json").read_text())["verdict"]
    n = sum(finding["severity"] == "qualifies" for finding in verdict["findings"])
    reservations = f"{n} reservation{'s' * (n != 1)}"
    former = f"k = 4 is kept, with {reservations}: the smallest class holds {verdict['k']} records."
    assert verdict["status"] == "qualified"
    assert verdict["sentence"] != former
    changed(lambda entries: entries["verdict"].update(sentence=former), seal=True)
    assert failed(*VERIFY) == []
    claim = former.replace("k = 4", "k = 5")
    changed(lambda entries: entries["verdict"].update(sentence=claim), seal=True)
    assert failed(*VERIFY) == ["verdict"]


def test_a_verdict_without_k_may_be_stated_in_the_words_of_version_0_1_0(folder):
    swap = {"method": "rank-swap", "columns": ["age", "size"], "percent": 20}
    roles = {"name": "identifier", "ill": "confidential"}
    plan = {"version": 1, "other_columns": "release", "roles": roles, "steps": [swap]}
    Path("plan.json").write_text(json.dumps(plan))
    arguments = ("plan.json", "in.csv", "out.csv", "--manifest", "out.json", "--force")
    assert shell("run", *arguments).exit_code == 0
    stated = json.loads(Path("out.json").read_text())["verdict"]["sentence"]
    assert stated.startswith("No k-anonymity is guaranteed; ")
    former = stated.replace("guaranteed", "promised")
    changed(lambda entries: entries["verdict"].update(sentence=former), seal=True)
    assert failed(*VERIFY) == []


def test_another_original_is_detected(folder):
    Path("in.csv").write_text(CSV.replace("p0,h0,20", "p0,h0,21"))
    assert failed(*VERIFY, "--original", "in.csv") == ["original", "run again", "statements"]


def test_malformed_manifests_are_refused(folder):
    for text in ("{", "[]", "{}", '{"manifest": 2}'):
        Path("out.json").write_text(text)
        assert shell(*VERIFY).exit_code == 1
        with raises(FileError, "bad-manifest"):
            manifests.load(Path("out.json"))
    assert "could not be read" in shell("verify", "out.csv", "--manifest", "none.json").stderr


def test_a_manifest_does_not_replace_the_source_or_leave_alone(folder):
    assert shell(*MASK[:11], "--manifest", "in.csv", "--force").exit_code != 0
    assert Path("in.csv").read_text() == CSV
    Path("x.json").write_text("{}")
    result = shell("mask", "in.csv", "new.csv", *MASK[3:9], "--manifest", "x.json")
    assert result.exit_code == 1
    assert not Path("new.csv").exists()


def test_a_foreign_dialect_is_noted(folder):
    Path("de.csv").write_text(CSV.replace(",", ";"))
    options = ["--separator", ";", "--decimal", ",", "--encoding", "latin-1"]
    command = ["mask", "de.csv", "d.csv", *MASK[3:9], *options, "--manifest", "d.json"]
    assert shell(*command).exit_code == 0
    assert failed("verify", "d.csv", "--manifest", "d.json", "--original", "de.csv") == []


@pytest.mark.parametrize("ending", ["parquet", "xlsx", "csv.gz"])
def test_other_formats_give_the_same_bytes_again(folder, ending):
    command = ["mask", "in.csv", f"o.{ending}", *MASK[3:9], "--manifest", "o.json"]
    assert shell(*command).exit_code == 0
    assert failed("verify", f"o.{ending}", "--manifest", "o.json", "--original", "in.csv") == []


def test_households_and_weights_are_verified_as_far_as_they_can_be(folder):
    command = [*MASK[:2], "h.csv", *MASK[3:11], "--household", "hh", "--weight", "w"]
    assert shell(*command, "-i", "name", "--manifest", "h.json").exit_code == 0
    result = shell("verify", "h.csv", "--manifest", "h.json", "--original", "in.csv")
    assert result.exit_code == 0, result.stdout
    assert "ok   guarantee: k=4 is kept, counted on the released values in units of 'hh'" in (
        result.stdout
    )
    before, after = pd.read_csv("in.csv"), pd.read_csv("h.csv")
    assert "hh" not in after
    assert (after["age"] * after["w"]).sum() == pytest.approx((before["age"] * before["w"]).sum())
    assert after.assign(hh=before["hh"]).groupby(["age", "size"])["hh"].nunique().min() >= 4


def test_without_the_original_no_k_of_units_is_claimed(folder):
    command = [*MASK[:2], "h.csv", *MASK[3:11], "--household", "hh", "--weight", "w"]
    assert shell(*command, "-i", "name", "--manifest", "h.json").exit_code == 0
    checks = verify("h.csv", "h.json")
    (guarantee,) = [check for check in checks if check.name == "guarantee"]
    assert guarantee.passed is None
    assert "not checked in units of 'hh'" in guarantee.message
    assert checks.verdict.status == "qualified"
    assert checks.verdict.sentence.startswith("Whether k = 4 is kept in units of 'hh' was not")
    complete = verify("h.csv", "h.json", original="in.csv")
    assert complete.verdict.sentence.startswith("k = 4 is kept")
    assert "units of 'hh'" in complete.verdict.sentence
    stated = json.loads(Path("h.json").read_text())["verdict"]
    assert complete.verdict.sentence == stated["sentence"]
    # One line states the number of reservations: the last one.
    output = shell("verify", "h.csv", "--manifest", "h.json", "--original", "in.csv").stdout
    assert output.count("reservation") == 1


def test_fewer_units_than_k_are_found_with_the_original(folder):
    verdict = Verdict(4, 3, "hh", (Finding("class-below-k", "breaks", "Too few."),))
    plan = Plan.of(["age"], MDAV(k=4), household="hh")
    checks = [
        Check("file", True, ""),
        Check("guarantee", *kept_result(plan, units_counted=False)),
    ]
    assert [check.passed for check in with_units_counted(checks, plan, verdict)] == [True, False]
    records = replace(verdict, unit="record")
    assert [check.passed for check in with_units_counted(checks, plan, records)] == [True, None]


def test_a_database_has_no_hash_and_the_rest_is_checked(folder):
    command = ["mask", "in.csv", "sqlite:///out.db", "--target-table", "t", *MASK[3:9]]
    assert shell(*command, "--manifest", "db.json").exit_code == 0
    result = shell("verify", "sqlite:///out.db", "--manifest", "db.json", "--original", "in.csv")
    assert result.exit_code == 0
    assert "-    file: not compared: a database table has no hash" in result.stdout
    assert json.loads(Path("db.json").read_text())["output"]["table"] == "t"
    with sqlite3.connect("out.db") as connection:
        connection.execute("UPDATE t SET age = 1 WHERE rowid = 1")
    connection.close()
    result = shell("verify", "sqlite:///out.db", "--manifest", "db.json")
    assert result.exit_code == 1
    assert "FAIL guarantee" in result.stdout
    assert result.stderr.splitlines()[-1].endswith("The verdict does not cover these.")


def test_a_release_in_python_has_a_manifest_too(folder):
    data = pd.read_csv("in.csv")
    release = shoal.microaggregate(
        data, ["age", "size"], k=4, method="mdav", identifiers=["name", "hh", "w"], unit="record",
        confidential=["ill"],
    )  # fmt: skip
    entries = release.manifest
    assert entries["seal"] == manifests.seal(entries)
    assert entries["records"] == 24
    assert entries["promise"]["k"] == 4
    release.data.to_csv("py.csv", index=False)
    Path("bare.json").write_text(manifests.dumps(entries))
    assert shoal.verify("py.csv", "bare.json").failed == ["file"]  # it holds no hash of the file
    write_manifest(release, "py.csv", "py.json", original="in.csv")
    verification = shoal.verify("py.csv", "py.json")
    assert verification.failed == []
    assert verification.verdict.k == 4
    # pandas writes other digits than Shoal, so the bytes differ, and nothing else.
    assert shoal.verify("py.csv", "py.json", original="in.csv").failed == ["run again"]
