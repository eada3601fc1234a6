"""Tables of mixed columns with missing values, in every method, library and interface."""

import csv
import datetime as dt
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import shoal
from conftest import reference_matrix
from example_counts import scaled_examples
from raising import raises
from shoal._params import signature_parameters
from shoal.cli import app
from shoal.errors import ColumnError, InputError, ParameterError, PlanError, ShoalWarning
from shoal.partitioners import METHODS

LIBRARIES = ("pandas", "polars", "pyarrow")
ORDER = ["none", "school", "college"]
TREE = [["Porto", "north"], ["Braga", "north"], ["Faro", "south"], ["Beja", "south"]]
TYPES = {
    "school": {"kind": "ordinal", "order": ORDER},
    "town": {"kind": "nominal", "hierarchy": TREE},
    "code": "nominal",
    "letter": "nominal",
}
SCHEMA = {
    "number": pa.float64(),
    "school": pa.string(),
    "town": pa.string(),
    "code": pa.int64(),
    "letter": pa.string(),
    "yes": pa.bool_(),
    "day": pa.date32(),
    "moment": pa.timestamp("us", "UTC"),
}
COLUMNS = list(SCHEMA)
FROM_ARROW = {
    "pandas": lambda table: table.to_pandas(),
    "pandas arrow": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.from_arrow,
    "pyarrow": lambda table: table,
}


def optional(values, with_missing):
    """Return a strategy that also gives None if values may be missing."""
    return st.one_of(st.none(), values) if with_missing else values


@st.composite
def mixed_tables(draw, with_missing=True, least=1, most=20):
    n = draw(st.integers(least, most))
    kinds = {
        "number": st.integers(0, 3).map(float),
        "school": st.sampled_from(ORDER),
        "town": st.sampled_from([row[0] for row in TREE]),
        "code": st.integers(1, 3),
        "letter": st.sampled_from("abc"),
        "yes": st.booleans(),
        "day": st.integers(0, 3).map(lambda days: dt.date(2020, 1, 1) + dt.timedelta(days)),
        "moment": st.integers(0, 3).map(lambda h: dt.datetime(2020, 1, 1, h, tzinfo=dt.UTC)),
    }
    return pa.table(
        {
            name: pa.array(
                draw(st.lists(optional(kinds[name], with_missing), min_size=n, max_size=n)), kind
            )
            for name, kind in SCHEMA.items()
        }
    )


def mask(data, columns=COLUMNS, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        return shoal.microaggregate(data, columns, **{"types": TYPES, **options})


def as_rows(data):
    """Return any table as rows of plain values, missing ones as None."""
    if isinstance(data, pd.DataFrame):
        data = pa.Table.from_pandas(data, preserve_index=False)
    return data.to_arrow().to_pylist() if isinstance(data, pl.DataFrame) else data.to_pylist()


def smallest(rows, columns):
    counts = {}
    for row in rows:
        key = tuple(row[name] for name in columns)
        counts[key] = counts.get(key, 0) + 1
    return min(counts.values())


@settings(max_examples=scaled_examples(25))
@given(
    table=mixed_tables(),
    k=st.integers(1, 4),
    missing=st.sampled_from(["own-groups", "impute", "drop"]),
)
def test_every_kind_of_table_gives_one_release_and_keeps_k(table, k, missing):
    releases = {}
    for kind, make in FROM_ARROW.items():
        try:
            releases[kind] = mask(make(table), k=k, missing=missing)
        except InputError as reason:
            releases[kind] = str(reason)
    if isinstance(releases["pyarrow"], str):
        assert k > 1 or missing == "drop"  # too few records are left
        assert set(releases.values()) == {releases["pyarrow"]}
        return
    rows = as_rows(releases["pyarrow"].data)
    assert smallest(rows, COLUMNS) >= k
    for kind, release in releases.items():
        assert as_rows(release.data) == rows, kind
        assert release.measures == releases["pyarrow"].measures
        assert release.measures["smallest_class"] >= k
    assert releases["pyarrow"].data.schema.types[1:] == list(SCHEMA.values())[1:]


@pytest.mark.parametrize("name", ["school", "town", "letter"])
def test_a_column_without_a_value_needs_no_type(name):
    """Libraries give Arrow no type for a column of missing values alone."""
    ages = [1.0, 1.0, 3.0, 4.0]
    tables = [pa.table({"age": ages, name: pa.nulls(4, kind)}) for kind in (pa.null(), pa.string())]
    options = {"k": 2, "types": {name: TYPES[name]}, "missing": "own-groups"}
    typeless, typed = (mask(table, ["age", name], **options) for table in tables)
    assert typeless.data.to_pylist() == typed.data.to_pylist()
    assert typeless.measures == typed.measures


@pytest.fixture(scope="module")
def survey():
    rng = np.random.default_rng(0)
    n = 24
    return pa.table(
        {
            "number": pa.array(rng.normal(size=n)),
            "school": rng.choice(ORDER, n),
            "town": rng.choice([row[0] for row in TREE], n),
            "code": rng.integers(1, 4, n),
            "letter": rng.choice([*"abc"], n),
            "yes": pa.array(rng.random(n) < 0.5),
            "day": pa.array(
                [dt.date(2020, 1, 1) + dt.timedelta(int(d)) for d in rng.integers(0, 900, n)]
            ),
            "moment": pa.array(
                [dt.datetime(2020, 1, 1, int(h), tzinfo=dt.UTC) for h in rng.integers(0, 24, n)]
            ),
        }
    )


def with_missing_cells(table, seed=1, share=0.2):
    """Return the table with some cells missing."""
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            name: pa.array(
                [None if rng.random() < share else value for value in table[name].to_pylist()],
                table[name].type,
            )
            for name in table.column_names
        }
    )


