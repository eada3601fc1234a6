"""Jobs of the web page: the same format out as in, and messages about what cannot be done."""

import json
import os
import signal
from pathlib import Path

import pytest

import shoal
from shoal.app import worker
from shoal.app.jobs import Job, describe_exit
from shoal.app.sessions import Run, Session, release_name
from shoal.io.dialect import Dialect
from shoal.io.files import read, write
from shoal.partitioners import MDAV
from shoal.plan import Plan

KNOWN = ["age", "height", "weight"]
PLAN = Plan.of(KNOWN, MDAV(k=4), identifiers=["person"])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(name, dialect=None):
    people = shoal.datasets.survey(60, kind="pyarrow").select(["person", *KNOWN])
    write(people, name, target=Path(name), dialect=dialect)


@pytest.mark.parametrize(
    "name",
    ["a.csv", "a.tsv", "a.csv.gz", "a.txt.zst", "a.parquet", "a.feather", "a.xlsx", "a.dta",
     "a.sav", "a.xpt"],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")
def test_a_release_has_the_format_of_its_source(folder, name):
    put(name)
    inspection = worker.inspect_file({"name": name, "dialect": {}})
    assert [column["name"] for column in inspection["columns"]] == ["person", *KNOWN]
    (folder / "run-1").mkdir()
    arguments = {
        "name": name,
        "dialect": {},
        "plan": PLAN.to_dict(),
        "folder": "run-1",
        "number": 1,
    }
    done = worker.mask({**arguments, "target": release_name(name)})
    json.dumps(done)  # it must pass through a pipe
    released = read(f"run-1/{release_name(name)}").to_pandas()
    assert list(released) == KNOWN
    assert released.groupby(KNOWN).size().min() == done["attained"] >= 4
    assert Plan.load("run-1/plan-1.toml").k == 4
    written = {path.name for path in Path("run-1").iterdir()}
    assert written == {release_name(name), *worker.file_names(1).values()}
    manifest = Path("run-1/manifest-1.json")
    checked = shoal.verify(f"run-1/{release_name(name)}", manifest=manifest, original=name)
    assert checked.passed


@pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")
def test_the_dialect_of_the_source_is_that_of_the_release(folder):
    dialect = Dialect(separator=";", decimal=",")
    put("a.csv", dialect)
    (folder / "run-1").mkdir()
    plain = worker.dialect_entries(dialect)
    arguments = {
        "name": "a.csv",
        "dialect": plain,
        "plan": PLAN.to_dict(),
        "folder": "run-1",
        "number": 1,
    }
    worker.mask({**arguments, "target": "a-release.csv"})
    first = (folder / "run-1" / "a-release.csv").read_text().splitlines()[0]
    assert first.replace('"', "") == "age;height;weight"


def test_a_job_reports_its_error_without_a_traceback(tmp_path):
    answer = Job("inspect", {"name": "none.csv", "dialect": {}}, tmp_path).wait(lambda *step: None)
    assert answer == {"failed": "There is no file 'none.csv'.", "code": "no-such-file"}
    answer = Job("inspect", {"name": 3, "dialect": {"colour": 1}}, tmp_path).wait(
        lambda *step: None
    )
    assert answer == {"failed": "Unexpected error (TypeError). Nothing was released."}


def test_a_killed_job_is_reported(tmp_path):
    job = Job("inspect", {"name": "none.csv", "dialect": {}}, tmp_path)
    job.cancel()
    reason = job.wait(lambda *step: None)["failed"]
    assert reason in (describe_exit(-signal.SIGKILL), "There is no file 'none.csv'.")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGABRT, signal.SIGSEGV])
def test_the_signal_that_ended_a_job_is_named(tmp_path, number):
    job = Job("inspect", {"name": "none.csv", "dialect": {}}, tmp_path)
    os.kill(job._process.pid, signal.SIGSTOP)  # it cannot answer before the signal comes
    os.kill(job._process.pid, number)
    os.kill(job._process.pid, signal.SIGCONT)
    reason = job.wait(lambda *step: None)["failed"]
    assert signal.Signals(number).name in reason or "none.csv" in reason
    assert ("memory" in reason) == (number == signal.SIGKILL and "none.csv" not in reason)


def test_waiting_jobs_can_be_removed_from_the_queue(tmp_path):
    session, run = Session(tmp_path / "one"), Run()
    session.cancel(run)
    assert run.state == "cancelled"
    session._execute(run, "mask", {})
    assert (run.state, run.job) == ("cancelled", None)


def test_codes_are_shown_as_codes(folder):
    (folder / "a.csv").write_text("plz,n\n" + "01067,1\n80331,2\n" * 9)
    inspection = worker.inspect_file({"name": "a.csv", "dialect": {}})
    codes, numbers = inspection["distributions"]
    assert (codes["kind"], codes["description"]) == ("counts", "01067 50 %, 80331 50 %")
    assert numbers["kind"] == "bins"


def test_numbers_among_words_for_a_missing_value_are_shown_as_numbers(folder):
    (folder / "a.csv").write_text("x;y\n1,5;a\nNA;b\n2,5;a\n4;NA\n5,5;b\n", encoding="utf-8")
    dialect = {"separator": ";", "decimal": ","}
    inspection = worker.inspect_file({"name": "a.csv", "dialect": dialect})
    numbers, texts = inspection["distributions"]
    assert numbers["kind"] == "bins"
    assert numbers["description"] == "from 1.5 to 5.5, median 3.25"
    assert texts["kind"] == "counts"
