"""Columns without a declared type: what a plan makes of them, in files and in memory."""

import warnings

import numpy as np
import pandas as pd
import pyreadstat
import pytest
from typer.testing import CliRunner

from raising import raises
from shoal import Plan, microaggregate
from shoal.audit import verify
from shoal.cli import app
from shoal.errors import (
    ColumnError,
    InputError,
    KindInferred,
    MissingValues,
    PlanError,
    ShoalWarning,
)
from shoal.io.dialect import Dialect
from shoal.partitioners import MDAV
from shoal.plan.deliver import deliver
from shoal.steps import AddNoise, Microaggregate


def survey(path, **options):
    """Write a survey with labelled codes to an SPSS file."""
    rng = np.random.default_rng(0)
    data = pd.DataFrame(
        {
            "race": rng.integers(1, 5, 60).astype(float),
            "ses": rng.integers(1, 4, 60).astype(float),
            "income": rng.integers(1000, 3000, 60).astype(float),
            "vote": rng.integers(1, 4, 60).astype(float),
        }
    )
    data.loc[:8, "income"] = [9998, 9999, 9999] * 3
    pyreadstat.write_sav(
        data,
        path,
        variable_value_labels={
            "race": {1: "a", 2: "b", 3: "c", 4: "d", 5: "unused"},
            "ses": {1: "low", 2: "middle", 3: "high"},
            "income": {9998: "Don't know", 9999: "Refused"},
            "vote": {1: "x", 2: "y", 3: "z"},
        },
        **options,
    )
    return data


def released(plan, source, target):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        return deliver(plan, source, target).release


def test_labelled_codes_are_never_averaged(tmp_path):
    source, target = tmp_path / "in.sav", tmp_path / "out.sav"
    survey(source)
    plan = Plan.of(
        ["race", "ses", "income"],
        MDAV(k=5),
        confidential=["vote"],
        missing="own-groups",
        other_columns="release",
    )
    release = released(plan, source, target)
    types = release.plan.types
    kinds = {name: declared.kind for name, declared in types.items()}
    assert kinds == {"race": "nominal", "ses": "ordinal", "vote": "nominal"}
    assert all(declared.why for declared in types.values())
    assert release.plan.missing_codes == {"income": ("9998", "9999")}
    assert {"kind-inferred", "missing-codes"} <= set(release.verdict.codes())
    before, _ = pyreadstat.read_sav(source)
    after, meta = pyreadstat.read_sav(target)
    assert set(after["race"]) <= set(before["race"])
    assert set(after["ses"]) <= set(before["ses"])
    assert after["income"].isna().sum() == 9
    assert after["income"].max() < 3000
    assert meta.variable_value_labels["race"] == {1: "a", 2: "b", 3: "c", 4: "d"}
    assert Plan.from_dict(release.plan.to_dict()) == release.plan


def test_a_missing_code_is_a_missing_value_and_not_a_number(tmp_path):
    survey(tmp_path / "in.sav")
    plan = Plan.of(["income"], MDAV(k=5), other_columns="release")
    with raises(InputError, code="missing-values", column="income", count=9):
        released(plan, tmp_path / "in.sav", tmp_path / "out.sav")
    assert not (tmp_path / "out.sav").exists()


def test_a_declared_type_is_kept(tmp_path):
    survey(tmp_path / "in.sav")
    plan = Plan.of(["race"], MDAV(k=5), types={"race": "numeric"}, other_columns="release")
    release = released(plan, tmp_path / "in.sav", tmp_path / "out.sav")
    assert "kind-inferred" not in release.verdict.codes()
    assert not set(release.data.column("race").to_pylist()) <= {1.0, 2.0, 3.0, 4.0}


def test_noise_is_not_added_to_labelled_codes(tmp_path):
    survey(tmp_path / "in.sav")
    steps = [Microaggregate(["income"], MDAV(k=5), missing="own-groups"), AddNoise(["race"], 0.1)]
    with raises(PlanError, code="step-needs-numbers", columns=("race",)):
        released(Plan({}, steps, other_columns="release"), tmp_path / "in.sav", tmp_path / "o.sav")