def test_the_utilities_table_keeps_k_in_every_library():
    """The table has 4,092 records of several kinds of columns, and 51 states."""
    reference_matrix("eia")
    known = ["STATE", "MONTH", *shoal.datasets.COLUMNS["eia"]]
    options = {"k": 5, "types": {"MONTH": "ordinal"}, "confidential": []}
    releases = [mask(shoal.datasets.eia(kind=kind), known, **options) for kind in LIBRARIES]
    first = as_rows(releases[0].data)
    assert smallest(first, known) >= 5
    assert all(as_rows(release.data) == first for release in releases)
    assert {row["MONTH"] for row in first} <= set(range(1, 13))
    assert releases[0].data["MONTH"].dtype == "int64"
    assert len({release.measures["information_loss"] for release in releases}) == 1


@pytest.mark.parametrize("missing", ["refuse", "own-groups", "impute", "drop"])
@pytest.mark.parametrize("method", METHODS)
def test_every_method_keeps_k_on_mixed_columns_or_refuses_them(survey, method, missing):
    k = 3 if signature_parameters(METHODS[method])["k"].accepts(3) else 2
    table = survey if missing == "refuse" else with_missing_cells(survey, share=0.05)
    table = table.slice(0, METHODS[method].facts.max_records or len(table))
    if method == "univariate":
        with raises(InputError, "sorts-by-categories", column="town", axes=3):
            mask(table, k=k, method=method, missing=missing)
        method, options = "univariate", {"order": "first-component"}
    else:
        options = {}
    release = mask(table, k=k, method=method, missing=missing, **options)
    assert smallest(as_rows(release.data), COLUMNS) >= k


@pytest.mark.parametrize(
    "options",
    [
        {"method": "univariate"},
        {"method": "univariate", "order": 0},
        {"method": "univariate", "order": "sum-of-z"},
        {"method": "sorted", "by": "sum-of-z"},
        {"method": "sorted", "by": 0},
        {"method": "mward", "start": 0},
    ],
)
def test_methods_that_sort_by_columns_refuse_categories(survey, options):
    with raises(InputError, "sorts-by-categories", column="letter", axes=2):
        mask(survey, ["letter"], k=3, **options)
    release = mask(survey, ["school"], k=3, **options)
    assert smallest(as_rows(release.data), ["school"]) >= 3


def test_the_aggregate_of_a_group_depends_on_the_kind(survey):
    release = mask(survey, k=5)
    rows, released = survey.to_pylist(), as_rows(release.data)
    letters = [row["letter"] for row in rows]
    for group in range(release.partitions[0].n_groups):
        members = np.flatnonzero(release.labels == group)
        released_row = released[members[0]]
        values = {name: [rows[i][name] for i in members] for name in COLUMNS}
        assert released_row["number"] == pytest.approx(np.mean(values["number"]))
        middle = (len(members) - 1) // 2
        assert released_row["school"] == sorted(values["school"], key=ORDER.index)[middle]
        assert released_row["day"] == sorted(values["day"])[middle]
        assert released_row["moment"] == sorted(values["moment"])[middle]
        assert released_row["letter"] == min(
            set(values["letter"]),
            key=lambda x: (-values["letter"].count(x), -letters.count(x), x),
        )


