"""Hierarchies: construction, validation, and their use as types of columns."""

import datetime as dt
import json
from fractions import Fraction

import numpy as np
import pandas as pd
import pyreadstat
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from raising import raises
from shoal import Hierarchy
from shoal.cli.parsing.column_options import parse_type_options
from shoal.errors import FileError, InputError, ParameterError
from shoal.frame.types import Type, as_types
from shoal.plan import Plan
from shoal.plan.deliver import deliver
from shoal.steps import Generalise

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")
ROWS = (("Porto", "north"), ("Braga", "north"), ("Faro", "south"))
TREE = {"north": ["Porto", "Braga"], "south": ["Faro"]}


def test_every_constructor_gives_the_same_hierarchy(tmp_path):
    for separator in ",;\t":
        (tmp_path / "towns.csv").write_text("\n".join(separator.join((*row, "*")) for row in ROWS))
        assert Hierarchy.from_file(tmp_path / "towns.csv").paths(["Faro"]) == [("Faro", "south")]
    (tmp_path / "towns.toml").write_text('north = ["Porto", "Braga"]\nsouth = ["Faro"]\n')
    expected = Hierarchy(ROWS)
    assert Hierarchy.from_file(tmp_path / "towns.toml") == expected
    assert Hierarchy.from_nested(TREE) == expected
    codes = {1: "Porto", 2: "Braga", 3: "Faro", 4: "Faro"}
    labelled = Hierarchy.from_labels(codes, above=expected)
    assert labelled.paths(["4", "1"]) == [("4", "Faro", "south"), ("1", "Porto", "north")]
    assert Hierarchy.from_labels(codes).paths(["4"]) == [("4", "Faro")]
    assert expected.n_levels == Hierarchy([(*row, "*") for row in ROWS]).n_levels == 3


def test_values_with_fewer_ancestors_stay_themselves_at_the_lowest_levels():
    uneven = Hierarchy.from_nested({"north": ["Porto"], "south": {"Algarve": ["Faro"]}})
    assert uneven.paths(["Porto"]) == [("Porto", "Porto", "north")]
    assert uneven.paths(["Faro"]) == [("Faro", "Algarve", "south")]


INVALID = [
    ({"rows": [["a", "x"], ["b", "x", "y"]]}, "hierarchy-uneven", {"row": 2}),
    ({"rows": [["a", "x"], ["b", "x"], ["a", "y"]]}, "value-twice", {"row": 3}),
    ({"rows": [["a", "x", "1"], ["b", "y", "1"], ["c", "x", "2"]]}, "hierarchy-no-tree",
     {"row": 3, "level": 1}),
    ({"rows": [["a"]]}, "hierarchy-without-parents", {}),
    ({"rows": {"x": [["a"]]}}, "hierarchy-not-nested", {}),
    ({"rows": {"x": 3}}, "hierarchy-not-nested", {}),
    ({"rows": {"x": ["a", "b"], "y": ["c", "a"]}}, "value-twice", {"row": 4}),
    ({"prefixes": [1, 3]}, "prefixes-not-lengths", {}),
    ({"intervals": [10, 15]}, "intervals-not-widths", {}),
    ({"periods": ["century"]}, "periods-unknown", {}),
    ({}, "hierarchy-ways", {}),
    ({"prefixes": [1], "intervals": [5]}, "hierarchy-ways", {}),
]  # fmt: skip


@pytest.mark.parametrize(("parameters", "code", "attributes"), INVALID)
def test_an_invalid_hierarchy_is_refused_by_position(parameters, code, attributes):
    with raises(ParameterError, code, **attributes) as caught:
        Hierarchy(**parameters)
    assert not any(f"{value!r}" in str(caught.value) for value in "abcxy")


