"""Intervals around masked values."""

import numpy as np
import pytest

from shoal.metrics import interval_disclosure

# Mean 0, standard deviation 10: a move of 1 is a tenth of the standard deviation.
TABLE = np.array([[-10.0], [10.0], [-10.0], [10.0]])


@pytest.mark.parametrize(
    ("move", "share"),
    [(0, 1.0), (0.05, 1.0), (0.15, 0.9), (0.55, 0.5), (0.95, 0.1), (1.05, 0.0), (20, 0.0)],
)
def test_wider_intervals_catch_more(move, share):
    assert interval_disclosure(TABLE, TABLE + move) == pytest.approx([share])
    assert interval_disclosure(TABLE, TABLE - move) == pytest.approx([share])


def test_records_and_columns_are_counted_each():
    masked = TABLE + [[0.0], [0.55], [20.0], [0.0]]
    both = interval_disclosure(np.hstack([TABLE, TABLE]), np.hstack([TABLE, masked]))
    assert both == pytest.approx([1, (1 + 0.5 + 0 + 1) / 4])


def test_a_constant_column_is_disclosed_where_it_stayed():
    flat = np.full((4, 1), 0.1)
    assert interval_disclosure(flat, flat).tolist() == [1]
    assert interval_disclosure(flat, flat + [[0], [0], [0], [1e-9]]).tolist() == [0.75]