def test_the_loss_of_a_mixed_release_counts_every_column(survey):
    release = mask(survey, k=3)
    numbers = shoal.assess(survey, release.data, quasi_identifiers=["number"], types=TYPES)
    everything = shoal.assess(survey, release.data, quasi_identifiers=COLUMNS, types=TYPES)
    assert everything["information_loss"] == release.measures["information_loss"]
    assert everything["information_loss"] != pytest.approx(numbers["information_loss"])
    assert everything["std_ratio"] == numbers["std_ratio"]
    assert "'school', 'town'" in everything.remarks["std_ratio"]
    assert "linkage" in everything
    assert "information_loss" not in everything.remarks
    assert everything["linkage"] <= 1 / 3
    # In a single group no record equals the mean of categories, so the loss may exceed 100 %.
    whole = mask(survey, k=24)
    assert whole.measures["information_loss"] >= 100
    same = shoal.assess(survey, survey, quasi_identifiers=COLUMNS, types=TYPES)
    assert same["information_loss"] == same["il1s"] == same["euclidean_loss"] == 0
    assert same["linkage"] == 1


def test_confidential_columns_have_the_order_that_is_declared(survey):
    table = survey.to_pandas()
    closeness = {}
    for name, types in {
        "order": {"school": TYPES["school"]},
        "none": {"school": "nominal"},
    }.items():
        released = table.assign(number=table["number"].round())
        closeness[name] = shoal.assess(
            table, released, quasi_identifiers=["number"], confidential=["school"], types=types
        )["t_closeness"]["school"]
    assert closeness["order"] != closeness["none"]


def test_a_numeric_code_that_is_declared_nominal_is_categorical(survey):
    release = mask(survey, ["number", "code"], k=3)
    assert set(release.data["code"].to_pylist()) <= {1, 2, 3}
    assert list(release.measures["std_ratio"]) == ["number"]


def test_categories_and_numbers_preserve_dependence_together(survey):
    release = mask(survey, ["number", "letter"], k=3, confidential=["code", "yes"], dependence=1.0)
    without_dependence = mask(survey, ["number", "letter"], k=3, confidential=["code", "yes"])
    pairs = list(zip(survey["code"].to_pylist(), survey["yes"].to_pylist(), strict=True))

    def n_mixed_pairs(labels):
        return sum(len({pairs[i] for i in np.flatnonzero(labels == g)}) for g in set(labels))

    assert n_mixed_pairs(release.labels) < n_mixed_pairs(without_dependence.labels)


