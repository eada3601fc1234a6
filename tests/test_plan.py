"""Plans, releases, and the three interfaces to them."""

import json
import threading
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from typer.testing import CliRunner

import shoal
from raising import raises, warns
from shoal import Microaggregate, Plan
from shoal.cli import app
from shoal.errors import (
    ColumnError,
    ConstantColumn,
    GuaranteeBroken,
    InputError,
    ParameterError,
    PlanError,
    UnderProtection,
    UnprotectedColumn,
)
from shoal.partitioners import MDAV
from tables import tables_and_k

KNOWN = ["surface", "employees"]  # to an attacker
OTHER_ROLES = {"identifiers": ["company"], "confidential": ["turnover", "net_profit"]}


@pytest.fixture(params=["pandas", "polars", "pyarrow"])
def sme(request):
    return shoal.datasets.sme(kind=request.param)


def columns_as_lists(data):
    return (
        pa.table(data).to_pydict()
        if isinstance(data, pa.Table)
        else {c: data[c].to_list() for c in data.columns}
    )


def test_a_release_has_the_kind_rows_and_columns_of_its_table(sme):
    release = shoal.microaggregate(
        sme, KNOWN, k=3, confidential=["company", "turnover", "net_profit"]
    )
    assert type(release.data) is type(sme)
    before, after = columns_as_lists(sme), columns_as_lists(release.data)
    assert list(after) == list(before)
    for name in ("company", "turnover", "net_profit"):
        assert after[name] == before[name]


def test_masked_values_are_means_of_groups_in_original_units(sme):
    release = shoal.microaggregate(sme, KNOWN, k=3, method="mdav", **OTHER_ROLES)
    before, after = columns_as_lists(sme), columns_as_lists(release.data)
    for name in KNOWN:
        for group in range(release.partitions[0].n_groups):
            rows = np.flatnonzero(release.labels == group)
            mean = sum(before[name][i] for i in rows) / len(rows)
            assert [after[name][i] for i in rows] == pytest.approx([mean] * len(rows))
    assert sum(after["surface"]) == pytest.approx(sum(before["surface"]))


def test_identifiers_never_reach_a_release(sme):
    release = shoal.microaggregate(sme, KNOWN, k=3, **OTHER_ROLES)
    assert "company" not in columns_as_lists(release.data)
    assert "company" not in release.unchanged


def test_the_table_of_the_caller_is_not_modified(sme):
    before = columns_as_lists(sme)
    shoal.microaggregate(sme, KNOWN, k=3, **OTHER_ROLES)
    assert columns_as_lists(sme) == before


def test_a_pandas_index_is_kept_with_a_warning():
    data = shoal.datasets.sme().set_index("company")
    with warns(UnprotectedColumn):
        release = shoal.microaggregate(data, KNOWN, k=3, confidential=OTHER_ROLES["confidential"])
    assert release.data.index.equals(data.index)


def test_a_single_column_can_be_given_as_text():
    data = shoal.datasets.sme()[["company", "surface", "turnover"]]
    release = shoal.microaggregate(
        data, "surface", k=3, identifiers="company", confidential="turnover"
    )
    assert list(release.data.columns) == ["surface", "turnover"]


def test_the_index_has_a_warning_of_its_own():
    with pytest.warns(UnprotectedColumn) as caught:
        shoal.microaggregate(shoal.datasets.sme().set_index("company"), KNOWN, k=3)
    assert {"index" in str(warning.message) for warning in caught} == {True, False}


def test_a_column_without_a_role_is_named():
    with warns(UnprotectedColumn, columns=("company", "turnover", "net_profit")) as caught:
        release = shoal.microaggregate(shoal.datasets.sme(), KNOWN, k=3)
    assert release.unchanged == ("company", "turnover", "net_profit")
    assert len(release.warnings) == 1
    assert caught[0].filename == __file__


def test_a_constant_column_is_allowed_with_a_warning():
    data = pd.DataFrame({"a": [1.0, 2, 3, 4], "b": [0.1] * 4})
    with warns(ConstantColumn, columns=("b",)):
        release = shoal.microaggregate(data, ["a", "b"], k=2)
    assert release.data["b"].tolist() == [0.1] * 4
    assert release.measures["smallest_class"] == 2


@given(case=tables_and_k(least=2))
def test_what_is_released_attains_k(case):
    X, k = case
    data = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstantColumn)
        release = shoal.microaggregate(data, list(data.columns), k=k)
    assert release.data.value_counts().min() >= k
    assert release.measures["smallest_class"] >= k


