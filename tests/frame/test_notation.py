"""Numbers, dates and codes as people write them in text."""

import datetime as dt

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raising import raises
from shoal.cli.parsing.column_options import parse_type_options
from shoal.errors import ColumnError, InputError, ParameterError
from shoal.frame.columns import read_column
from shoal.frame.inference.kinds import decide_kind
from shoal.frame.notation.date_formats import possible_formats
from shoal.frame.notation.numerals import parse_numerals, read_numerals
from shoal.frame.tables import open_frame
from shoal.frame.types import Type, as_types

dates = st.lists(st.dates(dt.date(1900, 1, 1), dt.date(2068, 12, 31)), min_size=1, max_size=8)
DATE_FORMATS = ["%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%Y%m%d", "%d %b %Y", "%b %d, %Y",
           "%d%b%Y", "%Y/%m/%d", "%d/%m/%Y %H:%M", "%Y-%m", "%m/%Y", "%B %Y"]  # fmt: skip


@given(days=dates, date_format=st.sampled_from(DATE_FORMATS))
def test_the_format_that_wrote_dates_is_recognised(days, date_format):
    texts = [day.strftime(date_format) for day in days]
    formats = possible_formats(texts)
    expected = [dt.datetime.strptime(text, date_format) for text in texts]
    assert any(
        [dt.datetime.strptime(text, possible or "%Y-%m-%d") for text in texts] == expected
        for possible in formats
    )
    if len(formats) > 1:
        assert all(day.day <= 12 for day in days)


def test_dates_that_can_be_read_in_two_ways_are_refused_until_the_format_is_declared():
    frame = open_frame(pd.DataFrame({"born": ["01/02/1990", "03/04/1990", "05/01/1991"]}))
    assert decide_kind("born", frame["born"].to_arrow()).formats == ("%d/%m/%Y", "%m/%d/%Y")
    with raises(InputError, code="dates-ambiguous", formats=("%d/%m/%Y", "%m/%d/%Y")):
        read_column(frame, "born", Type("date"))
    read = read_column(frame, "born", Type("date", format="%d/%m/%Y"))
    assert list(read.values) == [0, 61, 338]
    read = read_column(frame, "born", Type("date", format="%m/%d/%Y"))
    assert list(read.values) == [0, 61, 484]


@pytest.mark.parametrize(
    ("values", "declared", "days"),
    [
        ([20240131, 20240201, None], Type("date", format="%Y%m%d"), [0, 1, np.nan]),
        ([45322.0, 45323.5], Type("date", format="excel"), [0, 1.5]),
        (["45322", "45324"], Type("date", format="excel"), [0, 2]),
        (["2024-01-01T00:00:00+02:00", "2024-01-01T00:00Z"], Type("date"), [0, 1 / 12]),
        (["31.01.2024", None, "01.02.2024"], Type("date"), [0, np.nan, 1]),
        (["Jan 2024", "Mar 2024"], Type("date"), [0, 60]),
    ],
)
def test_dates_are_ranked_by_their_day(values, declared, days):
    frame = open_frame(pa.table({"when": pa.array(values)}))
    read = read_column(frame, "when", declared).values
    np.testing.assert_allclose(read, days)


def test_a_cell_that_is_not_a_date_is_reported_by_its_record():
    frame = open_frame(pd.DataFrame({"when": ["31/12/2020", "30/12/2020", "12.2020"]}))
    with raises(InputError, code="not-a-date", count=1, record=3):
        read_column(frame, "when", Type("date", format="%d/%m/%Y"))


def test_whole_numbers_are_dates_only_if_all_of_them_are():
    kind = decide_kind("x", pa.array([20240131, 20231201, 19991231]))
    assert (kind.kind, kind.type.format) == ("date", "%Y%m%d")
    assert decide_kind("x", pa.array([20240131, 20231201, 20241301])).kind == "numeric"
    assert decide_kind("x", pa.array([20240131.5, 20231201, 19991231])).kind == "numeric"


@pytest.mark.parametrize(
    ("texts", "decimal", "numbers"),
    [
        (["1,100.00", "12", "1,234,567.5"], ".", [1100, 12, 1234567.5]),
        (["1.100,00", "12,5"], ".", [1100, 12.5]),
        (["1.100", "12,5"], ",", [1100, 12.5]),
        (["1.100", "950"], ",", None),
        (["1.100.000", "950"], ",", [1100000, 950]),
        (["1 100,5", "3"], ".", [1100.5, 3]),
        (["1 100", "3"], ".", [1100, 3]),
        (["1'100.5"], ".", [1100.5]),
        (["$5.10", "-$3", "$1,000"], ".", [5.1, -3, 1000]),
        (["5,10 €", "3 €"], ",", [5.1, 3]),
        (["85%", "7.5 %"], ".", [85, 7.5]),
        (["(123)", "4"], ".", [-123, 4]),
        (["1e3", "2E-1"], ".", [1000, 0.2]),
        (["EUR 5", "EUR 6"], ".", [5, 6]),
        (["$5", "€6"], ".", None),
        (["$5", "6"], ".", None),
        (["5%", "6"], ".", None),
        (["1,10", "2"], ".", None),
        (["1,1000"], ".", None),
        (["1.100.5"], ".", None),
        (["(5"], ".", None),
        (["12 abc"], ".", None),
        ([], ".", None),
    ],
)
def test_numbers_are_parsed_if_all_cells_have_one_style(texts, decimal, numbers):
    assert parse_numerals(texts, decimal)[0] == numbers