@pytest.fixture
def folder(survey, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [",".join([*COLUMNS, "note"])]
    for i, row in enumerate(with_missing_cells(survey, share=0.04).to_pylist()):
        cells = ["" if row[name] is None else str(row[name]) for name in COLUMNS]
        lines.append(",".join([*cells, f"00{i}"]))
    (tmp_path / "in.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "towns.csv").write_text("\n".join(";".join(row) for row in TREE) + "\n")
    return tmp_path


OPTIONS = [
    *("--type", f"school=ordinal:{','.join(ORDER)}", "--type", "town=hierarchy:towns.csv"),
    *("--type", "code=nominal", "--type", "day=date", "--type", "moment=date"),
    *("--type", "letter=nominal"),
]
CSV_TYPES = {**TYPES, "day": "date", "moment": "date"}


def columns_of(names):
    return [word for name in names for word in ("-c", name)]


@pytest.mark.parametrize("missing", ["own-groups", "impute", "drop"])
def test_function_plan_and_command_line_agree(folder, missing):
    command = ["mask", "in.csv", "out.csv", *columns_of(COLUMNS), "-k", "3", *OPTIONS]
    result = CliRunner().invoke(app, [*command, "--set", f"missing={missing}"])
    assert result.exit_code == 0, result.output
    (folder / "plan.toml").write_text(
        f"""version = 1
other_columns = "release"
[roles]
{chr(10).join(f'{name} = "quasi-identifier"' for name in COLUMNS)}
[types]
school = {{ kind = "ordinal", order = {ORDER} }}
town = {{ kind = "nominal", hierarchy = "towns.csv" }}
code = "nominal"
letter = "nominal"
day = "date"
moment = "date"
[[steps]]
method = "microaggregate"
columns = {COLUMNS}
missing = "{missing}"
partition = {{ method = "auto", k = 3 }}
"""
    )
    result = CliRunner().invoke(app, ["run", "plan.toml", "in.csv", "again.csv"])
    assert result.exit_code == 0, result.output
    written = (folder / "out.csv").read_bytes()
    assert (folder / "again.csv").read_bytes() == written

    def rows_of(path):
        with Path(path).open() as file:
            rows = [{n: cell or None for n, cell in row.items()} for row in csv.DictReader(file)]
        return [{**row, "number": row["number"] and float(row["number"])} for row in rows]

    table = pa.Table.from_pylist(rows_of("in.csv"))
    release = mask(table, k=3, types=CSV_TYPES, missing=missing)
    assert release.data.to_pylist() == rows_of("out.csv")
    plan = shoal.Plan.load("plan.toml")
    assert plan.types["town"].hierarchy == tuple(map(tuple, TREE))
    plan.save("saved.toml")
    assert shoal.Plan.load("saved.toml") == plan


def test_a_declared_code_keeps_its_leading_zeros_in_a_text_table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = ["zip,x", *(f"00{i % 2},{i}" for i in range(8))]
    (tmp_path / "in.csv").write_text("\n".join(lines) + "\n")
    command = "mask in.csv out.csv -c zip -c x -k 2 --type zip=nominal"
    result = CliRunner().invoke(app, command.split())
    assert result.exit_code == 0, result.output
    assert {line.split(",")[0] for line in (tmp_path / "out.csv").read_text().split()[1:]} <= {
        "000",
        "001",
    }


def test_assess_takes_types_on_the_command_line(folder):
    command = ["mask", "in.csv", "out.csv", *columns_of(COLUMNS), "-k", "3", *OPTIONS]
    CliRunner().invoke(app, [*command, "--set", "missing=impute"])
    result = CliRunner().invoke(
        app, ["assess", "in.csv", "out.csv", *columns_of(COLUMNS), *OPTIONS]
    )
    assert result.exit_code == 0, result.output
    assert "information_loss" in result.output


@pytest.mark.parametrize(
    ("types", "error", "code"),
    [
        ({"nowhere": "nominal"}, ColumnError, "no-such-column"),
        ({"town": "nominl"}, ParameterError, "unknown-kind"),
        ({"school": {"kind": "ordinal", "order": ORDER[:2]}}, InputError, "value-outside-type"),
        ({"town": {"kind": "nominal", "hierarchy": TREE[:2]}}, InputError, "value-outside-type"),
        ({"letter": "numeric"}, ColumnError, "text-among-numbers"),
        ({"letter": "date"}, InputError, "not-a-date"),
    ],
)
def test_invalid_types_are_refused(survey, types, error, code):
    with raises(error, code):
        mask(survey, k=3, types=types)


def test_numbers_that_have_no_geometric_mean_are_refused(survey):
    with raises(InputError, "not-above-zero"):
        mask(survey, k=3, aggregate="geometric-mean")
    release = mask(survey, ["code", "letter"], k=3, aggregate="geometric-mean", types={})
    for group in range(release.partitions[0].n_groups):
        members = np.flatnonzero(release.labels == group)
        codes = [survey["code"][int(i)].as_py() for i in members]
        released_code = release.data["code"][int(members[0])].as_py()
        assert released_code == pytest.approx(np.exp(np.log(codes).mean()))


def test_a_trimmed_mean_needs_its_share(survey):
    release = mask(survey, ["number"], k=5, aggregate="trimmed-mean", trim=0.2)
    assert release.plan.to_dict()["steps"][0]["trim"] == 0.2
    for options in ({"aggregate": "trimmed-mean"}, {"trim": 0.2}):
        with raises(PlanError, "trim-and-aggregate"):
            mask(survey, ["number"], k=5, **options)


def test_an_invalid_type_is_a_usage_error_and_a_plan_error(folder):
    for option in ("town=nominl", "town", "town=hierarchy:none.csv", "nowhere=nominal"):
        command = ["mask", "in.csv", "out.csv", "-c", "town", "-k", "3", "--type", option]
        result = CliRunner().invoke(app, command)
        assert result.exit_code == (2 if option.startswith("town") and ":" not in option else 1)
        assert not (folder / "out.csv").exists()
    step = {"method": "microaggregate", "columns": ["a"], "partition": {"method": "mdav", "k": 2}}
    for types, code in (({"a": "nominl"}, "unknown-kind"), (["a"], "types-no-mapping")):
        with raises(PlanError, code):
            shoal.Plan.from_dict({"version": 1, "types": types, "steps": [step]})
