"""The command line from a user's point of view."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from markdown_pages import COMPILING
from shell import shell
from shoal._text import format_percentage
from shoal.metrics.rounding import round_floats_for_display

CSV = "name,age,size,city\n" + "".join(
    f"p{i},{20 + i * 7 % 30},{i * 13 % 17},x\n" for i in range(20)
)
MASK = ["mask", "in.csv", "out.csv", "-c", "age", "-c", "size", "-k", "4"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "in.csv").write_text(CSV)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def complaints(done):
    """Return what a command prints to standard error, without messages about compilation."""
    return COMPILING.sub("", done.stderr)


def test_mask_writes_a_release_and_prints_one_line(folder):
    result = shell(*MASK)
    assert result.exit_code == 0
    out = pd.read_csv("out.csv")
    smallest = out[["age", "size"]].value_counts().min()
    assert smallest >= 4
    assert result.stdout.startswith("out.csv: 20 records in 5 groups of 4; information loss ")
    loss = shoal.assess(pd.read_csv("in.csv"), out, quasi_identifiers=["age", "size"])
    assert f"information loss {format_percentage(loss['information_loss'])}" in result.stdout
    assert "reservation: Columns 'name' and 'city' have no role" in result.stderr


def test_columns_that_are_not_masked_are_written_unchanged(folder):
    cells = ["code", "007", "0080", "0.10", "1e5"]
    numbers = ["x", "1.50", "2.50", "3", "4"]
    rows = zip(cells, numbers, strict=True)
    (folder / "in.csv").write_text("".join(f"{cell},{number}\n" for cell, number in rows))
    for target, secret in {"a.csv": [], "b.csv": ["--confidential", "code"]}.items():
        assert shell("mask", "in.csv", target, "-c", "x", "-k", "2", *secret).exit_code == 0
        assert [line.split(",")[0] for line in Path(target).read_text().splitlines()] == cells


def test_identifiers_are_dropped(folder):
    assert shell(*MASK, "-i", "name", "--confidential", "city").exit_code == 0
    assert list(pd.read_csv("out.csv").columns) == ["age", "size", "city"]


def test_json_is_for_machines(folder):
    result = shell(*MASK, "--json", "--report", "report.html")
    content = json.loads(result.stdout)
    assert content["promise"] == {"k": 4, "attained": 4, "kept": True}
    assert content["report"] == "report.html"
    released = hashlib.sha256((folder / "out.csv").read_bytes()).hexdigest()
    identity = content["identity"]
    assert (identity["file"], identity["sha256"]) == ("out.csv", released)
    assert identity["date"]
    assert (folder / "report.html").read_text().startswith("<!doctype html>")


def test_a_report_can_be_json_or_text_or_printed(folder):
    assert shell(*MASK, "--report", "report.json", "--audience", "internal").exit_code == 0
    content = json.loads((folder / "report.json").read_text())
    assert content["audience"] == "internal"
    assert content["pictures"]["groups"][0]["n_groups"] == 5
    assert shell(*MASK, "--force", "--report", "report.txt").exit_code == 0
    text = (folder / "report.txt").read_text()
    assert "An attacker who knows the quasi-identifiers cannot" in text
    result = shell(*MASK, "--force", "--report", "-")
    assert result.stdout == f"out.csv: {text}\n"
    assert {path.name for path in folder.iterdir()} == {
        "in.csv", "out.csv", "report.json", "report.txt",
    }  # fmt: skip


def test_the_report_shows_the_curve_of_dependence_on_request(folder):
    (folder / "in.csv").write_text(CSV.replace(",x\n", ",1\n", 7).replace(",x\n", ",2\n"))
    line = [*MASK, "-i", "name", "--confidential", "city", "--report", "report.json", "--curve"]
    result = shell(*line)
    assert result.exit_code == 2
    assert "no curve" in result.stderr
    assert shell(*line, "--set", "dependence=0.3").exit_code == 0
    content = json.loads((folder / "report.json").read_text())["tradeoff"]
    assert content["dependence"] == [0.3]
    assert [point["dependence"] for point in content["curve"]] == [
        tenths / 10 for tenths in range(11)
    ]


def test_the_verdict_and_its_findings_follow_the_result(folder):
    result = shell(*MASK)
    start = "verdict: qualified. k = 4 is kept on the quasi-identifiers only"
    assert result.stdout.splitlines()[1].startswith(start)
    assert "\x1b" not in result.stdout
    content = json.loads(shell(*MASK, "--force", "--json").stdout)["verdict"]
    assert content["status"] == "qualified"
    assert "unprotected-column" in [finding["code"] for finding in content["findings"]]
    assert shell(*MASK, "--force", color=True).stdout.count("\x1b") > 0


def test_quiet_prints_only_warnings(folder):
    head, *rows = CSV.splitlines()
    mixed = [head, *rows[::2], *rows[1::2]]  # the order of names tells nothing
    (folder / "in.csv").write_text("\n".join(mixed) + "\n")
    result = shell(*MASK, "--quiet", "-i", "city", "-i", "name", "--unit", "record")
    assert (result.exit_code, result.stdout, complaints(result)) == (0, "", "")


def test_an_existing_file_is_kept_unless_forced(folder):
    (folder / "out.csv").write_text("old")
    result = shell(*MASK)
    assert result.exit_code == 1
    assert "--force" in result.stderr
    assert (folder / "out.csv").read_text() == "old"
    assert shell(*MASK, "--force").exit_code == 0
    assert (folder / "out.csv").read_text() != "old"


def test_the_source_is_never_overwritten(folder):
    result = shell("mask", "in.csv", "in.csv", "-c", "age", "-k", "4", "--force")
    assert result.exit_code == 1
    assert "is the source" in result.stderr
    assert (folder / "in.csv").read_text() == CSV


def test_metadata_of_a_parquet_schema_is_not_released(folder):
    fields = [
        pa.field("id", pa.string(), metadata={"owner": "SECRET of a dropped column"}),
        pa.field("age", pa.int64(), metadata={"note": "SECRET of a masked column"}),
        pa.field("pay", pa.int64(), metadata={"note": "SECRET of an unchanged column"}),
    ]
    schema = pa.schema(fields, metadata={"owner": "SECRET of the table"})
    rows = [[f"P{i}" for i in range(9)], list(range(9)), list(range(9))]
    pq.write_table(pa.Table.from_arrays([pa.array(r) for r in rows], schema=schema), "in.parquet")
    command = "mask in.parquet out.parquet -c age -k 3 -i id --confidential pay"
    assert shell(*command.split()).exit_code == 0
    assert b"SECRET" not in (folder / "out.parquet").read_bytes()
    assert pq.read_table("out.parquet").column_names == ["age", "pay"]


def test_neither_the_plan_nor_the_release_is_taken_for_the_report(folder):
    plan = shoal.Plan.of(["age"], shoal.METHODS["mdav"](k=3))
    plan.save("plan.json")
    Path("plan.html").hardlink_to("plan.json")
    result = shell("run", "plan.json", "in.csv", "out.csv", "--report", "plan.html", "--force")
    assert result.exit_code == 1
    assert "is the plan" in result.stderr
    assert shoal.Plan.load("plan.json") == plan


def test_the_seed_in_a_manifest_repeats_the_release(folder):
    shell(*MASK, "-m", "mu-approx", "--manifest", "manifest.json")
    entries = json.loads(Path("manifest.json").read_text())
    seed = entries["plan"]["steps"][0]["partition"]["random_state"]
    first = Path("out.csv").read_bytes()
    result = shell(*MASK, "-m", "mu-approx", "--seed", str(seed), "--force")
    assert result.exit_code == 0
    assert Path("out.csv").read_bytes() == first


def test_the_same_command_gives_the_same_bytes(folder):
    shell(*MASK, "--report", "a.html")
    first = (folder / "out.csv").read_bytes(), (folder / "a.html").read_bytes()
    shell(*MASK, "--report", "a.html", "--force")
    assert ((folder / "out.csv").read_bytes(), (folder / "a.html").read_bytes()) == first


@pytest.mark.parametrize("target", ["out.csv", "out.tsv", "out.parquet"])
@pytest.mark.parametrize("source", ["in.csv", "in.parquet"])
def test_formats_can_be_mixed(folder, source, target):
    pd.read_csv("in.csv").to_parquet("in.parquet")
    assert shell("mask", source, target, "-c", "age", "-k", "4").exit_code == 0
    read = {"csv": pl.read_csv, "parquet": pl.read_parquet}
    read["tsv"] = lambda path: pl.read_csv(path, separator="\t")
    out = read[target.split(".")[1]](target)
    assert out["age"].value_counts()["count"].min() >= 4
    assert out["name"].to_list() == [f"p{i}" for i in range(20)]


def test_a_foreign_dialect_goes_in_and_comes_out(folder):
    text = "ä;x\né;1,5\nö;2,5\n"
    (folder / "in.csv").write_bytes(text.encode("latin-1"))
    marks = ["--separator", ";", "--decimal", ",", "--encoding", "latin-1"]
    assert shell("mask", "in.csv", "out.csv", "-c", "x", "-k", "2", *marks).exit_code == 0
    assert (folder / "out.csv").read_bytes().decode("latin-1") == "ä;x\né;2\nö;2\n"


BAD = [
    ("mask in.csv out.csv -c sise -k 3", 1, "Did you mean 'size'?"),
    ("mask in.csv out.csv -c age,sise -k 3", 1, "Did you mean 'size'?"),
    ("mask in.csv out.csv -c age -k 0", 2, "k"),
    ("mask in.csv out.csv -c age -k 2.5", 2, "k"),
    ("mask in.csv out.csv -c age -k 21", 1, "k=21 records but the data hold only 20"),
    ("mask in.csv out.csv -c name -k 3", 1, "seems to name records"),
    ("mask in.csv out.csv -k 3", 2, "column"),
    ("mask in.csv out.csv -c age", 2, "-k"),
    ("mask in.csv out.csv -c age -k 3 -m magic", 2, "There is no method 'magic'"),
    ("mask in.csv out.csv -c age -k 3 --set gama=1", 2, "no parameter 'gama'"),
    ("mask in.csv out.csv -c age -k 3 --set gama", 2, "name=value"),
    ("mask in.csv out.csv -c age -k 3 --set k=2", 2, "Use -k"),
    ("mask in.csv out.csv -c age -k 3 --set columns=size", 2, "Use -c"),
    ("mask in.csv out.csv -c age -k 3 --report out.csv", 1, "an .html, .json or .txt file"),
    ("mask in.csv out.csv -c age -k 3 --audience press", 2, "no audience 'press'"),
    ("run in.csv in.csv out.csv", 1, ".toml or .json"),
    ("mask in.csv out.csv -c age -k 3 --separator ,,", 2, "one ASCII character"),
    ("mask none.csv out.csv -c age -k 3", 1, "There is no file 'none.csv'"),
    ("mask in.csv out.doc -c age -k 3", 1, "names no format"),
    ("mask in.csv none/out.csv -c age -k 3", 1, "could not be written"),
    ("mask in.csv . -c age -k 3", 1, "names no format"),
    ("run none.toml in.csv out.csv", 1, "could not be read"),
    ("assess in.csv in.csv", 1, "No column differs"),
]


@pytest.mark.parametrize(("command", "code", "message"), BAD, ids=[c for c, _, _ in BAD])
def test_bad_commands_end_with_a_reason_and_write_nothing(folder, command, code, message):
    result = shell(*command.split())
    assert result.exit_code == code
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert sorted(path.name for path in folder.iterdir()) == ["in.csv"]


BAD_FILES = [
    ("", "is empty"),
    ("age,size\n", "no records"),
    ("age,size\n1,2\n", "n_samples=1"),
    ("age,age\n1,2\n", "two columns named 'age'"),
    ("age,size\n1,2\n3\n4,5\n", "Line 3"),
    ("age,size\n1,\n3,2\n4,5\n", "'size' has 1 missing value"),
    ("age,size\n1,inf\n3,2\n4,5\n", "'size' has 1 infinite value"),
    ("age,size\n1,x\n3,2\n4,5\n", "'size' contains text"),
    ("age,size,\x00\n1,x\x00\n", "error: "),
]


@pytest.mark.parametrize(("text", "message"), BAD_FILES, ids=[m for _, m in BAD_FILES])
def test_bad_files_end_with_a_reason_and_write_nothing(folder, text, message):
    (folder / "in.csv").write_text(text)
    result = shell("mask", "in.csv", "out.csv", "-c", "age", "-c", "size", "-k", "2")
    assert result.exit_code == 1
    assert message in result.stderr
    assert sorted(path.name for path in folder.iterdir()) == ["in.csv"]


def test_a_wrong_encoding_is_refused(folder):
    (folder / "in.csv").write_bytes("age,größe\n1,2\n".encode("latin-1"))
    result = shell(*MASK)
    assert result.exit_code == 1
    assert "--encoding latin-1" in result.stderr


def test_an_unexpected_error_shows_no_value(folder, monkeypatch):
    def broken(*arguments, **options):
        raise RuntimeError(f"secret value {47 * 100 + 11}")

    monkeypatch.setattr(shoal.Plan, "draft", broken)
    monkeypatch.delenv("SHOAL_DEBUG", raising=False)
    result = shell(*MASK)
    assert result.exit_code == 1
    assert "4711" not in result.output
    assert "Unexpected error (RuntimeError)" in result.stderr
    assert sorted(path.name for path in folder.iterdir()) == ["in.csv"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_an_error_after_publication_says_what_was_published(folder, monkeypatch, error):
    def broken(*arguments, **options):
        raise error

    monkeypatch.setattr("shoal.cli.masking.mask.print_release", broken)
    monkeypatch.delenv("SHOAL_DEBUG", raising=False)
    result = shell(*MASK)
    assert result.exit_code != 0
    assert "Already published: out.csv" in " ".join(result.stderr.split())
    assert (folder / "out.csv").exists()


def test_run_follows_a_plan_and_reports(folder):
    plan = {
        "version": 1,
        "roles": {"name": "identifier", "city": "non-confidential"},
        "steps": [
            {
                "method": "microaggregate",
                "columns": ["age", "size"],
                "within": "city",
                "partition": {"method": "mdav", "k": 5},
            }
        ],
    }
    (folder / "plan.json").write_text(json.dumps(plan))
    result = shell("run", "plan.json", "in.csv", "out.csv", "--report", "report.html")
    assert result.exit_code == 0
    assert complaints(result) == ""
    assert "out.csv: 20 records in 4 groups of 5" in result.stdout
    assert pd.read_csv("out.csv").value_counts(["age", "size"]).min() >= 5


def test_assess_finds_the_masked_columns_itself(folder):
    shell(*MASK)
    content = json.loads(shell("assess", "in.csv", "out.csv", "--json").stdout)
    assert content["quasi_identifiers"] == ["age", "size"]
    assert content["measures"]["smallest_class"] == 4
    text = shell("assess", "in.csv", "out.csv", "-c", "age", "--measure", "smallest_class").stdout
    assert text.splitlines()[0] == "quasi-identifiers: age"
    assert text.splitlines()[1] == "not assessed: name, size, city"
    assert text.splitlines()[2].split() == ["smallest_class", "4", "records"]


@pytest.mark.parametrize(
    ("measure", "exit_code", "text"),
    [
        ("l_diversity", 2, "--confidential"),
        ("fewest_units", 2, "--unit"),
        ("certified_gap", 1, "needs a proven lower bound"),
    ],
)
def test_assess_names_the_option_for_what_a_measure_needs(folder, measure, exit_code, text):
    shell(*MASK)
    result = shell("assess", "in.csv", "out.csv", "-c", "age", "--measure", measure)
    assert (result.exit_code, result.stdout) == (exit_code, "")
    assert text in result.stderr


def test_assess_shows_measures_of_columns_as_a_table(folder):
    shell(*MASK, "-i", "city", "--unit", "record", "--confidential", "name")
    compare = ["assess", "in.csv", "out.csv", "--confidential", "name"]
    text = shell(*compare).stdout.splitlines()
    (head,) = [line for line in text if line.startswith("quasi-identifier ")]
    assert "std_ratio" in head.split()
    assert text[text.index(head) + 1].startswith("age ")
    (head,) = [line for line in text if line.startswith("confidential ")]
    assert text[text.index(head) + 1].split()[:2] == ["name", "4"]
    assert any(line.startswith("linkage_top2 ") for line in text)
    assert any("certified_gap" in line and "needs a proven lower bound" in line for line in text)
    content = json.loads(shell(*compare, "--json").stdout)
    assert content["measures"]["l_diversity"]["distinct"] == {"name": 4}
    assert "certified_gap" in content["remarks"]


def test_assess_counts_persons_with_several_records(folder):
    rows = [f"{i // 2},{20 + i % 2 * 9}" for i in range(8)]
    (folder / "in.csv").write_text("\n".join(["person,age", *rows]) + "\n")
    (folder / "out.csv").write_text("\n".join(["age", *["21"] * 4, *["30"] * 3, "31"]) + "\n")
    compare = ["assess", "in.csv", "out.csv", "-c", "age"]
    content = json.loads(shell(*compare, "--unit", "person", "--json").stdout)["measures"]
    assert (content["fewest_units"], content["smallest_class"]) == (1, 1)
    assert content["reidentification"]["marketer"] == pytest.approx((4 / 2 + 3 / 2 + 1) / 8)
    shown = shell(*compare, "--unit", "person", "--measure", "fewest_units").stdout
    assert ["fewest_units", "1", "unit"] in [line.split() for line in shown.splitlines()]
    assert "fewest_units" not in json.loads(shell(*compare, "--json").stdout)["measures"]


def test_groups_that_share_a_value_are_reported_and_can_be_merged(folder):
    lines = [f"{20 + i * 7 % 24},{i * 7 % 24 % 8 // 4}" for i in range(24)]
    (folder / "in.csv").write_text("\n".join(["age,ill", *lines]) + "\n")
    command = ["mask", "in.csv", "out.csv", "-c", "age", "-k", "4", "--confidential", "ill"]
    result = shell(*command)
    assert result.exit_code == 0
    assert "reservation: In some of 6 classes" in result.stderr
    assert "'ill' in" in result.stderr
    merged = shell(*command, "--force", "--set", "homogeneity=merge")
    assert (merged.exit_code, complaints(merged)) == (0, "")
    assert pd.read_csv("out.csv").groupby("age")["ill"].nunique().min() == 2
    refused = shell(*command, "--force", "--set", "homogeneity=refuse")
    assert refused.exit_code == 1
    assert "'ill' in" in refused.stderr


def test_confidential_numbers_are_measured_as_numbers_and_written_as_they_were(folder):
    lines = [f"{20 + i},{i:04d}.50" for i in range(12)]
    (folder / "in.csv").write_text("\n".join(["age,income", *lines]) + "\n")
    command = ["mask", "in.csv", "out.csv", "-c", "age", "-k", "4", "--confidential", "income"]
    content = json.loads(shell(*command, "--json").stdout)
    written = [line.split(",")[1] for line in (folder / "out.csv").read_text().splitlines()[1:]]
    assert written == [line.split(",")[1] for line in lines]
    data = pd.DataFrame({"age": range(20, 32), "income": np.arange(12) + 0.5})
    release = shoal.microaggregate(data, ["age"], k=4, confidential=["income"])
    actual = {entry["name"]: entry["value"] for entry in content["measures"]}
    assert {n: v for n, v in actual.items() if n != "class_sizes"} == {
        n: v for n, v in round_floats_for_display(release.measures).items() if n != "class_sizes"
    }
    assert 0 < actual["distortion_y"] < 1


def test_inspect_shows_every_column_and_a_reason(folder):
    result = shell("inspect", "in.csv")
    assert result.exit_code == 0
    for word in ("name", "age", "size", "city", "identifier", "its name suggests it (name)"):
        assert word in result.stdout
    content = json.loads(shell("inspect", "in.csv", "--json").stdout)
    assert content["records"] == 20


def test_inspect_writes_a_plan_that_asks_for_k(folder):
    assert shell("inspect", "in.csv", "--plan", "plan.toml").exit_code == 0
    result = shell("run", "plan.toml", "in.csv", "out.csv")
    assert result.exit_code == 2
    assert "needs 'k'" in result.stderr
    assert shell("inspect", "in.csv", "--plan", "plan.toml", "-k", "4").exit_code == 1
    assert shell("inspect", "in.csv", "--plan", "plan.toml", "-k", "4", "--force").exit_code == 0
    assert shell("run", "plan.toml", "in.csv", "out.csv").exit_code == 0
    assert shell("inspect", "in.csv", "-k", "4").exit_code == 2


def test_steps_are_listed_with_what_they_promise(folder):
    result = shell("steps")
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.stdout.splitlines()] == ["step", *shoal.STEPS]
    assert "nothing about persons" in result.stdout
    content = json.loads(shell("steps", "--json").stdout)
    assert content["suppress"]["promises"] == "k-anonymity"
    assert content["swap"]["parameters"]["random_state"]["default"] is None


def test_diversity_and_closeness_are_set_like_any_parameter(folder):
    secret = ["-i", "name", "-i", "city", "--unit", "record", "--confidential", "size"]
    known = ["mask", "in.csv", "out.csv", "-c", "age", "-k", "2", *secret]
    result = shell(*known, "--set", "closeness=0.2", "--set", "closeness_by=swap", "--json")
    promise = json.loads(result.stdout)["promise"]
    assert promise["closeness"]["attained"] <= promise["closeness"]["t"] == 0.2
    result = shell(*known, "--set", "diversity=40", "--force")
    assert result.exit_code == 1
    assert "diversity=40 cannot be reached: all 20 records together have" in result.stderr
    assert shell(*known, "--set", "closeness=2", "--force").exit_code == 2


def test_methods_are_listed(folder):
    result = shell("methods")
    for name in shoal.METHODS:
        assert f"\n{name} " in result.stdout
    assert json.loads(shell("methods", "--json").stdout)["mdav"]["paper"] == "DT05"


def test_demo_leaves_a_release_a_report_and_the_plan_that_repeats_it(folder):
    result = shell("demo")
    assert result.exit_code == 0
    written = {path.name for path in (folder / "demo").iterdir()}
    assert written == {"original.csv", "plan.toml", "release.csv", "report.html"}
    assert 'homogeneity = "merge"' in result.stderr  # as its plan would say it
    assert "shuffle = true" in result.stderr
    again = shell("run", "demo/plan.toml", "demo/original.csv", "again.csv")
    assert again.exit_code == 0
    assert (folder / "again.csv").read_bytes() == (folder / "demo" / "release.csv").read_bytes()
    known = ["age", "height", "weight", "years_of_education", "household_size"]
    assert pd.read_csv("again.csv").value_counts(known).min() >= 5


def test_help_and_version_compile_and_import_nothing_heavy():
    for arguments in (["--help"], ["mask", "--help"], ["--version"]):
        code = (
            "import sys; sys.argv = ['shoal', *sys.argv[1:]]\n"
            "from shoal.cli import app\n"
            "try: app()\n"
            "except SystemExit: pass\n"
            "heavy = [m for m in ('numba', 'sklearn', 'pyarrow', 'pandas') if m in sys.modules]\n"
            "assert not heavy, heavy"
        )
        result = subprocess.run(
            [sys.executable, "-c", code, *arguments], capture_output=True, text=True
        )
        assert result.returncode == 0, result.stderr


def large_file(folder):
    X = np.random.default_rng(0).normal(size=(60_000, 4))
    pd.DataFrame(X, columns=list("abcd")).to_csv(folder / "large.csv", index=False)
    columns = [word for name in "abcd" for word in ("-c", name)]
    return ["mask", "large.csv", "out.csv", *columns, "-k", "2"]


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_stops_soon_and_leaves_nothing(folder, end):
    arguments = large_file(folder)
    running = subprocess.Popen(
        [sys.executable, "-m", "shoal", *arguments],
        stderr=subprocess.PIPE,
        # A shell that runs the tests in the background has its children ignore Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    with running:
        while running.poll() is None and len(list(folder.glob(".out.csv.*"))) == 0:
            time.sleep(0.02)
        time.sleep(0.5)  # well into reading or grouping
        assert running.poll() is None
        os.kill(running.pid, end)
        complaint = running.communicate(timeout=600)[1].decode()
    assert running.returncode == 130, complaint
    assert "interrupted: nothing was written" in complaint
    assert sorted(path.name for path in folder.iterdir()) == ["in.csv", "large.csv"]