@given(
    numbers=st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=6),
    marks=st.sampled_from([",.", ".,"]),
)
def test_written_numbers_are_read_back(numbers, marks):
    swap = str.maketrans(",.", marks)
    texts = [f"{number / 100:,.2f}".translate(swap) for number in numbers]
    assert parse_numerals(texts, marks[1])[0] == [number / 100 for number in numbers]


def test_whole_numbers_stay_whole():
    array = read_numerals(pa.array(["1,000", None, "2"]))[0]
    assert (array.type, array.to_pylist()) == (pa.int64(), [1000, None, 2])
    assert read_numerals(pa.array(["1,000.0"]))[0].type == pa.float64()


def test_codes_with_leading_zeros_or_the_name_of_a_classification_are_nominal():
    text = pa.array(["00501", "10001", None])
    assert decide_kind("area", text).kind == "nominal"
    assert decide_kind("area", pa.array([501, 10001, None]), text=text).inferred
    assert decide_kind("zip_code", pa.array([501, 10001])).kind == "nominal"
    assert decide_kind("NACE", pa.array([501.0, 10001.0])).kind == "nominal"
    assert decide_kind("zip_share", pa.array([0.5, 1.0])).kind == "numeric"
    assert (
        decide_kind("area", pa.array([501, 10001]), text=pa.array(["501", "10001"])).kind
        == "numeric"
    )
    assert decide_kind("share", pa.array([0.5, 0.0]), text=pa.array(["0.5", "0"])).kind == "numeric"


def test_prefixes_are_a_hierarchy():
    frame = open_frame(pd.DataFrame({"zip": [501, 502, 10001, 601]}))
    read = read_column(frame, "zip", Type("nominal", prefixes=(3, 1)))
    codes = read.codes
    distance = read.distances[np.ix_(codes, codes)]  # 00501 00502 10001 00601
    np.testing.assert_allclose(distance[0], [0, 1 / 3, 1, 2 / 3])


def test_numbers_with_open_ends_are_ordinal():
    ages = pa.array(["18", "90+", "7", "under 5"])
    assert decide_kind("age", ages).kind == "ordinal"
    read = read_column(open_frame(pa.table({"age": ages})), "age", Type("ordinal"))
    assert list(read.values) == [2, 3, 1, 0]
    undeclared_text = pa.array(["18", "19"])
    assert decide_kind("age", undeclared_text).kind == "nominal"
    assert decide_kind("code", pa.array(["A+", "B"])).kind == "nominal"


def test_open_ends_with_and_under_are_ordinal_and_come_before_the_number():
    ages = pa.array(["6", "5", "5 and under", "18 or less"])
    assert decide_kind("age", ages.slice(0, 3)).kind == "ordinal"
    read = read_column(open_frame(pa.table({"age": ages})), "age", Type("ordinal"))
    assert list(read.values) == [2, 1, 0, 3]
    assert decide_kind("age", pa.array(["6", "over 5 or less"])).kind == "nominal"


def test_text_among_numbers_is_refused_by_its_record():
    frame = open_frame(pd.DataFrame({"pay": ["$5", "$7", "n.a.", "$8"] * 3}))
    with raises(ColumnError, code="text-disguises-values", record=3, count=9):
        read_column(frame, "pay")


def test_types_take_formats_and_prefixes():
    given = parse_type_options(["when=date:%d/%m/%Y", "zip=prefix:3,1"])
    assert as_types(given) == {
        "when": Type("date", format="%d/%m/%Y"),
        "zip": Type("nominal", prefixes=(3, 1)),
    }
    for declared in as_types(given).values():
        assert as_types({"x": declared.to_entry()})["x"] == declared
    for wrong in ([1, 3], [0], ["a"], "3"):
        with raises(ParameterError, code="prefixes-not-lengths"):
            as_types({"x": {"kind": "nominal", "prefixes": wrong}})
    with raises(ParameterError, code="key-of-another-kind", key="format"):
        as_types({"x": {"kind": "numeric", "format": "%d"}})


def test_words_for_missing_values_among_numbers_are_missing_codes():
    kind = decide_kind("x", pa.array(["12", "NA", "7.5", "n/a", None]))
    assert (kind.kind, kind.missing_codes) == ("numeric", ("NA", "n/a"))
    kind = decide_kind("x", pa.array(["2024-01-31", "."]))
    assert (kind.kind, kind.missing_codes) == ("date", (".",))
    assert decide_kind("x", pa.array(["a", "NA"])).missing_codes == ()
    assert decide_kind("x", pa.array(["NA", "NA"])).missing_codes == ()
    assert (
        decide_kind("x", pa.array([1.5, 2.0]), text=pa.array(["1,5", "2"]), decimal=",").inferred
        is False
    )
