"""Inspection of a table before it is masked: roles, kinds, sentences, plans and hierarchies."""

import json
import tomllib
import warnings

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from raising import raises
from shoal import Hierarchy, Plan, datasets, inspect
from shoal.errors import PlanError, ShoalWarning
from shoal.frame.tables import open_frame
from shoal.inspection import inspect_source
from shoal.inspection.relations import find_relations
from shoal.io.dialect import Dialect
from shoal.io.files import open_source
from shoal.plan.deliver import deliver


@pytest.fixture
def inspection():
    data = pd.DataFrame(
        {
            "person_id": ["a1", "a2", "a3", "a4"],
            "row": [11, 12, 13, 14],
            "age": [30, 30, 40, 50],
            "Income": [1.5, None, 2.5, 3.5],
            "wave": [7, 7, 7, 7],
            "code": [1, 1, 2, 2],
            "shoe": [40.5, 41.5, 42.0, 43.5],
        }
    )
    return inspect(data)


def roles(inspection):
    return {entry["name"]: entry["role"] for entry in inspection.columns}


def test_roles_are_suggested_with_a_reason(inspection):
    assert roles(inspection) == {
        "person_id": "identifier",
        "row": "identifier",
        "age": "quasi-identifier",
        "Income": "confidential",
        "wave": "non-confidential",
        "code": None,
        "shoe": "quasi-identifier",
    }
    why = {entry["name"]: entry["why"] for entry in inspection.columns}
    assert why["row"] == "whole numbers that count the records"
    assert why["shoe"] == "100 % of the records have a unique value"


def test_columns_are_counted(inspection):
    age = inspection.columns[2]
    assert (age["type"], age["missing"], age["distinct"], age["unique"]) == ("whole", 0, 3, 0.5)
    income = inspection.columns[3]
    assert (income["type"], income["missing"], income["distinct"]) == ("number", 1, 3)


def test_combinations_are_more_unique_than_columns(inspection):
    assert inspection.combinations == [{"columns": ["age", "shoe"], "unique": 1.0}]


def test_the_roles_of_the_built_in_tables_are_found():
    sme = inspect(datasets.sme())
    assert {n: r for n, r in roles(sme).items() if r} == datasets.ROLES["sme"]


def test_the_text_names_every_column_and_the_limits(inspection):
    text = str(inspection)
    for entry in inspection.columns:
        assert entry["name"] in text
    assert "only you know" in text


