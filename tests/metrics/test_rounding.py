"""Rounding of published measures."""

from shoal.metrics.rounding import round_floats, round_floats_for_display


def test_measures_of_a_column_named_edges_are_rounded():
    measures = {"std_ratio": {"edges": 0.12344321}, "t_closeness": {"edges": 0.3}}
    assert round_floats(measures) == {"std_ratio": {"edges": 0.1234}, "t_closeness": {"edges": 0.3}}
    assert round_floats_for_display(measures) == round_floats(measures)


def test_edges_of_bins_keep_their_digits():
    histogram = {"edges": [1234567.5, 1234568.5], "before": [3], "share": 0.123456789}
    assert round_floats(histogram) == {**histogram, "share": 0.1235}