def test_a_release_of_inferred_kinds_is_verified(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    survey("in.sav")
    command = "mask in.sav out.sav -c race -c income -k 5 -m mdav --missing own-groups"
    result = CliRunner().invoke(app, [*command.split(), "--manifest", "m.json"])
    assert result.exit_code == 0
    assert verify("out.sav", "m.json", original="in.sav").passed


def test_missing_codes_are_declared_by_column_in_memory():
    data = pd.DataFrame({"age": [20, 21, 22, 98, 99, 98, 40, 41, 42], "sex": [1, 2, 1] * 3})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        release = microaggregate(
            data, ["age"], k=3, missing="own-groups", missing_codes={"age": [98, 99]}
        )
    assert release.data["age"].isna().sum() == 3
    assert release.data["age"].max() < 50
    with raises(PlanError, code="missing-codes-not-masked", columns=("sex",)):
        microaggregate(data, ["age"], k=3, missing_codes={"sex": [9]})


def test_plain_numbers_are_left_as_they_are():
    data = pd.DataFrame({"age": [20, 21, 98, 99], "x": [0.5, 1.5, 2.5, 9999]})
    with warnings.catch_warnings():
        warnings.simplefilter("error", KindInferred)
        warnings.simplefilter("error", MissingValues)
        release = microaggregate(data, ["age", "x"], k=2, method="mdav")
    assert release.plan.types == {}
    assert release.plan.missing_codes == {}


CELLS = [
    ("00501", "31/01/1990", "$1,100.50", "17"),
    ("00502", "02/01/1990", "$900", "90+"),
    ("10001", "13/02/1991", "$2,000", "44"),
    ("10001", "14/02/1991", "$2,100", "45"),
] * 3


def write_text(path):
    lines = [f'{zip_code},{born},"{pay}",{age}' for zip_code, born, pay, age in CELLS]
    path.write_text("\n".join(["area,born,pay,age", *lines]) + "\n")


def test_codes_dates_and_numbers_of_a_text_file_are_recognised(tmp_path):
    write_text(tmp_path / "in.csv")
    plan = Plan.of(["area", "born", "pay", "age"], MDAV(k=3))
    release = released(plan, tmp_path / "in.csv", tmp_path / "out.csv")
    kinds = {name: declared.kind for name, declared in release.plan.types.items()}
    assert kinds == {"area": "nominal", "born": "date", "pay": "numeric", "age": "ordinal"}
    assert release.plan.types["born"].format == "%d/%m/%Y"
    after = pd.read_csv(tmp_path / "out.csv", dtype=str)
    assert set(after["area"]) <= {cells[0] for cells in CELLS}
    assert set(after["born"]) <= {cells[1] for cells in CELLS}
    assert set(after["age"]) <= {cells[3] for cells in CELLS}
    pay = [float(cells[2].strip("$").replace(",", "")) for cells in CELLS]
    assert after["pay"].astype(float).mean() == pytest.approx(np.mean(pay))


def test_the_same_text_in_memory_is_recognised_in_the_same_way(tmp_path):
    write_text(tmp_path / "in.csv")
    plan = Plan.of(["area", "born", "pay", "age"], MDAV(k=3))
    from_file = released(plan, tmp_path / "in.csv", tmp_path / "out.csv")
    data = pd.read_csv(tmp_path / "in.csv", dtype=str)
    with pytest.warns(KindInferred):
        in_memory = plan.run(data)
    assert in_memory.plan.types == from_file.plan.types
    pd.testing.assert_frame_equal(
        in_memory.data.astype(str),
        from_file.data.to_pandas().astype(str),
        check_dtype=False,
    )


def test_ambiguous_dates_of_a_masked_column_are_refused_and_others_are_not(tmp_path):
    rows = [f"0{1 + i % 9}/0{1 + i % 7}/1990,{i}" for i in range(12)]
    (tmp_path / "in.csv").write_text("\n".join(["born,x", *rows]) + "\n")
    with raises(InputError, code="dates-ambiguous", column="born"):
        released(Plan.of(["born"], MDAV(k=3), other_columns="release"), tmp_path / "in.csv",
                 tmp_path / "out.csv")  # fmt: skip
    plan = Plan.of(["x"], MDAV(k=3), confidential=["born"])
    assert released(plan, tmp_path / "in.csv", tmp_path / "out.csv").plan.types == {}


def test_missing_words_of_a_file_with_decimal_commas_are_missing_values(tmp_path):
    cells = ["1,5", "NA", "2,5", "3", "NA", "4,25", "NA", "6,5", "7,75"]
    (tmp_path / "in.csv").write_text("\n".join(["x;y", *(f"{x};NA" for x in cells)]) + "\n")
    plan = Plan.of(["x"], MDAV(k=3), missing="own-groups", other_columns="release")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        dialect = Dialect(separator=";", decimal=",")
        result = deliver(plan, tmp_path / "in.csv", tmp_path / "out.csv", dialect=dialect).release
    assert result.plan.missing_codes == {"x": ("NA",)}
    after = pd.read_csv(tmp_path / "out.csv", sep=";", decimal=",", keep_default_na=False)
    assert (after["x"] == "").sum() == 3
    assert (after["y"] == "NA").all()
    present = after["x"][after["x"] != ""].str.replace(",", ".").astype(float)
    assert present.mean() == pytest.approx((1.5 + 2.5 + 3 + 4.25 + 6.5 + 7.75) / 6)


@pytest.mark.parametrize("suffix", ["csv", "xpt", "dta"])
def test_t_closeness_of_ordered_categories_is_verified_in_files_that_lose_the_order(
    tmp_path, monkeypatch, suffix
):
    monkeypatch.chdir(tmp_path)
    levels = ["low", "middle", "high"]
    values = pd.Categorical(np.repeat(levels, 4), levels, ordered=True)
    pd.DataFrame({"x": np.arange(12.0), "level": values}).to_feather("in.feather")
    source, target = "in.feather", f"out.{suffix}"
    options = ["-c", "x", "-k", "4", "-m", "mdav", "--confidential", "level"]
    options += ["--set", "closeness=0.5", "--manifest", "manifest.json"]
    result = CliRunner().invoke(app, ["mask", source, target, *options])
    assert result.exit_code == 0, result.output
    assert verify(target, "manifest.json").passed
    assert verify(target, "manifest.json", original=source).passed


def test_numbers_with_a_point_are_refused_in_a_file_with_decimal_commas(tmp_path):
    rows = [f"{n},5;{'nan' if n % 3 else '1.0'}\n" for n in range(12)]
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text("x;code\n" + "".join(rows))
    plan = Plan({}, [Microaggregate(["x", "code"], MDAV(k=3), missing="own-groups")])
    with raises(InputError, code="text-disguises-values", column="code"):
        deliver(plan, source, target, dialect=Dialect(separator=";", decimal=","))
    assert not target.exists()


def test_text_among_numbers_with_decimal_commas_is_counted(tmp_path):
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text("a;b\n1,5;x\n2,5;y\nabc;z\n;z\n3;u\n")
    plan = Plan({}, [Microaggregate(["a"], MDAV(k=2))], types={"a": "numeric"})
    for decimal, count in {",": 1, ".": 3}.items():
        with raises(ColumnError, code="text-among-numbers", column="a", count=count):
            deliver(plan, source, target, dialect=Dialect(separator=";", decimal=decimal))
