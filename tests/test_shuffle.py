"""Released records in random order: all columns alike, repeatable, unrelated to the original."""

import json
from collections import Counter
from itertools import permutations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyreadstat
import pytest
from scipy.stats import chisquare
from typer.testing import CliRunner

import shoal
from shoal import Microaggregate, Plan
from shoal.cli import app
from shoal.errors import PlanError
from shoal.partitioners import MDAV, MuApprox
from shoal.plan.shuffle import random_order
from shoal.report.summary import summarise

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")


def people(n=200, seed=0):
    """Return records sorted by age, with names that give the row."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "name": [f"p{i:03d}" for i in range(n)],
            "age": np.sort(rng.normal(50, 9, n)),
            "height": rng.normal(170, 9, n),
            "zip": rng.choice(["007", "08", "9"], n),
        }
    )


def plan(**options):
    step = Microaggregate(["age", "height"], MDAV(k=3))
    return Plan({"name": "non-confidential", "zip": "non-confidential"}, [step], **options)


def test_an_order_is_a_permutation_and_every_one_is_equally_likely():
    counts = Counter(tuple(random_order(4, seed).tolist()) for seed in range(4800))
    assert set(counts) == set(permutations(range(4)))
    assert chisquare(list(counts.values())).pvalue > 1e-6
    assert sorted(random_order(1000, 2**127).tolist()) == list(range(1000))
    assert len({tuple(random_order(30, seed)) for seed in (0, 1, 2**64, 2**64 + 1, 255, 256)}) == 6


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_the_rows_of_a_shuffled_release_are_those_of_a_plain_one(kind):
    data = people()
    plain = plan().run(data).data.set_index("name")
    table = {"pandas": data, "polars": pl.from_pandas(data), "pyarrow": pa.Table.from_pandas(data)}
    release = plan(shuffle=True).run(table[kind])
    actual = pa.table(release.data).to_pandas()
    assert actual["name"].tolist() != data["name"].tolist()
    assert actual["name"].tolist() == data["name"].iloc[release.rows].tolist()
    assert actual.set_index("name").loc[plain.index].equals(plain)
    labels = pd.Series(release.labels)
    assert (actual.groupby(labels)["age"].nunique() == 1).all()
    assert labels.nunique() == actual["age"].nunique()


def test_no_index_reveals_the_original_order():
    data = people().set_axis([f"row {i}" for i in range(200)])
    actual = shoal.microaggregate(data, ["age", "height"], k=3, shuffle=True).data
    assert actual.index.equals(pd.RangeIndex(200))
    assert data.index[0] == "row 0"


def test_the_verdict_finds_no_order_in_a_shuffled_release():
    unshuffled, shuffled = (plan(shuffle=on).run(people()).verdict.codes() for on in (False, True))
    assert "order-follows-column" in unshuffled
    assert "order-follows-column" not in shuffled


def test_members_of_a_household_stand_apart_once_shuffled():
    data = people()[["age", "height"]].assign(home=np.repeat(np.arange(50), 4))
    step = Microaggregate(["age", "height"], MDAV(k=3), household="home")
    actual = {on: Plan({}, [step], shuffle=on).run(data) for on in (False, True)}
    assert "revealing-order" in actual[False].verdict.codes()
    assert "revealing-order" not in actual[True].verdict.codes()
    homes = data["home"].iloc[actual[True].rows].to_numpy()
    for group in np.unique(actual[True].labels):  # three households at least
        inside = homes[actual[True].labels == group]
        assert len(np.unique(inside)) >= 3


def test_a_drawn_order_is_repeated_by_the_plan_of_the_release_alone():
    data = people()
    first, second = (plan(shuffle=True).run(data) for _ in "ab")
    assert first.data["name"].tolist() != second.data["name"].tolist()
    again = first.plan.run(data)
    assert again.data.equals(first.data)
    assert again.drawn_seeds == ()
    assert len(first.drawn_seeds) == 1
    assert Plan.from_dict(json.loads(json.dumps(first.plan.to_dict()))) == first.plan
    assert "random_state" not in first.plan.to_dict(drawn_seeds=False)
    assert "random_state" not in str(summarise(first)) + str(summarise(first, "internal"))


def test_dropping_and_shuffling_are_reported_together():
    data = people()
    data.loc[data.index % 5 == 0, "age"] = np.nan
    release = shoal.microaggregate(
        data, ["age", "height"], k=3, missing="drop", shuffle=True, random_state=5
    )
    assert len(release.data) == 160
    assert not (release.rows % 5 == 0).any()
    assert release.data["name"].tolist() == data["name"].iloc[release.rows].tolist()


def test_a_seed_serves_the_order_and_a_method_that_draws():
    data = people()[["age", "height"]]
    options = {"k": 3, "shuffle": True, "random_state": 2**100}
    for method in ("mdav", "mu-approx"):
        first, second = (
            shoal.microaggregate(data, ["age", "height"], method=method, **options) for _ in "ab"
        )
        assert first.data.equals(second.data)
        assert first.drawn_seeds == ()
    both = Plan({}, [Microaggregate(["age", "height"], MuApprox(k=3))], shuffle=True).run(data)
    assert len(set(both.drawn_seeds)) == 2


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"shuffle": 1}, "plan-shuffle"),
        ({"shuffle": "yes"}, "plan-shuffle"),
        ({"shuffle": True, "random_state": -1}, "plan-random-state"),
        ({"shuffle": True, "random_state": 1.5}, "plan-random-state"),
        ({"shuffle": True, "random_state": True}, "plan-random-state"),
        ({"random_state": 3}, "plan-random-state"),
    ],
)
def test_what_cannot_be_an_order_is_refused(options, code):
    with pytest.raises(PlanError) as caught:
        plan(**options)
    assert caught.value.code == code
    entries = {**plan().to_dict(), **options}
    with pytest.raises(PlanError) as caught:
        Plan.from_dict(entries)
    assert caught.value.code == code


@pytest.mark.parametrize("ending", ["csv", "parquet", "feather", "xlsx", "sav", "dta"])
@pytest.mark.parametrize("command", ["mask", "run"])
def test_a_file_is_shuffled_to_the_letter_and_verified(ending, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = people()
    data["age"] = data["age"].mask(np.arange(len(data)) % 7 == 0)
    data.to_csv("in.csv", index=False)
    files = ["in.csv", f"out.{ending}", "--manifest", "manifest.json", "--shuffle"]
    if command == "mask":
        command_line = ["mask", *files, "-c", "age", "-c", "height", "-k", "3", "--missing", "drop"]
    else:
        step = Microaggregate(["age", "height"], MDAV(k=3), missing="drop")
        Plan({}, [step], other_columns="release").save("plan.toml")
        command_line = ["run", "plan.toml", *files]
    result = CliRunner().invoke(app, command_line)
    assert result.exit_code == 0, result.output
    if ending == "csv":
        table = pd.read_csv("out.csv", dtype={"zip": str})
    else:
        read = shoal.io.files.read(f"out.{ending}")
        table = read.to_pandas()
    row = table["name"].str[1:].astype(int)
    assert len(row) == 171
    assert abs(np.corrcoef(row, np.arange(len(row)))[0, 1]) < 0.5
    assert table["zip"].astype(str).tolist() == data["zip"].iloc[row].tolist()
    assert table.groupby("age")["height"].nunique().max() == 1
    assert table.groupby("age").size().min() >= 3
    original_ages = data["age"].iloc[row].to_numpy()
    assert (
        np.corrcoef(table["age"], original_ages)[0, 1] > 0.9
    )  # masked values follow their records
    entries = json.loads((tmp_path / "manifest.json").read_text())
    assert entries["plan"]["random_state"].bit_length() > 64
    assert str(entries["plan"]["random_state"]) not in result.output
    checked = CliRunner().invoke(
        app, ["verify", f"out.{ending}", "--manifest", "manifest.json", "--original", "in.csv"]
    )
    assert checked.exit_code == 0, checked.output


def test_missing_codes_follow_their_records(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = people()[["age", "height"]].assign(pay=np.arange(200.0), row=np.arange(200.0))
    data.loc[::3, "pay"] = -8.0
    data.loc[1::3, "pay"] = -9.0
    ranges = {"pay": [-8, -9]}
    pyreadstat.write_sav(data, "in.sav", missing_ranges=ranges)
    command = ["mask", "in.sav", "out.sav", "-c", "age", "-c", "height", "-k", "3", "--shuffle"]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    table, _ = pyreadstat.read_sav("out.sav", user_missing=True)
    row = table["row"].astype(int)
    assert row.tolist() != sorted(row)
    assert table["pay"].tolist() == data["pay"].iloc[row].tolist()
