"""Large tables on the command line."""

import json
from contextlib import suppress
from pathlib import Path
from socket import socket

import pytest
from typer.testing import CliRunner

from clusters import people, write_files
from shoal import Plan
from shoal.cli import app
from shoal.errors import FileError
from shoal.partitioners import MDAV
from shoal.scale.runners.dask_cluster import connect


@pytest.fixture
def source(tmp_path):
    return str(write_files(people(400).drop(["name"]), tmp_path / "in", files=2))


def shoal(*arguments):
    return CliRunner().invoke(app, [str(word) for word in arguments])


def test_a_folder_becomes_a_folder_with_report_and_manifest_on_a_local_cluster(source, tmp_path):
    arguments = ["mask", source, tmp_path / "out", "-c", "age", "-k", 4, "-m", "mdav", "--json"]
    beside = ["--report", tmp_path / "report.html", "--manifest", tmp_path / "out.json"]
    result = shoal(*arguments, *beside)
    assert result.exit_code == 0, result.output
    content = json.loads(result.stdout)
    assert content["records"] == 400
    assert content["promise"]["attained"] >= 4
    assert content["report"] == str(tmp_path / "report.html")
    assert {entry["name"] for entry in content["files"]} == {"part-00000.parquet"}
    assert "height" in result.stderr
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "_SUCCESS", "part-00000.parquet",
    ]  # fmt: skip
    assert (tmp_path / "report.html").exists()
    result = shoal("verify", tmp_path / "out", "--manifest", tmp_path / "out.json")
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("option", ["--target-table", "--table", "--sheet", "--missing-text"])
def test_options_of_other_tables_are_refused(option, source, tmp_path):
    result = shoal("mask", source, tmp_path / "out", "-c", "age", "-k", 4, option, "a.json")
    assert result.exit_code == 2
    assert option in result.stderr
    assert "Leave it out" in result.stderr


def test_more_runs_for_a_curve_are_refused(source, tmp_path):
    result = shoal("mask", source, tmp_path / "out", "-c", "age", "-k", 4, "--curve")
    assert result.exit_code == 2
    assert "--curve" in result.stderr


@pytest.mark.parametrize(
    ("option", "value"), [("--separator", ";"), ("--decimal", ","), ("--encoding", "latin-1")]
)
def test_options_for_text_files_are_refused(option, value, source, tmp_path):
    result = shoal("mask", source, tmp_path / "out", "-c", "age", "-k", 4, option, value)
    assert result.exit_code == 2
    assert option in result.stderr


@pytest.fixture
def options_of_mask(monkeypatch):
    """Return what the command would hand over to the cluster."""
    options_of_mask = {}

    def mask(sources, plan, target, **options):
        options_of_mask.update(options, sources=sources)
        raise FileError("Enough.")

    monkeypatch.setattr("shoal.scale.mask", mask)
    return options_of_mask


def test_one_file_becomes_a_folder_on_request_and_a_seed_reaches_its_sample(
    source, tmp_path, options_of_mask
):
    arguments = ["-c", "age", "-k", 4, "-m", "mdav", "--chunk-size", 100, "--seed", 3]
    result = shoal("mask", f"{source}/0.parquet", tmp_path / "out", *arguments)
    assert "Enough." in result.stderr
    assert (options_of_mask["chunk_size"], options_of_mask["random_state"]) == (100, 3)


def test_one_file_becomes_a_folder_if_the_target_is_a_folder(source, tmp_path, options_of_mask):
    result = shoal("mask", f"{source}/0.parquet", f"{tmp_path}/out/", "-c", "age", "-k", 4)
    assert "Enough." in result.stderr
    assert options_of_mask["sources"] == [f"{source}/0.parquet"]


def test_mask_and_run_pass_on_the_same_options(source, tmp_path, options_of_mask):
    plan = tmp_path / "plan.json"
    Plan.of(["age"], MDAV(k=4), other_columns="release").save(plan)
    arguments = ["--report", "-", "--audience", "internal", "--manifest", "m.json", "--force"]
    arguments += ["--scheduler", "tcp://x:1", "--chunk-size", 7]
    assert "Enough." in shoal("mask", source, "out", "-c", "age", "-k", 4, *arguments).stderr
    by_mask = dict(options_of_mask)
    options_of_mask.clear()
    assert "Enough." in shoal("run", plan, source, "out", *arguments).stderr
    assert options_of_mask == by_mask
    assert options_of_mask == {
        "sources": [source], "audience": "internal", "manifest": Path("m.json"), "force": True,
        "client": "tcp://x:1", "chunk_size": 7, "allow_not_kept": False,
    }  # fmt: skip


def test_a_manifest_never_replaces_the_plan(source, tmp_path, options_of_mask):
    plan = tmp_path / "plan.json"
    Plan.of(["age"], MDAV(k=4), other_columns="release").save(plan)
    result = shoal("run", plan, source, tmp_path / "out", "--manifest", plan, "--force")
    assert result.exit_code == 1
    assert "is the plan" in result.stderr
    assert not options_of_mask


def test_a_plan_runs_on_several_files_or_says_why_not(source, tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text(
        'version = 1\n[roles]\nage = "quasi-identifier"\n[[steps]]\nmethod = "round"\n'
        'columns = ["age"]\nbase = 5\n'
    )
    result = shoal("run", plan, f"{source}/0.parquet", f"{source}/1.parquet", tmp_path / "out")
    assert result.exit_code == 2
    assert "plans of one step 'microaggregate'" in " ".join(result.stderr.split())


def test_one_file_is_masked_in_memory(source, tmp_path):
    result = shoal("mask", f"{source}/0.parquet", tmp_path / "out.parquet", "-c", "age", "-k", 4)
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / "out.parquet").is_file()


def test_a_local_cluster_that_does_not_start_is_retried_and_reported(source, tmp_path, monkeypatch):
    tries = []

    def fails(**options):
        tries.append(options)
        raise RuntimeError("Cluster failed to start")

    monkeypatch.setattr("distributed.LocalCluster", fails)
    result = shoal("mask", source, tmp_path / "out", "-c", "age", "-k", 4, "-m", "mdav")
    assert result.exit_code == 1
    assert "did not start in 3 attempts" in result.output
    assert len(tries) == 3
    assert not (tmp_path / "out").exists()


def test_a_local_cluster_starts_beside_another_that_holds_the_usual_port():
    with socket() as taken:
        with suppress(OSError):  # somebody else holds it
            taken.bind(("127.0.0.1", 8787))
            taken.listen()
        with connect(None) as client:  # a warning would be an error here
            assert client.cluster.scheduler.services["dashboard"].port != 8787


def test_scratch_files_left_by_a_failed_run_are_reported(source, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "shoal.scale.publication.release_folder.shutil.rmtree", lambda *arguments, **options: None
    )
    monkeypatch.setattr("shoal.scale.masking.open_runner", _fails)
    result = shoal("mask", source, tmp_path / "out", "-c", "age", "-k", 4, "-m", "mdav")
    assert result.exit_code == 1
    assert "warning: The scratch folder" in result.stderr
    assert "error: no" in result.stderr


def _fails(client):
    raise FileError("no")
