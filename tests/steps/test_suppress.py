"""Cells are emptied until every class has k records."""

import numpy as np
import pandas as pd
import pyarrow as pa
from hypothesis import given

from raising import raises, warns
from shoal.errors import CellsSuppressed, InputError
from shoal.frame import tables
from shoal.frame.new_values import with_values
from shoal.plan import Plan
from shoal.steps import Suppress
from shoal.steps.suppress import cells_to_suppress
from tables import tables_and_k


def classes(codes, cells):
    shown = np.where(cells, -1, codes)
    return np.unique(shown, axis=0, return_counts=True)[1]


@given(case=tables_and_k(greatest=40, columns=4, values=3))
def test_every_class_has_k_records_and_a_hole_is_a_value(case):
    codes, k = case
    cells = cells_to_suppress(codes.astype(np.int64), k)
    assert classes(codes, cells).min() >= k


@given(case=tables_and_k(columns=4, values=3))
def test_records_of_large_classes_lose_cells_only_to_hide_others(case):
    codes, k = case
    cells = cells_to_suppress(codes.astype(np.int64), k)
    _, number, size = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    large = size[number.ravel()] >= k
    if large.all():
        assert not cells.any()
    helped = cells.any(axis=1) & large
    assert len(np.unique(np.where(cells, -1, codes)[helped], axis=0)) <= 1  # one class joins
    whole = helped.sum() == size[number.ravel()][helped].max(initial=0)
    assert helped.sum() < k or whole


def test_ties_go_to_the_column_named_last():
    codes = np.array([[1, 1], [1, 1], [2, 3], [2, 4], [5, 6], [7, 6]])
    # Losing either column saves two of the four; the later one is lost.
    cells = cells_to_suppress(codes, 2)
    assert cells.tolist() == [[False, False]] * 2 + [[False, True]] * 2 + [[True, True]] * 2


def test_spare_records_join_those_without_cells_before_a_whole_class_does():
    codes = np.array([[1], [1], [1], [1], [2]])
    assert cells_to_suppress(codes, 3)[:, 0].tolist() == [True] * 5
    assert cells_to_suppress(codes, 2)[:, 0].tolist() == [False, False, False, True, True]


def test_a_class_that_joins_keeps_what_it_shares():
    codes = np.array([[1, 1], [1, 1], [2, 1], [3, 3], [3, 3]])
    cells = cells_to_suppress(codes, 2)
    assert cells.tolist() == [[True, False]] * 3 + [[False, False]] * 2


def test_what_only_one_of_the_records_left_over_shares_is_lost():
    codes = np.array([[1, 1], [1, 1], [1, 1], [1, 2], [2, 2]])
    assert classes(codes, cells_to_suppress(codes, 3)).min() >= 3


def test_words_numbers_and_holes_are_suppressed_alike_and_the_rest_stays():
    data = pd.DataFrame({"town": ["a", "a", "b", None, None], "n": [1, 1, 1, 2, 2]})
    with warns(CellsSuppressed):
        release = Plan({}, [Suppress(["town", "n"], 2)]).run(data)
    assert release.data["town"].isna().all()  # ours and those that were there, alike
    assert release.data["n"].tolist() == [1, 1, 1, 2, 2]
    assert release.measures["smallest_class"] >= 2


def test_a_suppressed_category_leaves_no_trace():
    town = pd.Categorical(["a", "a", "a", "b"])
    frame = tables.open_frame(pd.DataFrame({"town": town}))
    values = Suppress(["town"], 2).apply(frame, []).values
    masked = tables.to_native(with_values(frame, values))
    assert list(masked["town"].cat.categories) == ["a"]
    arrow = tables.open_frame(
        pa.table({"town": pa.array(["a", "a", "a", "b"]).dictionary_encode()})
    )
    masked = tables.to_native(with_values(arrow, values))
    assert masked["town"].combine_chunks().dictionary.to_pylist() == ["a"]


def test_fewer_records_than_k_are_refused():
    with raises(InputError, "too-few-records", k=3):
        Suppress(["a"], 3).apply(tables.open_frame(pd.DataFrame({"a": [1, 2]})), [])
