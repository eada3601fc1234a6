"""Columns and pairs of columns before and after in the report, and how it words numbers."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

import shoal
from shoal.cli.wording import command_wording
from shoal.errors import HomogeneousGroup, python_wording
from shoal.frame.description.summaries import value_counts
from shoal.frame.tables import open_frame
from shoal.metrics.chart_data.histogram import bars
from shoal.plan.profile.column_profile import profile_pairs
from shoal.report import figures
from shoal.report.html import render
from shoal.report.summary import summarise


@pytest.fixture(scope="module")
def release():
    return shoal.microaggregate(
        shoal.datasets.sme(),
        ["surface", "employees"],
        k=3,
        identifiers=["company"],
        confidential=["turnover", "net_profit"],
    )


def test_every_pair_of_columns_has_a_similarity_and_the_least_comes_first():
    names = ["x", "y", "z"]
    related = {
        "columns": names,
        "before": [[1, 0.5, 0], [0.5, 1, 0.25], [0, 0.25, 1]],
        "after": [[1, 0.5, 0.5], [0.5, 1, 0.5], [0.5, 0.5, 1]],
    }
    entries = profile_pairs(related)
    assert [(entry["columns"], entry["similarity"]) for entry in entries] == [
        (["x", "z"], 0.75),
        (["y", "z"], 0.875),
        (["x", "y"], 1.0),
    ]
    assert (entries[1]["statistic"], entries[1]["before"], entries[1]["after"]) == (
        "correlation", 0.25, 0.5,
    )  # fmt: skip


def test_the_report_shows_the_similarity_of_pairs(release):
    text = re.sub(r"<[^>]+>", "|", render(summarise(release)).replace("<wbr>", ""))
    names = [" and ".join(pair["columns"]) for pair in release.profile["pairs"]]
    positions = [text.index(f"|{name}|") for name in names]
    assert len(positions) > 2
    assert positions == sorted(positions)


def test_columns_that_a_matrix_leaves_out_are_counted():
    X = np.random.default_rng(0).normal(size=(30, 18))
    names = [f"a_long_name_of_column_{i}" for i in range(18)]
    release = shoal.microaggregate(pd.DataFrame(X, columns=names), names, k=3, method="mdav")
    text = render(summarise(release))
    assert release.profile["correlations"]["columns_left_out"] == 2
    assert len(release.profile["pairs"]) == 16 * 15 / 2
    assert "no room for 2 more columns" in text
    assert "which leave 2 out" in text
    assert '<figcaption id="part-2-1">a_<wbr>long_<wbr>name_' in render(summarise(release))


def test_missing_cells_are_one_category():
    codes = [1.0, 1.0, 1.0, np.nan, np.nan, np.nan, 2.0, 2.0, 2.0]
    for frame in (pd.DataFrame({"a": codes}), pl.DataFrame({"a": codes})):
        assert value_counts(open_frame(frame), "a") == {1.0: 3, None: 3, 2.0: 3}
    counts = bars({1.0: 3, None: 4, 2.5: 3}, {}, min_count=3)
    assert counts.categories == ["missing", "1", "2.5"]


def test_a_change_of_correlations_below_a_hundredth_is_stated():
    entry = {"columns": ["a", "b"], "difference": [[0, 0.004], [0.004, 0]]}
    flat = {**entry, "difference": [[0, 0.0], [0.0, 0]]}
    matrices = {"before": entry["difference"], "after": entry["difference"]}
    assert (
        "change is 0.004, between b and a" in figures.correlations(entry | matrices)[2].description
    )
    assert "0.001 or more" in figures.correlations(flat | matrices)[2].description


def test_no_line_ends_between_a_number_and_its_per_cent_sign(release):
    text = render(summarise(release, "internal")).partition("<pre>")[0]
    assert "\u00a0%" in text
    assert not re.search(r"\d %", text)


def test_ways_out_are_worded_for_the_interface():
    people = pd.DataFrame({"age": np.arange(40) // 4, "ill": ["yes"] * 20 + ["no"] * 20})
    with pytest.warns(HomogeneousGroup):
        release = shoal.microaggregate(people, ["age"], k=4, method="mdav", confidential=["ill"])
    ways = [
        render(summarise(release, "internal", wording=wording))
        for wording in (python_wording, command_wording)
    ]
    assert "homogeneity=&#34;merge&#34;" in ways[0]
    assert "--set homogeneity=merge" in ways[1]
    assert "homogeneity=&#34;" not in ways[1].partition("<pre>")[0]
