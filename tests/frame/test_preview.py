"""First rows and distributions of a table."""

import datetime as dt

import pyarrow as pa
import pytest

from shoal.frame.description.preview import BINS, MAX_TEXT, ROWS, distribution, preview


def column(values, kind=None):
    return pa.chunked_array([pa.array(values, kind)])


@pytest.mark.parametrize(
    ("values", "kind", "bars", "words"),
    [
        ([1, 1, 2, None], "bins", [1.0, 0.5], "from 1 to 2, median 1"),
        ([1950, 1990, 2020], "bins", [1.0] * 3, "from 1950 to 2020, median 1990"),
        ([1950, 2020, 2900], "bins", [1.0, 0.0, 0.5], "from 1,950 to 2,900, median 2,020"),
        ([5.0, 5.0], "bins", [1.0], "always 5"),
        ([None, None], "empty", [], "no values"),
        ([float("nan"), float("inf")], "empty", [], "no finite values"),
        (["b", "a", "b", None], "counts", [1.0, 0.5], "b 67 %, a 33 %"),
        ([True, False, True], "counts", [1.0, 0.5], "true 67 %, false 33 %"),
        (list("abcdefgh"), "unique", [], "8 values, all different"),
        (
            ["x"] * 4 + list("abcd"),
            "counts",
            [1.0] + [0.25] * 4,
            "x 50 %, a 12 %, b 12 % and 2 more",
        ),
    ],
)
def test_a_column_is_counted_or_binned(values, kind, bars, words):
    result = distribution(column(values))
    assert (result["kind"], result["bars"], result["description"]) == (kind, bars, words)


def test_dates_times_and_categories_have_distributions():
    dates = distribution(column([dt.date(2020, 1, 1), dt.date(2020, 1, 2), dt.date(2020, 1, 2)]))
    assert (dates["bars"], dates["description"]) == ([0.5, 1.0], "from 2020-01-01 to 2020-01-02")
    times = distribution(column([dt.time(1), dt.time(2)]))
    assert times["description"] == "from 01:00:00 to 02:00:00"
    coded = distribution(column(["a", "b", "a"]).dictionary_encode())
    assert coded["description"] == "a 67 %, b 33 %"
    long = distribution(column(list(range(1000))))
    assert len(long["bars"]) == BINS
    assert min(long["bars"]) > 0.9


def test_rows_are_short_texts():
    table = pa.table({"a": ["x" * 500, None] * ROWS, "b": range(2 * ROWS)})
    result = preview(table, table)
    assert len(result["rows"]) == ROWS
    assert result["rows"][1] == ["", "1"]
    assert len(result["rows"][0][0]) == MAX_TEXT
    assert len(result["distributions"]) == 2


def test_codes_are_counted_as_they_are_written():
    text = pa.table({"plz": ["01067", "80331", "01067", ""], "n": ["1", "2", "3", ""]})
    typed = pa.table({"plz": [1067, 80331, 1067, None], "n": [1, 2, 3, None]})
    codes, numbers = preview(text, typed, ["plz"])["distributions"]
    assert (codes["kind"], codes["description"]) == ("counts", "01067 67 %, 80331 33 %")
    assert numbers["description"] == "from 1 to 3, median 2"
    labelled = pa.table({"a": [1.0, 2.0, None, 1.0]})
    [codes] = preview(labelled, labelled, ["a"])["distributions"]
    assert codes["description"] == "1 67 %, 2 33 %"


def test_the_share_of_a_rare_value_is_not_rounded_to_zero():
    result = distribution(column(["a"] * 999 + ["b"]))
    assert result["description"] == "a 100 %, b <1 %"


def test_labels_follow_their_values():
    table = pa.table({"sex": [1.0, 2.0, None, 9.0], "height": [173.0, 177.8, 160.0, 1e300]})
    result = preview(table, table, ["sex"], {"sex": {1.0: "Female", 2.0: "Male"}})
    assert result["rows"] == [
        ["1 Female", "173"], ["2 Male", "177.8"], ["", "160"], ["9", "1e+300"],
    ]  # fmt: skip
    assert result["distributions"][0]["description"] == "1 Female 33 %, 2 Male 33 %, 9 33 %"
