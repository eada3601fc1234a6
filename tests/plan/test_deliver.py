"""`deliver` writes, judges and publishes a release; the verdict is counted on the file."""

import datetime as dt
import json
import os
import sqlite3
import warnings
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import independent_readers
import shoal
from raising import raises
from shoal.app import worker
from shoal.audit import manifest as manifests
from shoal.cli import app
from shoal.errors import FileError, GuaranteeBroken, NotKept, ShoalWarning
from shoal.io.dialect import Dialect
from shoal.io.files import write
from shoal.partitioners import MDAV
from shoal.plan import Plan
from shoal.plan import deliver as module
from shoal.plan.deliver import deliver

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")


def plan_of(columns, partitioner, **options):
    """Return a plan that releases columns without a role."""
    return Plan.of(columns, partitioner, other_columns="release", **options)


PLAN = plan_of(["age"], MDAV(k=3), identifiers=["name"])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"p{i},{20 + i * 7 % 30},{i * 13 % 17}" for i in range(12)]
    (tmp_path / "in.csv").write_text("\n".join(["name,age,pay", *rows, ""]))
    return tmp_path


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def shell(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_the_command_line_and_the_page_write_the_same_bytes(folder):
    deliver(PLAN, "in.csv", "out.csv")
    (folder / "run").mkdir()
    order = {"name": "in.csv", "dialect": {}, "plan": PLAN.to_dict(), "folder": "run", "number": 1}
    worker.mask({**order, "target": "page.csv"})
    PLAN.save("plan.toml")
    assert shell("run", "plan.toml", "in.csv", "command.csv").exit_code == 0
    first = Path("out.csv").read_bytes()
    assert Path("run/page.csv").read_bytes() == Path("command.csv").read_bytes() == first


def test_the_verdict_is_that_of_the_file(folder):
    table = pa.table({"x": [1.0] * 4, "s": ["", "", None, None]})
    pq.write_table(table, "in.parquet")
    plan = plan_of(["x"], MDAV(k=2), within="s")
    assert plan.run(table).verdict.k == 2
    delivery = deliver(plan, "in.parquet", "out.csv")  # text knows no missing text
    assert delivery.release.verdict.k == delivery.release.measures["smallest_class"] == 4
    assert delivery.release.measures["class_sizes"] == {4: 1}


MOMENTS = [dt.datetime(2020, 1, 1, 0, 0, 0, microsecond) for microsecond in (1, 2)]
SAME = {"sav": ["yes", "yes "], "xpt": ["yes", "yes "], "csv": ["", None], "xlsx": MOMENTS,
        "dta": ["", None], "tsv": ["", None]}  # fmt: skip


@pytest.mark.parametrize("ending", SAME)
def test_values_equal_in_the_format_are_not_counted_twice(folder, ending):
    table = pa.table({"x": [1.0, 1.0, 5.0, 5.0], "secret": SAME[ending] * 2})
    pq.write_table(table, "in.parquet")
    before = names(folder)
    plan = plan_of(["x"], MDAV(k=2), confidential=["secret"], diversity=2)
    plan.run(table)  # the table keeps it
    with raises(GuaranteeBroken, "unrepresentable-values", columns=("secret",)):
        deliver(plan, "in.parquet", f"out.{ending}")
    assert names(folder) == before


BLOCKS = plan_of(["age", "pay"], MDAV(k=3), blocks=1)


def test_what_is_not_kept_is_not_published_unless_allowed(folder):
    before = names(folder)
    with raises(NotKept) as caught:
        deliver(BLOCKS, "in.csv", "out.csv")
    assert caught.value.verdict.status == "not kept"
    assert names(folder) == before
    delivery = deliver(BLOCKS, "in.csv", "out.csv", allow_not_kept=True)
    assert delivery.release.verdict.status == "not kept"
    assert independent_readers.smallest_class(pd.read_csv("out.csv"), ["age", "pay"]) < 3


def test_a_release_that_is_not_kept_exits_1_even_where_it_is_allowed(folder):
    command = [
        "mask",
        "in.csv",
        "out.csv",
        "-c",
        "age",
        "-c",
        "pay",
        "-k",
        "3",
        "--set",
        "blocks=1",
    ]
    result = shell(*command)
    assert result.exit_code == 1
    assert "--allow-not-kept" in result.stderr
    assert not Path("out.csv").exists()
    assert shell(*command, "--allow-not-kept").exit_code == 1
    assert Path("out.csv").exists()


def test_a_table_that_is_not_kept_is_rolled_back(folder):
    connection = sqlite3.connect("t.db")
    connection.execute("CREATE TABLE old (a)")
    connection.commit()
    with raises(NotKept):
        deliver(BLOCKS, "in.csv", "sqlite:///t.db", target_table="release")
    with raises(NotKept):
        deliver(BLOCKS, "in.csv", "sqlite:///new.db", target_table="release")
    assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("old",)]
    connection.close()
    assert not Path("new.db").exists()


def test_documents_appear_with_the_release_or_not_at_all(folder):
    delivery = deliver(PLAN, "in.csv", "out.csv", documents={Path("note.txt"): lambda d: "done"})
    assert Path("note.txt").read_text() == "done"
    assert delivery.columns == ("age", "pay")

    def fail(delivery):
        raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011
        deliver(PLAN, "in.csv", "b.csv", documents={Path("b.txt"): fail})
    with pytest.raises(ValueError):  # noqa: PT011
        deliver(PLAN, "in.csv", "sqlite:///b.db", target_table="r", documents={Path("b.txt"): fail})
    assert names(folder) == ["in.csv", "note.txt", "out.csv"]