@pytest.mark.parametrize(
    "text",
    [
        "Managers, directors, chiefs;staff, all\nClerks;staff, all\n",
        "Managers, directors, chiefs\tstaff, all\nClerks\tstaff, all\n",
        '"Managers, directors, chiefs","staff, all"\nClerks,"staff, all"\n',
    ],
)
def test_values_with_commas_do_not_hide_the_separator(tmp_path, text):
    (tmp_path / "occupations.csv").write_text(text)
    hierarchy = Hierarchy.from_file(tmp_path / "occupations.csv")
    assert hierarchy.rows == (
        ("Managers, directors, chiefs", "staff, all"),
        ("Clerks", "staff, all"),
    )


def test_a_damaged_file_is_refused(tmp_path):
    (tmp_path / "towns.toml").write_text("north = [")
    with raises(FileError, "hierarchy-unreadable"):
        Hierarchy.from_file(tmp_path / "towns.toml")


@given(
    value=st.decimals(-50, 50, places=2, allow_nan=False),
    widths=st.sampled_from([(0.1, 0.3), (0.5, 1, 2), (5, 10, 20), (0.05, 0.1)]),
)
def test_intervals_hold_their_numbers_and_nest(value, widths):
    (path,) = Hierarchy(intervals=widths).paths([str(value)])
    narrower = None
    for text, width in zip(path[1:], widths, strict=True):
        if text.startswith("["):
            low, high = (Fraction(end) for end in text[1:-1].split(", "))
        else:
            ends = text.split(" to ") if " to " in text else text.split("-")
            low, high = Fraction(ends[0]), Fraction(ends[1]) + 1
        assert low <= Fraction(value) < high
        assert high - low == Fraction(str(width))
        assert low % Fraction(str(width)) == 0
        assert narrower is None or (low <= narrower[0] and narrower[1] <= high)
        narrower = low, high


@given(date=st.dates(dt.date(1000, 1, 1), dt.date(9999, 12, 31)))
def test_periods_nest_and_hold_their_dates(date):
    all_periods = ["day", "month", "quarter", "year", "decade"]
    (path,) = Hierarchy(periods=all_periods).paths([date.isoformat()])
    assert path[1] == date.isoformat()
    assert path[2] == date.strftime("%Y-%m").zfill(7)
    assert path[3] == f"{path[4]}-Q{-(-date.month // 3)}"
    assert path[5] == f"{path[4][:3]}0s"
    later = date.replace(month=12, day=31)
    assert Hierarchy(periods=["year"]).paths([later.isoformat()])[0][1] == path[4]


def test_dates_are_read_in_their_format():
    periods = Hierarchy(periods=["month"])
    assert periods.paths(["31/12/2024"]) == [("31/12/2024", "2024-12")]
    assert periods.paths(["03/04/2024"], "%d/%m/%Y") == [("03/04/2024", "2024-04")]
    with raises(InputError, "dates-ambiguous"):
        periods.paths(["03/04/2024"])
    with raises(InputError, "not-a-date", count=1):
        periods.paths(["2024-01-01", "soon"])


def test_a_hierarchy_can_be_given_as_a_type():
    types = as_types(
        {
            "zip": Hierarchy(prefixes=[3, 1]),
            "age": {"kind": "numeric", "hierarchy": Hierarchy(intervals=[5, 10])},
            "born": Hierarchy(periods=["year"]),
            "town": {"kind": "nominal", "hierarchy": TREE},
            "level": {
                "kind": "ordinal",
                "order": ["a", "b"],
                "hierarchy": Hierarchy([("a", "x"), ("b", "x")]),
            },
        }
    )
    assert types["zip"] == Type("nominal", prefixes=(3, 1))
    assert types["age"] == Type("numeric", intervals=(5, 10))
    assert types["age"] == Type("numeric", hierarchy=Hierarchy(intervals=[5, 10]))
    assert types["born"].kind == "date"
    assert types["town"].as_hierarchy == Hierarchy(ROWS)
    assert types["level"].kind == "ordinal"
    assert Type("nominal").as_hierarchy is None
    assert as_types({name: declared.to_entry() for name, declared in types.items()}) == types
    json.dumps({name: declared.to_entry() for name, declared in types.items()})
    given = parse_type_options(["born=period:month,year"])
    assert as_types(given)["born"].periods == ("month", "year")