def test_groups_never_cross_a_stratum():
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"x": rng.normal(size=60), "s": ["a", "b", None] * 20, "t": [1, 2] * 30})
    release = shoal.microaggregate(data, ["x"], k=3, within=["s", "t"])
    crossing = data.fillna("?").groupby(release.labels)[["s", "t"]].nunique()
    assert (crossing == 1).all(axis=None)
    assert release.measures["smallest_class"] >= 3
    assert "within" in release.plan.to_dict()["steps"][0]


def test_a_column_that_makes_no_strata_is_not_quoted():
    data = pd.DataFrame({"x": range(9), "name": [f"person {i}" for i in range(9)]})
    with raises(InputError, "strata-below-k", columns=("name",), small=9, strata=9) as caught:
        shoal.microaggregate(data, ["x"], k=3, within="name")
    assert "person" not in str(caught.value)


def test_a_drawn_seed_is_recorded_and_repeats_the_release():
    data = shoal.datasets.sme()
    first = shoal.microaggregate(data, KNOWN, k=3, method="mu-approx", **OTHER_ROLES)
    (seed,) = first.drawn_seeds
    again = shoal.microaggregate(
        data, KNOWN, k=3, method="mu-approx", random_state=seed, **OTHER_ROLES
    )
    assert again.drawn_seeds == ()
    assert again.plan == first.plan
    assert np.array_equal(again.labels, first.labels)


def test_the_loss_is_that_of_the_masked_columns_alone():
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"x": rng.normal(size=60), "s": [1, 2, 3] * 20})
    release = shoal.microaggregate(data, ["x"], k=3, within="s")
    measures = shoal.assess(data, release.data, quasi_identifiers=["x"])
    assert release.measures["information_loss"] == measures["information_loss"] > 0


def test_a_stratum_below_k_is_counted_and_nothing_is_released():
    data = pd.DataFrame({"x": range(25), "s": ["south"] * 20 + ["north"] * 5})
    with raises(InputError, "strata-below-k", small=1, strata=2, smallest=5, k=10) as caught:
        shoal.microaggregate(data, ["x"], k=10, within="s")
    assert "north" not in str(caught.value)


def test_rounding_keeps_whole_numbers_whole_and_never_splits(sme):
    release = shoal.microaggregate(sme, KNOWN, k=3, decimals=0, **OTHER_ROLES)
    after = columns_as_lists(release.data)
    assert all(isinstance(value, int) for name in KNOWN for value in after[name])
    assert release.measures["smallest_class"] >= 3
    tens = shoal.microaggregate(sme, KNOWN, k=3, decimals=-1, **OTHER_ROLES)
    assert all(value % 10 == 0 for value in columns_as_lists(tens.data)["surface"])


def test_whole_numbers_become_floats_without_rounding(sme):
    release = shoal.microaggregate(sme, KNOWN, k=3, **OTHER_ROLES)
    assert all(isinstance(value, float) for value in columns_as_lists(release.data)["surface"])


def test_blocks_are_grouped_separately_and_their_common_k_is_stated():
    data = shoal.datasets.sme()
    with warns(UnderProtection, columns=tuple(KNOWN)) as caught:
        release = shoal.microaggregate(data, KNOWN, k=3, blocks=1, **OTHER_ROLES)
    linked = shoal.assess(data, release.data, quasi_identifiers=KNOWN)["linkage"]
    assert release.measures["linkage"] == linked
    assert f"link {100 * linked:.1f} % of the records" in str(caught[0].message)
    assert len(release.partitions) == 2
    for name in KNOWN:
        assert release.data[name].value_counts().min() >= 3
    assert release.measures["smallest_class"] == release.data[KNOWN].value_counts().min() == 1


def test_dependence_needs_confidential_columns():
    with raises(PlanError, "confidential-needed"):
        shoal.microaggregate(shoal.datasets.sme(), KNOWN, k=3, dependence=0.5)


def test_dependence_one_groups_by_the_confidential_columns_alone():
    data = shoal.datasets.sme()
    release = shoal.microaggregate(data, KNOWN, k=3, method="mdav", dependence=1, **OTHER_ROLES)
    swapped = shoal.microaggregate(
        data,
        OTHER_ROLES["confidential"],
        k=3,
        method="mdav",
        identifiers=["company"],
        confidential=KNOWN,
    )
    assert np.array_equal(release.labels, swapped.labels)


def test_a_broken_guarantee_releases_nothing(monkeypatch):
    def keep_values(values, labels):
        return values.copy()

    monkeypatch.setitem(shoal.steps.microaggregation.aggregates.AGGREGATES, "mean", keep_values)
    with raises(GuaranteeBroken, "guarantee-broken", k=3):
        shoal.microaggregate(shoal.datasets.sme(), KNOWN, k=3, **OTHER_ROLES)


