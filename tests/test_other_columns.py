"""Columns that a plan does not name: refused, dropped or released."""

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import shoal
from raising import raises, warns, without_warnings
from shoal import Plan, inspect
from shoal.audit.check import check_dropped_columns
from shoal.cli import app
from shoal.cli.parsing.source_arguments import check_sources, stray_argument
from shoal.comparison import compare_plans
from shoal.errors import ColumnError, ParameterError, PlanError, UnprotectedColumn
from shoal.partitioners import MDAV
from shoal.steps import Microaggregate

DATA = pd.DataFrame(
    {
        "name": [f"n{i}" for i in range(8)],
        "age": [30, 31, 33, 40, 44, 45, 50, 59],
        "town": list("aaaabbbb"),
        "wage": [1.0, 2, 3, 4, 5, 6, 7, 8],
    }
)
ROLES = {"name": "identifier", "wage": "confidential"}
DOCUMENT = {
    "version": 1,
    "roles": ROLES,
    "steps": [
        {
            "method": "microaggregate",
            "columns": ["age"],
            "within": "town",
            "partition": {"method": "mdav", "k": 2},
        }
    ],
}


def with_ssn():
    return DATA.assign(ssn=range(8))


def make_plan(**options):
    return Plan(ROLES, [Microaggregate(["age"], MDAV(k=2), within="town")], **options)


@pytest.mark.parametrize(
    "plan", [make_plan(), Plan.from_dict(DOCUMENT)], ids=["Python", "document"]
)
def test_a_column_that_the_plan_does_not_name_is_refused(plan):
    assert plan.other_columns == "refuse"
    without_warnings(plan.run, DATA)
    with raises(ColumnError, "columns-not-named", columns=("ssn",)):
        plan.run(with_ssn())


def test_a_declared_type_gives_no_role():
    with raises(ColumnError, "columns-not-named", columns=("ssn",)):
        make_plan(types={"ssn": "nominal"}).run(with_ssn())


def test_other_columns_are_dropped_where_the_plan_says_so():
    release = without_warnings(make_plan(other_columns="drop").run, with_ssn())
    assert list(release.data.columns) == ["age", "town", "wage"]
    assert release.plan.other_columns == "drop"
    assert release.plan.roles == ROLES
    assert release.unchanged == ("town", "wage")


def test_other_columns_are_released_with_a_warning_where_the_plan_says_so():
    with warns(UnprotectedColumn):
        release = make_plan(other_columns="release").run(with_ssn())
    assert list(release.data["ssn"]) == list(range(8))


def test_the_plan_of_a_release_repeats_it_and_refuses_a_new_column():
    release = without_warnings(shoal.microaggregate, with_ssn(), ["age"], k=2, within="town")
    plan = release.plan
    assert plan.other_columns == "refuse"
    assert plan.roles["ssn"] == "unassigned"
    again = without_warnings(plan.run, with_ssn())
    pd.testing.assert_frame_equal(again.data, release.data)
    assert again.warnings == release.warnings
    assert again.verdict == release.verdict
    assert again.plan == plan
    with raises(ColumnError, "columns-not-named", columns=("pin",)):
        plan.run(with_ssn().assign(pin=1))


@pytest.mark.parametrize("choice", ["refuse", "drop", "release"])
@pytest.mark.parametrize("name", ["plan.toml", "plan.json"])
def test_the_choice_is_written_into_the_document(tmp_path, choice, name):
    plan = make_plan(other_columns=choice)
    assert plan.to_dict()["other_columns"] == choice
    plan.save(tmp_path / name)
    assert Plan.load(tmp_path / name).other_columns == choice
    assert Plan.load(tmp_path / name) == plan


@pytest.mark.parametrize("choice", ["keep", "", None, 1, ["drop"], {}])
def test_another_choice_is_refused(choice):
    with raises(PlanError, "unknown-other-columns", given=choice):
        make_plan(other_columns=choice)
    with raises(PlanError, "unknown-other-columns", given=choice):
        Plan.from_dict({**DOCUMENT, "other_columns": choice})


def test_a_comparison_refuses_them_and_names_them_in_its_plans():
    with raises(ColumnError, "columns-not-named", columns=("ssn",)):
        compare_plans(with_ssn(), [make_plan()])
    actual = without_warnings(shoal.compare, with_ssn(), ["age"], k=2, confidential=["wage"])
    assert actual.trials[0].plan.roles["ssn"] == "unassigned"
    without_warnings(actual.trials[0].plan.run, with_ssn())