@pytest.mark.parametrize("hashed", [True, False])
def test_a_source_that_changes_while_it_is_read_is_refused(folder, monkeypatch, hashed):
    read = module.open_source

    def read_and_append(path, **options):
        table = read(path, **options)
        with Path(path).open("a") as file:
            file.write("p99,99,99\n")
        return table

    monkeypatch.setattr(module, "open_source", read_and_append)
    with raises(FileError, "source-changed"):
        deliver(PLAN, "in.csv", "out.csv", fingerprints=hashed)
    assert names(folder) == ["in.csv"]


def test_a_change_that_keeps_size_and_time_is_detected_by_the_hash(folder, monkeypatch):
    read = module.open_source

    def read_and_edit(path, **options):
        source, state = read(path, **options), Path(path).stat()
        Path(path).write_text(Path(path).read_text().replace("p1,", "q1,"))
        os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
        return source

    monkeypatch.setattr(module, "open_source", read_and_edit)
    with raises(FileError, "source-changed"):
        deliver(PLAN, "in.csv", "out.csv", fingerprints=True)


def test_the_manifest_hashes_what_was_masked_and_what_was_judged(folder):
    delivery = deliver(PLAN, "in.csv", "out.csv", fingerprints=True)
    assert delivery.source.sha256 == manifests.sha256(Path("in.csv"))
    assert delivery.target.sha256 == manifests.sha256(Path("out.csv"))
    assert delivery.target.bytes == Path("out.csv").stat().st_size


def test_a_fixed_width_release_is_verified_whatever_the_order_of_its_map(folder):
    entries = [("pay", 1, "number"), ("age", 30, "number"), ("name", 60, "text")]
    Path("map.toml").write_text(
        "".join(
            f'[[columns]]\nname = "{name}"\nstart = {start}\nwidth = 25\ntype = "{kind}"\n'
            for name, start, kind in entries
        )
    )
    command = ["mask", "in.csv", "out.fwf", "-c", "age", "-k", "3", "-i", "name", "--layout",
               "map.toml", "--manifest", "m.json"]  # fmt: skip
    assert shell(*command).exit_code == 0
    checks = shoal.verify("out.fwf", "m.json", original="in.csv")
    assert [check.name for check in checks if check.passed is False] == []
    assert json.loads(Path("m.json").read_text())["columns"] == ["pay", "age"]


def test_a_fixed_width_file_keeps_records_without_any_value(folder):
    table = pa.table({"x": pa.array([None, None, 1.0, 1.0]), "y": ["", "", "a", "b"]})
    pq.write_table(table, "in.parquet")
    Path("map.toml").write_text(
        '[[columns]]\nname = "x"\nstart = 1\nwidth = 9\ntype = "number"\n'
        '[[columns]]\nname = "y"\nstart = 10\nwidth = 9\n'
    )
    plan = plan_of(["x"], MDAV(k=2), missing="own-groups")
    deliver(plan, "in.parquet", "out.fwf", dialect=Dialect(layout=Path("map.toml")))
    lines = Path("out.fwf").read_text().split("\n")
    assert [line.strip() == "" for line in lines] == [True, True, False, False, True]


TYPELESS = {"x": [1.0, 1.0, 2.0, 2.0, 3.0, 3.0]}


@pytest.mark.parametrize("ending", ["csv", "sav", "xlsx", "dta", "xpt"])
def test_dates_and_ordered_categories_keep_their_distance_in_the_file(folder, ending):
    """A file that holds dates or categories as text is no farther from the table for that."""
    days = pd.to_datetime(["2020-01-01", "2020-01-03", "2020-01-02", "2020-01-02", "2020-01-01",
                           "2020-01-03"])  # fmt: skip
    levels = pd.Categorical(list("acbbac"), categories=["a", "b", "c"], ordered=True)
    for values in (days, levels):
        frame = pd.DataFrame({**TYPELESS, "secret": values})
        frame.to_parquet("in.parquet")
        plan = plan_of(["x"], MDAV(k=2), confidential=["secret"], closeness=0.4)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ShoalWarning)
            attained = plan.run(frame).measures["t_closeness"]["secret"]
        tight = plan_of(["x"], MDAV(k=2), confidential=["secret"], closeness=attained)
        deliver(tight, "in.parquet", f"out.{ending}", force=True)


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz"])
def test_cells_that_look_like_formulas_are_found_and_marked_if_wanted(folder, ending):
    cells = ["=1+1", "-5", "+a", "@x", "-", "a=1", "-1.5e3", "\tx", None, "b", "b", "b"]
    table = pa.table({"age": [20.0 + i // 3 for i in range(12)], "note": cells})
    pq.write_table(table, "in.parquet")
    plan = plan_of(["age"], MDAV(k=3))
    findings = deliver(plan, "in.parquet", f"a.{ending}").release.verdict.findings
    [finding] = [entry for entry in findings if entry.code == "formula-cells"]
    assert finding.figures == {"cells": 4}
    assert finding.columns == ("note",)
    marked = deliver(plan, "in.parquet", f"b.{ending}", dialect=Dialect(mark_formulas=True))
    assert "formula-cells" not in marked.release.verdict.codes()
    notes = independent_readers.read_file(Path(f"b.{ending}"))["note"]
    assert [note for note in notes if note[:1] == "'"] == ["'=1+1", "'+a", "'@x", "'\tx"]
    of_parquet = deliver(plan, "in.parquet", "c.parquet").release.verdict
    assert "formula-cells" not in of_parquet.codes()


def test_a_masked_number_is_no_formula(folder):
    write(pa.table({"age": [-1.0, -1.0, -2.0, -2.0]}), "in.csv", target=Path("in.csv"))
    delivery = deliver(plan_of(["age"], MDAV(k=2)), "in.csv", "out.csv")
    assert "formula-cells" not in delivery.release.verdict.codes()