@pytest.mark.parametrize(
    ("options", "error", "code"),
    [
        ({"k": 12}, InputError, "too-few-records"),
        ({"k": 0}, ParameterError, "parameter-not-accepted"),
        ({"k": 2.5}, ParameterError, "parameter-not-accepted"),
        ({"k": 3, "method": "mdva"}, ParameterError, "unknown-method"),
        ({"k": 3, "gamma": 1}, ParameterError, "unknown-parameter"),
        ({"k": 3, "dependence": 2}, ParameterError, "parameter-not-accepted"),
        ({"k": 3, "aggregate": "mode"}, ParameterError, "parameter-not-accepted"),
        ({"k": 3, "missing": "ignore"}, ParameterError, "parameter-not-accepted"),
        ({"k": 3, "effort": "serach"}, ParameterError, "unknown-effort"),
        ({"k": 3, "blocks": [["surface"]]}, PlanError, "blocks-not-a-partition"),
        ({"k": 3, "blocks": 0}, ParameterError, "parameter-not-accepted"),
        ({"k": 3, "within": "surface"}, PlanError, "masked-and-stratum"),
        ({"k": 3, "within": "town"}, ColumnError, "no-such-column"),
        ({"k": 3, "identifiers": ["surface"]}, PlanError, "two-roles"),
        (
            {"k": 3, "within": "company", "identifiers": ["company"]},
            PlanError,
            "within-and-dropped",
        ),
        ({"k": 3, "identifiers": ["nane"]}, ColumnError, "no-such-column"),
    ],
)
def test_invalid_options_are_refused(options, error, code):
    with raises(error, code):
        shoal.microaggregate(shoal.datasets.sme(), KNOWN, **options)


def test_invalid_columns_are_refused():
    data = shoal.datasets.sme()
    for names, error, code in [
        (["surfaces"], ColumnError, "no-such-column"),
        (["company"], ColumnError, "text-names-records"),
        ([], PlanError, "nothing-masked"),
        (["surface", "surface"], PlanError, "masked-twice"),
    ]:
        with raises(error, code):
            shoal.microaggregate(data, names, k=3)


def test_one_record_is_refused_unless_k_is_one():
    single_record = pd.DataFrame({"a": [1.5]})
    with raises(InputError, "too-few-records", records=1):
        shoal.microaggregate(single_record, ["a"], k=2)


def plan():
    roles = {"company": "identifier", "turnover": "confidential", "net_profit": "confidential"}
    return Plan(roles, [Microaggregate(KNOWN, MDAV(k=3), decimals=1)])


def test_a_plan_equals_its_document():
    document = plan().to_dict()
    assert document == {
        "version": 1,
        "other_columns": "refuse",
        "roles": {
            "company": "identifier",
            "turnover": "confidential",
            "net_profit": "confidential",
        },
        "steps": [
            {
                "method": "microaggregate",
                "columns": KNOWN,
                "partition": {"method": "mdav", "k": 3},
                "decimals": 1,
            }
        ],
    }
    assert Plan.from_dict(document) == plan()
    assert Plan.from_dict(json.loads(json.dumps(document))) == plan()


@pytest.mark.parametrize("name", ["plan.toml", "plan.json"])
def test_a_plan_is_unchanged_by_saving_and_loading(tmp_path, name):
    plan().save(tmp_path / name)
    assert Plan.load(tmp_path / name) == plan()


def test_function_plan_and_command_line_agree(tmp_path, monkeypatch):
    data = shoal.datasets.sme()
    by_plan = plan().run(data)
    by_function = shoal.microaggregate(data, KNOWN, k=3, method="mdav", decimals=1, **OTHER_ROLES)
    pd.testing.assert_frame_equal(by_plan.data, by_function.data)
    data.to_csv(tmp_path / "in.csv", index=False)
    plan().save(tmp_path / "plan.toml")
    monkeypatch.chdir(tmp_path)
    mask_command = ["mask", "in.csv", "hand.csv", "-c", "surface", "-c", "employees", "-k", "3"]
    mask_command += ["-m", "mdav", "--set", "decimals=1", "-i", "company"]
    mask_command += ["--confidential", "turnover", "--confidential", "net_profit"]
    for words in (mask_command, ["run", "plan.toml", "in.csv", "plan.csv"]):
        assert CliRunner().invoke(app, words).exit_code == 0
    assert (tmp_path / "hand.csv").read_bytes() == (tmp_path / "plan.csv").read_bytes()
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "hand.csv"), by_plan.data)