SURVEY = pd.DataFrame(
    {
        "hh_id": [i // 2 for i in range(40)],
        "sample_weight": [1.5 + i % 7 for i in range(40)],
        "weight": [50 + i % 30 for i in range(40)],
        "sex": [1 + i % 2 for i in range(40)],
        "town": ["a", "b", "c", "d"] * 10,
        "visits": [i % 3 for i in range(40)],
        "flag": [int(i > 20) for i in range(40)],
        "salary": [1000.0 + i for i in range(40)],
    }
)


def test_weights_and_households_are_distinguished_from_other_columns():
    inspection = inspect(SURVEY)
    roles_by_name = roles(inspection)
    assert roles_by_name["hh_id"] == "household"
    assert roles_by_name["sample_weight"] == "weight"
    assert roles_by_name["weight"] == "quasi-identifier"
    why = {entry["name"]: entry["why"] for entry in inspection.columns}
    assert "2.0 records share a value" in why["hh_id"]
    assert "if it is a survey weight" in why["weight"]
    assert roles(inspect(SURVEY.assign(AFNLWGT=SURVEY["salary"])))["AFNLWGT"] == "weight"
    assert roles(inspect(SURVEY.assign(sample_weight=0)))["sample_weight"] != "weight"
    one_record_each = SURVEY.assign(hh_id=range(40))
    assert roles(inspect(one_record_each))["hh_id"] == "identifier"


def test_persons_with_several_records_are_units():
    panel = pd.DataFrame({"pid": [i // 4 for i in range(40)], "age": range(40)})
    inspection = inspect(panel)
    assert roles(inspection)["pid"] == "unit"
    assert 'pid = "unit"' in inspection.starter_plan(2).replace('"pid"', "pid")
    with_households = inspect(panel.assign(hh_id=[i // 8 for i in range(40)]))
    assert (roles(with_households)["pid"], roles(with_households)["hh_id"]) == (
        "identifier",
        "household",
    )
    assert roles(inspect(panel.assign(pid=range(40))))["pid"] == "identifier"
    assert roles(inspect(panel.assign(region_id=[i % 4 for i in range(40)])))["region_id"] != "unit"
    with_missing = inspect(panel.assign(pid=panel["pid"].where(panel["pid"] > 0)))
    assert roles(with_missing)["pid"] != "unit"


def test_a_starter_plan_declares_the_unit():
    names = inspect(pd.DataFrame({"surname": ["a", "b", "b", "c"] * 3, "age": [20, 31, 35] * 4}))
    assert roles(names)["surname"] == "identifier"
    plan = Plan.from_dict(tomllib.loads(names.starter_plan(2)))
    assert plan.unit == "record"
    units = inspect(pd.DataFrame({"pid": [1, 2, 2, 3] * 3, "surname": list("abbc") * 3,
                                  "age": [20, 31, 35] * 4}))  # fmt: skip
    plan = Plan.from_dict(tomllib.loads(units.starter_plan(2)))
    assert plan.unit == "pid"


def test_a_column_that_singles_out_with_others_is_suggested():
    inspection = inspect(
        pd.DataFrame(
            {
                "age": [30, 30, 40, 40] * 5,
                "code": [1, 2, 3, 4, 5] * 4,
                "same": [1, 1, 2, 2] * 5,
            }
        )
    )
    assert roles(inspection)["code"] is None
    assert roles(inspection)["same"] == "quasi-identifier"  # it can be computed from age
    data = pd.DataFrame({"age": [30, 30, 40, 40, 50, 50], "code": [1, 2, 1, 2, 1, 2]})
    inspection = inspect(data)
    assert roles(inspection)["code"] == "quasi-identifier"
    assert inspection.columns[1]["why"] == (
        "with the quasi-identifiers it singles out 100 % of the records, without it 0 %"
    )


def test_triples_are_shown_where_more_than_three_columns_are_known():
    inspection = inspect(SURVEY.assign(age=[20 + i % 9 for i in range(40)]))
    sizes = [len(entry["columns"]) for entry in inspection.combinations]
    quasi_identifiers = [role for role in roles(inspection).values() if role == "quasi-identifier"]
    assert len(quasi_identifiers) > 3
    assert sizes == sorted(sizes)
    assert {2, 3, len(quasi_identifiers)} == set(sizes)


def test_a_starter_plan_runs_once_k_is_given(tmp_path):
    inspection = inspect(SURVEY)
    path = tmp_path / "plan.toml"
    path.write_text(inspection.starter_plan(3))
    plan = Plan.load(path)
    assert plan.k == 3
    assert plan.weight == "sample_weight"
    assert plan.dropped == ["hh_id"]
    assert plan.types["sex"].kind == plan.types["town"].kind == "nominal"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        assert plan.run(SURVEY).measures["smallest_class"] >= 3


def test_a_starter_plan_without_k_is_refused_until_it_is_filled_in(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(inspect(SURVEY).starter_plan())
    with raises(PlanError, "parameter-missing", parameter="k"):
        Plan.load(path)
    filled = path.read_text().replace('{ method = "auto" }', '{ method = "auto", k = 2 }')
    path.write_text(filled)
    assert Plan.load(path).k == 2


def test_names_with_quotes_and_missing_values_survive_in_a_starter_plan(tmp_path):
    data = pd.DataFrame({'age "x" \\': [1.0, None, 3, 3], "code\n": [1, 1, 2, 2]})
    path = tmp_path / "plan.toml"
    path.write_text(inspect(data).starter_plan(2), encoding="utf-8")
    assert Plan.load(path).masked == ['age "x" \\']
    assert Plan.load(path).steps[0].missing == "own-groups"


def codes(inspection):
    return {sentence.code for sentence in inspection.sentences}


def test_columns_that_can_be_computed_from_others_are_named():
    rng = np.random.default_rng(0)
    data = pd.DataFrame(
        {
            "age": rng.integers(20, 60, 200),
            "schooling": rng.integers(6, 20, 200),
            "wage": rng.lognormal(2, 1, 200),
            "noise": rng.normal(size=200),
        }
    )
    data["exper"] = data["age"] - data["schooling"] - 6
    data["lwage"] = np.log(data["wage"])
    data["cents"] = 100 * data["wage"] + 3
    data.loc[:9, ["wage", "lwage", "cents"]] = None
    inspection = inspect(data)
    derived = [s.columns for s in inspection.sentences if s.code == "derived-column"]
    assert sorted(derived) == [
        ("cents", "wage"), ("exper", "age", "schooling"), ("lwage", "wage")
    ]  # fmt: skip
    assert inspection.roles["exper"] == "quasi-identifier"
    assert inspection.roles["lwage"] == inspection.roles["cents"] == "confidential"
    assert inspection.roles["noise"] == "quasi-identifier"  # by its unique values


def test_squares_are_found():
    rng = np.random.default_rng(0)
    exper, other = rng.integers(0, 30, (2, 60))
    data = pd.DataFrame({"exper": exper, "other": other, "expersq": exper**2})
    [sentence] = [
        sentence for sentence in inspect(data).sentences if sentence.code == "derived-column"
    ]
    assert sentence.columns == ("expersq", "exper")
    assert "by a square." in sentence.text
    [relation] = find_relations(open_frame(data[["expersq", "exper"]]), ["expersq", "exper"])
    assert (relation.column, relation.transformation) == ("exper", "a square root")
    signed = data[["expersq"]].assign(exper=exper - 15, expersq=(exper - 15) ** 2)
    assert not find_relations(open_frame(signed), ["exper", "expersq"])  # the sign is unknown


def test_relations_are_found_only_where_they_hold():
    """Compare the candidates by correlation with a fit of every pair."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        X = pd.DataFrame(rng.integers(0, 4, (40, 5)), columns=list("abcde")).astype(float)
        X["f"] = 3 - 2 * X["b"]
        X.loc[rng.random(40) < 0.1, "c"] = None
        sources_by_column = {
            relation.column: relation.sources for relation in find_relations(open_frame(X), list(X))
        }
        assert sources_by_column.pop("f") == ("b",)
        for name, sources in sources_by_column.items():
            complete = X[[name, *sources]].dropna().to_numpy()
            A = np.column_stack([complete[:, 1:], np.ones(len(complete))])
            residuals = complete[:, 0] - A @ np.linalg.lstsq(A, complete[:, 0], rcond=None)[0]
            assert np.abs(residuals).max() < 1e-3


def test_a_sorted_table_keys_and_constant_columns_are_named():
    data = pd.DataFrame(
        {"age": range(40), "salary": [1000.5 + 7 * (i * 37 % 40) for i in range(40)], "wave": 1}
    )
    inspection = inspect(data)
    assert {"order-follows-column", "confidential-key", "constant-column"} <= codes(inspection)
    assert codes(inspect(data.sample(frac=1, random_state=0))).isdisjoint({"order-follows-column"})
    assert "# shuffle" in inspection.starter_plan(3)


def numbered(n=300):
    """Return a table with row numbers of several kinds, measurements and codes."""
    rng = np.random.default_rng(5)
    gaps = np.sort(rng.choice(5 * n, n, replace=False))
    moved = np.concatenate([gaps[:1], [9 * n], gaps[1:-1]])
    return pd.DataFrame(
        {
            "nr": gaps,
            "moved": moved,
            "rownames": rng.permutation(gaps),
            "turnover_k": rng.permutation(gaps),  # as different, but in no order
            "grams": np.sort(rng.integers(0, n, n)),  # in order, but not all different
            "steps": np.concatenate([gaps[n // 2 :], gaps[: n // 2]]) * rng.choice([1, 1, 7], n),
            "age": rng.integers(18, 90, n),
            "ind_code": rng.integers(1, 13, n),
            "occcode": rng.choice([1.0, 2.0, 13.0, np.nan], n),
            "n_code_lines": rng.integers(1, 13, n),
            "postal_code_share": rng.integers(1, 13, n) / 4,
            "event_code": rng.integers(0, 200, n),
            "code_size": rng.integers(1, 13, n),
        }
    )


def test_row_numbers_with_gaps_are_identifiers_and_measurements_are_not():
    suggested = roles(inspect(numbered()))
    assert [name for name, role in suggested.items() if role == "identifier"] == [
        "nr", "moved", "rownames",
    ]  # fmt: skip


def test_few_whole_numbers_in_a_column_named_code_are_categories():
    inspection = inspect(numbered())
    kinds = {entry["name"]: entry["kind"] for entry in inspection.columns}
    assert [name for name, kind in kinds.items() if kind == "nominal"] == ["ind_code", "occcode"]
    assert inspection["occcode"]["inferred"]
    assert inspection["ind_code"]["declare"] == "nominal"


def test_sentinels_become_missing_codes_of_the_plan():
    hours = [5, 30, 60, 90, 120, 9999, 7777, 45] * 5
    data = pd.DataFrame({"age": [20, 30, 40, 50] * 10, "town_size": hours})
    inspection = inspect(data)
    assert inspection["town_size"]["missing_codes"] == ["7777", "9999"]
    plan = inspection.plan(k=3)
    assert plan.missing_codes == {"town_size": ("7777", "9999")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        assert plan.run(data).data["town_size"].max() < 121


def test_a_file_with_labels_gets_a_plan_that_declares_them(tmp_path):
    data = pd.DataFrame({"race": [1.0, 2, 3, 4] * 10, "age": [20.0, 30, 40, 99] * 10})
    labels = {"race": {1: "a", 2: "b", 3: "c", 4: "d"}, "age": {99: "Refused"}}
    pyreadstat.write_sav(data, tmp_path / "in.sav", variable_value_labels=labels)
    inspection = inspect(tmp_path / "in.sav")
    assert inspection["race"]["labels"] == {"1": "a", "2": "b", "3": "c", "4": "d"}
    assert (inspection["race"]["kind"], inspection["age"]["missing_codes"]) == ("nominal", ["99"])
    plan = inspection.plan(k=4)
    assert plan.types["race"].kind == "nominal"
    assert plan.steps[0].missing == "own-groups"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        release = deliver(plan, tmp_path / "in.sav", tmp_path / "out.sav").release
    assert release.plan.types == plan.types


def test_dates_that_can_be_read_in_two_ways_get_a_format_and_a_comment():
    data = pd.DataFrame({"birth": [f"0{1 + i % 9}/0{1 + i % 4}/1990" for i in range(36)]})
    inspection = inspect(data)
    assert "dates-ambiguous" in codes(inspection)
    assert inspection.plan(k=3).types["birth"].format == "%d/%m/%Y"
    assert "# The dates in" in inspection.starter_plan(3)


def test_a_table_without_any_hint_is_masked_as_a_whole():
    inspection = inspect(pd.DataFrame({"a": [1, 2, 3, 4] * 5, "b": [1.5, 2.5] * 10}))
    assert set(inspection.roles.values()) == {"quasi-identifier"}


def test_an_inspection_is_shown_as_text_and_html(inspection):
    assert str(inspection).count("\n") > len(inspection.columns)
    html = inspect(pd.DataFrame({"<b>": [1, 2, 3]}))._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b>" not in html
    assert inspection["age"]["role"] == "quasi-identifier"
    with pytest.raises(KeyError):
        inspection["nobody"]
    assert json.loads(json.dumps(inspection.to_dict()))["records"] == 4


def test_many_columns_are_inspected_without_all_pairs():
    rng = np.random.default_rng(0)
    data = pd.DataFrame(rng.normal(size=(60, 120)).round(2)).rename(columns=str)
    inspection = inspect(data)
    pairs = [entry for entry in inspection.combinations if len(entry["columns"]) == 2]
    assert len(pairs) == 5


def test_text_among_numbers_is_named_with_its_record():
    inspection = inspect(
        pd.DataFrame({"age": ["34", "4e", "35", "36"] * 4, "town": list("abab") * 4})
    )
    [sentence] = [
        sentence for sentence in inspection.sentences if sentence.code == "text-disguises-values"
    ]
    assert sentence.columns == ("age",)
    assert "record 2" in sentence.text
    assert "# 12 of 16 cells" in inspection.starter_plan(2)


def test_numbers_among_missing_words_are_inspected_as_numbers(tmp_path):
    cells = [f"{i % 9},{i % 4}" if i % 5 else "NA" for i in range(40)]
    (tmp_path / "in.csv").write_text("\n".join(["age;x", *(f"{c};{c}" for c in cells)]) + "\n")
    source = open_source(
        tmp_path / "in.csv", dialect=Dialect(separator=";", decimal=","), numbers=()
    )
    inspection = inspect_source(source, "in.csv")
    assert (inspection["age"]["kind"], inspection["age"]["missing"]) == ("numeric", 8)
    assert inspection.plan(k=3).missing_codes == {"age": ("NA",), "x": ("NA",)}
    data = pd.DataFrame({"age": ["$5", "NA", "$7", "$1,000"] * 5})
    assert inspect(data)["age"]["missing_codes"] == ["NA"]
    assert set(inspect(pd.DataFrame({"a": [1] * 5})).roles.values()) == {"quasi-identifier"}


def test_hierarchies_are_suggested_for_quasi_identifiers():
    rng = np.random.default_rng(0)
    n = 200
    data = pd.DataFrame(
        {
            "age": rng.integers(18, 91, n),
            "height": rng.normal(1.7, 0.1, n).round(2),
            "birth_date": pd.Timestamp(1950, 1, 1) + pd.to_timedelta(rng.integers(0, 9999, n), "D"),
            "zip": [f"{7 * code:05d}" for code in rng.integers(0, 60, n)],
            "sex": rng.choice(["f", "m"], n),
            "income": rng.lognormal(8, 1, n),
        }
    )
    inspection = inspect(data)
    rules = {
        entry["name"]: entry["hierarchy"] for entry in inspection.columns if entry["hierarchy"]
    }
    assert rules == {
        "age": {"intervals": [5, 10, 20]},
        "height": {"intervals": [0.05, 0.1, 0.2]},
        "birth_date": {"periods": ["month", "quarter", "year"]},
        "zip": {"prefixes": [4, 3, 2]},
    }
    (sentence,) = [
        sentence for sentence in inspection.sentences if sentence.code == "hierarchy-suggested"
    ]
    assert sentence.columns == ("age", "height", "birth_date", "zip")
    for name, rule in rules.items():  # each can be declared as it stands
        values = [str(value) for value in data[name].drop_duplicates()]
        assert len(Hierarchy(**rule).paths(values)[0]) == 4


def test_missing_values_are_neither_distinct_nor_unique():
    data = pd.DataFrame({"sex": ["f", "m"] * 6 + [None], "x": [1.0, 2.0] * 6 + [np.nan]})
    inspection = inspect(data.assign(age=list(range(12)) + [None]))
    for name, (distinct, unique) in {"sex": (2, 0), "x": (2, 0), "age": (12, 12 / 13)}.items():
        entry = inspection[name]
        assert (entry["missing"], entry["distinct"], entry["unique"]) == (1, distinct, unique)
    together = {tuple(c["columns"]): c["unique"] for c in inspection.combinations}
    assert together["sex", "age"] == 1.0  # here a missing value counts as a value, and it says so
    assert "a missing value counts" in str(inspection)
    assert "a missing value counts" not in str(inspect(data[["sex"]].dropna()))


def test_words_for_missing_values_are_named_in_columns_of_categories():
    cells = {"sex": ["f", "m", "NA", "m"] * 6, "hand": ["l", "r", "?", "n/a"] * 6}
    inspection = inspect(pd.DataFrame({**cells, "town": ["None", "a", "b", "c"] * 6}))
    assert [inspection[name]["missing_codes"] for name in ("sex", "hand", "town")] == [
        ["NA"],
        ["?", "n/a"],
        [],
    ]
    assert (inspection["sex"]["missing"], inspection["sex"]["distinct"]) == (
        0,
        3,
    )  # read as they are
    columns = [
        sentence.columns for sentence in inspection.sentences if sentence.code == "missing-codes"
    ]
    assert columns == [("sex",), ("hand",)]


def test_only_cells_with_a_value_are_said_to_read_as_numbers():
    cells = ["1", "2", None, "3"] * 6
    inspection = inspect(pd.DataFrame({"smokes": cells, "other": ["1", "2", None, "x"] * 6}))
    about_all, about_some = (
        sentence for sentence in inspection.sentences if sentence.code == "text-disguises-values"
    )
    assert "18 cells" in about_all.text
    assert "other cells" not in about_all.text
    assert "12 of 18" in about_some.text
    assert "other cells" in about_some.text


def test_wages_are_confidential_like_a_wage():
    data = pd.DataFrame({"wages": np.arange(40) % 7 + 0.5, "wage": np.arange(40) % 5 + 0.5})
    roles = inspect(data).roles
    assert roles["wages"] == roles["wage"] == "confidential"