def test_the_text_of_a_hierarchy_shows_categories_with_counts_and_stays_short():
    lines = str(Hierarchy(ROWS)).splitlines()
    assert lines == ["3 values, 2 categories", "north: 2 values", "south: 1 value"]
    many = Hierarchy([(str(i), str(i // 2), str(i // 100)) for i in range(1000)])
    assert len(str(many).splitlines()) == 22
    assert str(Hierarchy(prefixes=[3, 1])) == "prefixes: 3, 1"


@pytest.mark.parametrize("as_text", [False, True])
def test_dates_are_generalised_to_periods(tmp_path, as_text):
    rng = np.random.default_rng(0)
    days = [dt.date(1980, 1, 1) + dt.timedelta(days=int(n)) for n in rng.integers(0, 2000, 90)]
    born = [day.strftime("%d.%m.%Y") for day in days] if as_text else pd.to_datetime(days)
    data = pd.DataFrame({"born": born})
    hierarchy = Hierarchy(periods=["month", "quarter", "year", "decade"])
    plan = Plan({"born": "quasi-identifier"}, [Generalise(["born"], 5)], {"born": hierarchy})
    released = plan.run(data).data["born"]
    assert released.tolist() == [str(day.year) for day in days]
    plan.save(tmp_path / "plan.toml")
    assert Plan.load(tmp_path / "plan.toml") == plan
    local = shoal.microaggregate(
        data, ["born"], k=5, method="mdav", aggregate="ancestor", types={"born": hierarchy}
    )
    assert local.verdict.k >= 5
    assert {len(text) for text in local.data["born"]} & {7}  # some months


def test_numbers_and_orders_may_have_a_listed_hierarchy():
    data = pd.DataFrame(
        {"age": [20, 21, 35, 36] * 3, "school": ["none", "some", "much", "much"] * 3}
    )
    types = {
        "age": {"kind": "numeric", "hierarchy": {"young": [20, 21], "older": [35, 36]}},
        "school": {
            "kind": "ordinal",
            "order": ["none", "some", "much"],
            "hierarchy": {"low": ["none", "some"], "high": ["much"]},
        },
    }
    release = shoal.microaggregate(
        data, ["age", "school"], k=6, method="mdav", aggregate="ancestor", types=types
    )
    assert set(release.data["age"]) == {"young", "older"}
    assert set(release.data["school"]) == {"low", "much"}
    with raises(InputError, "value-outside-type", column="age", record=3, count=2):
        Plan({}, [Generalise(["age", "school"], 2)], {"age": Hierarchy({"y": [20, 21]})}).run(data)


@pytest.mark.parametrize("ending", ["sav", "dta"])
@pytest.mark.parametrize("listed", ["labels", "codes"])
def test_a_hierarchy_of_a_labelled_file_lists_labels_or_codes(tmp_path, ending, listed):
    labels = {1.0: "heavy", 2.0: "never", 3.0: "now and then"}
    data = pd.DataFrame({"smoke": [1.0] * 2 + [2.0] * 8 + [3.0] * 5})
    source, target = tmp_path / f"in.{ending}", tmp_path / f"out.{ending}"
    write = {"sav": pyreadstat.write_sav, "dta": pyreadstat.write_dta}[ending]
    write(data, source, variable_value_labels={"smoke": labels})
    parents = {1.0: "yes", 2.0: "no", 3.0: "yes"}
    names = labels if listed == "labels" else {1.0: 1, 2.0: 2, 3.0: 3}
    rows = "\n".join(f"{names[code]};{parent}" for code, parent in parents.items())
    (tmp_path / "smoke.csv").write_text(rows)
    types = {"smoke": Hierarchy.from_file(tmp_path / "smoke.csv")}
    release = deliver(Plan({}, [Generalise(["smoke"], 4)], types), source, target).release
    assert release.data["smoke"].to_pylist() == ["yes"] * 2 + ["no"] * 8 + ["yes"] * 5