def test_runs_in_several_threads_give_the_same_release():
    data = shoal.datasets.survey(400)
    roles = shoal.datasets.ROLES["survey"]
    known = [name for name, role in roles.items() if role == "quasi-identifier"]
    shared_plan = Plan(roles, [Microaggregate(known, MDAV(k=4), homogeneity="merge")])
    expected = shared_plan.run(data).data
    releases = []
    workers = [
        threading.Thread(target=lambda: releases.append(shared_plan.run(data).data))
        for _ in range(4)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(releases) == 4
    for released in releases:
        pd.testing.assert_frame_equal(released, expected)


VALID_DOCUMENT = {
    "version": 1,
    "roles": {"a": "identifier"},
    "steps": [
        {"method": "microaggregate", "columns": ["b"], "partition": {"method": "mdav", "k": 3}}
    ],
}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"version": 2}, "plan-version"),
        ({"version": None}, "plan-version"),
        ({"rolls": {}}, "unknown-key"),
        ({"roles": {"a": "identifer"}}, "unknown-role"),
        ({"roles": []}, "roles-no-mapping"),
        ({"roles": {"z": "quasi-identifier"}}, "quasi-identifier-not-masked"),
        ({"steps": []}, "plan-without-steps"),
        ({"steps": {}}, "steps-not-accepted"),
        ({"steps": [{"method": "swop"}]}, "unknown-step"),
        ({"steps": [VALID_DOCUMENT["steps"][0] | {"colums": ["a"]}]}, "unknown-key"),
        ({"steps": [VALID_DOCUMENT["steps"][0] | {"partition": {"k": 3}}]}, "partition-missing"),
        (
            {"steps": [VALID_DOCUMENT["steps"][0] | {"partition": {"method": "mdav"}}]},
            "parameter-missing",
        ),
        (
            {"steps": [VALID_DOCUMENT["steps"][0] | {"partition": {"method": "mdav", "k": 0}}]},
            "parameter-not-accepted",
        ),
        ({"steps": [VALID_DOCUMENT["steps"][0] | {"columns": [1]}]}, "names-not-text"),
        ({"steps": [VALID_DOCUMENT["steps"][0] | {"columns": 3}]}, "names-not-text"),
        ({"steps": [VALID_DOCUMENT["steps"][0] | {"decimals": 400}]}, "parameter-not-accepted"),
        ({"steps": [VALID_DOCUMENT["steps"][0], VALID_DOCUMENT["steps"][0]]}, "masked-twice"),
    ],
)
def test_an_invalid_document_is_refused(change, code):
    with raises(PlanError, code):
        Plan.from_dict({**VALID_DOCUMENT, **change})


def test_broken_plan_files_are_refused(tmp_path):
    (tmp_path / "a.toml").write_text("version = ")
    (tmp_path / "b.json").write_text("[1]")
    (tmp_path / "c.toml").write_bytes(b"\xff\xfe")
    for name in ("a.toml", "b.json", "c.toml"):
        with raises(PlanError, "plan-unreadable", file=name):
            Plan.load(tmp_path / name)


def test_polars_and_pandas_agree_to_the_bit():
    from_pandas = shoal.microaggregate(shoal.datasets.sme(), KNOWN, k=3, **OTHER_ROLES).data
    from_polars = shoal.microaggregate(
        shoal.datasets.sme(kind="polars"), KNOWN, k=3, **OTHER_ROLES
    ).data
    assert pl.from_pandas(from_pandas).equals(from_polars)


def test_assess_measures_data_masked_elsewhere():
    data = shoal.datasets.sme()
    masked_elsewhere = data.assign(surface=data["surface"].mean(), employees=0)
    measures = shoal.assess(data, masked_elsewhere, quasi_identifiers=["surface"])
    assert measures["information_loss"] == pytest.approx(100)
    assert measures["smallest_class"] == 11
    assert shoal.assess(data, data, quasi_identifiers=KNOWN)["smallest_class"] == 1
    selected = shoal.assess(
        data, masked_elsewhere, quasi_identifiers=["company"], measures=["smallest_class"]
    )
    assert selected == {"smallest_class": 1}


@pytest.mark.parametrize(
    ("options", "error", "code"),
    [
        ({"quasi_identifiers": []}, ParameterError, "quasi-identifiers-needed"),
        ({"quasi_identifiers": ["x"]}, ColumnError, "no-such-column"),
        ({"quasi_identifiers": KNOWN, "measures": ["loss"]}, ParameterError, "unknown-measure"),
        (
            {"quasi_identifiers": ["company"], "measures": ["information_loss"]},
            InputError,
            "measure-not-computable",
        ),
    ],
)
def test_assess_refuses_what_it_cannot_measure(options, error, code):
    data = shoal.datasets.sme()
    with raises(error, code):
        shoal.assess(data, data, **options)


def test_assess_refuses_tables_of_different_length():
    data = shoal.datasets.sme()
    with raises(InputError, "records-differ", original=11, masked=10):
        shoal.assess(data, data.head(10), quasi_identifiers=KNOWN)