def test_verification_looks_for_columns_that_the_plan_does_not_name():
    columns = ["age", "town", "wage"]
    assert check_dropped_columns(make_plan(), columns)[0] is True
    for choice in ("refuse", "drop"):
        assert check_dropped_columns(make_plan(other_columns=choice), [*columns, "ssn"])[0] is False
    assert check_dropped_columns(make_plan(other_columns="release"), [*columns, "ssn"])[0] is True
    assert check_dropped_columns(make_plan(), [*columns, "name"])[0] is False


def test_a_starter_plan_names_every_column(tmp_path):
    data = pd.DataFrame({"age": [1, 2, 3, 3], "wave": [7, 7, 7, 7], "flag": [0, 1, 0, 1]})
    (tmp_path / "plan.toml").write_text(inspect(data).starter_plan(2))
    plan = Plan.load(tmp_path / "plan.toml")
    assert set(plan.roles) == {"age", "wave", "flag"}
    without_warnings(plan.run, data)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    DATA.to_csv("in.csv", index=False)
    with_ssn().to_csv("new.csv", index=False)
    make_plan().save("plan.toml")
    make_plan(other_columns="drop").save("drop.toml")
    return tmp_path


def shoal_(*words):
    return CliRunner().invoke(app, list(words))


def test_the_command_line_refuses_a_new_column_by_its_name(folder):
    assert shoal_("run", "plan.toml", "in.csv", "out.csv").exit_code == 0
    result = shoal_("run", "plan.toml", "new.csv", "new-out.csv")
    assert result.exit_code == 1
    assert "'ssn'" in result.stderr
    assert not Path("new-out.csv").exists()
    assert shoal_("run", "drop.toml", "new.csv", "dropped.csv").exit_code == 0
    assert Path("dropped.csv").read_text().startswith("age,town,wage\n")


def test_masking_by_hand_releases_other_columns(folder):
    result = shoal_("mask", "new.csv", "out.csv", "-c", "age", "-k", "2", "-i", "name")
    assert result.exit_code == 0
    assert "'ssn'" in result.stderr


@pytest.mark.parametrize(
    "words",
    [
        "mask in.csv out.csv -c age wage -k 2",
        "mask in.csv out.csv -k 2 -c age wage",
        "mask in.csv out.csv -c age wage town -k 2",
        "mask in.csv out.csv -k 2 --column=age wage",
        "mask in.parquet out.parquet -c age wage -k 2",
        "run plan.toml in.csv out.csv --report - other.csv",
        "mask -c age wage in.csv out.csv -k 2",
        "mask in.csv new.csv out.csv -c age -k 2",
        "run plan.toml in.csv new.csv out.csv",
    ],
)
def test_a_stray_argument_is_a_usage_error_and_writes_nothing(folder, words):
    pq.write_table(pa.Table.from_pandas(DATA), "in.parquet")
    pq.write_table(pa.Table.from_pandas(DATA), "out.parquet")
    before = sorted(Path().iterdir())
    result = shoal_(*words.split())
    assert result.exit_code == 2, result.output
    assert sorted(Path().iterdir()) == before


def test_several_sources_must_be_parquet():
    check_sources(["in.csv"])
    check_sources(["a.parquet", "b.PQ"])
    with raises(ParameterError, "several-sources", sources=("a.parquet", "b.csv")):
        check_sources(["a.parquet", "b.csv"])


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("in out -c a", None),
        ("in -c a out", None),
        ("-c a in -k 3 out", None),
        ("one two three out/ -c a", None),
        ("-k 3 one two out/", None),
        ("in out -c a b", ("-c", "a", "b")),
        ("in out --force b", ("--force", "", "b")),
        ("in out -c a -- b", ("-c", "a", "b")),
        ("in out -c - b", ("-c", "-", "b")),
        ("in out -c a b -k 3", ("-c", "a", "b")),
        ("in -c a out b", ("-c", "a", "out")),
    ],
)
def test_stray_arguments_are_noticed(words, expected):
    takes = {"-c": True, "-k": True, "--force": False}
    assert stray_argument(words.split(), takes, 2) == expected
