"""Distortion against dependence: the published curves, the knee, the command."""

import json

import pytest
from typer.testing import CliRunner

from raising import raises
from shoal import datasets
from shoal.cli import app
from shoal.comparison.tradeoff import (
    TradeoffPoint,
    knee,
    largest_relative_surplus,
    run_with_dependences,
    sweep,
)
from shoal.errors import ColumnError, ParameterError
from shoal.partitioners import METHODS
from shoal.plan import Plan

# Table of the figures: Census, k = 10, lambda 0, .1, .. 1 (METHODS of the literature).
CENSUS_X = [0.0999, 0.1117, 0.1248, 0.1392, 0.1504, 0.1638, 0.1769, 0.1942, 0.2185, 0.2578, 0.3581]
CENSUS_Y = [0.3706, 0.2474, 0.1796, 0.1524, 0.1365, 0.1226, 0.1125, 0.0999, 0.0914, 0.0826, 0.0734]


def test_census_gives_the_published_curve():
    data = datasets.census()
    names = list(data.columns)
    points = sweep(data, names[:6], names[6:], k=[10])
    assert [round(point.distortion_x, 4) for point in points] == CENSUS_X
    assert [round(point.distortion_y, 4) for point in points] == CENSUS_Y
    assert knee(points).dependence == 0.4
    assert largest_relative_surplus(points).dependence == 0.2  # as the paper's relative plot shows


def curve(*pairs):
    return [
        TradeoffPoint(3, position / (len(pairs) - 1), x, y) for position, (x, y) in enumerate(pairs)
    ]


def test_the_knee_gains_most_for_what_it_costs():
    # Shares of the gain 0, .8, .9, 1 less shares of the cost 0, .1, .5, 1: .7 is the most.
    assert knee(curve((0.1, 0.5), (0.12, 0.1), (0.2, 0.05), (0.3, 0.0))).distortion_x == 0.12


def test_the_relative_choice_weighs_per_cents_of_both():
    # Relative gains 0, .4, .5, .9 less relative prices 0, .1, .3, .8: .3 is the most.
    assert (
        largest_relative_surplus(
            curve((0.1, 1), (0.11, 0.6), (0.13, 0.5), (0.18, 0.1))
        ).distortion_x
        == 0.11
    )
    assert largest_relative_surplus(curve((0.1, 0.5), (0.2, 0.4))).dependence == 0


def test_confidential_categories_have_a_curve():
    people = datasets.survey()[["age", "height", "smoker"]]
    without, with_half, with_all = sweep(
        people, ["age", "height"], ["smoker"], k=[5], lambdas=[0.5, 1]
    )
    assert without.distortion_y > with_half.distortion_y >= with_all.distortion_y
    assert with_all.distortion_y < 0.01 < without.distortion_y < 0.5


def test_where_nothing_is_traded_the_knee_loses_least():
    assert knee(curve((0.1, 0.5), (0.1, 0.4), (0.1, 0.5))).distortion_y == 0.4
    assert knee(curve((0.1, 0.1), (0.2, 0.1))).distortion_x == 0.1


def test_lambda_zero_is_tried_in_any_case():
    sme = datasets.sme()
    points = sweep(sme, ["surface", "employees"], ["turnover"], k=[3, 2], lambdas=[1])
    assert [(point.k, point.dependence) for point in points] == [(2, 0), (2, 1), (3, 0), (3, 1)]
    assert points[0].increments(points[0]) == (0, 0)
    change_of_x, change_of_y = points[1].increments(points[0])
    assert change_of_x == pytest.approx(points[1].distortion_x / points[0].distortion_x - 1)
    assert change_of_y == pytest.approx(points[1].distortion_y / points[0].distortion_y - 1)


def test_a_plan_is_shown_on_the_curve():
    sme = datasets.sme()[["surface", "employees", "turnover"]]
    plan = Plan.of(
        ["surface", "employees"], METHODS["mdav"](k=3), confidential=["turnover"], dependence=0.2
    )
    curve = run_with_dependences(plan, sme, lambdas=[1, 0, 0.5])
    assert curve == sweep(sme, ["surface", "employees"], ["turnover"], k=[3], lambdas=[0.5, 1])
    bare = Plan.of(["surface", "employees"], METHODS["mdav"](k=3))
    with raises(ParameterError, "dependence-needed"):
        run_with_dependences(bare, sme)


def test_what_cannot_be_swept_is_refused():
    sme = datasets.sme()
    with raises(ParameterError, "confidential-needed"):
        sweep(sme, ["surface"], [], k=[3])
    with raises(ColumnError, "no-such-column", column="profit"):
        sweep(sme, ["surface"], ["profit"], k=[3])
    with raises(ParameterError, "parameter-not-accepted", parameter="dependence"):
        sweep(sme, ["surface"], ["turnover"], k=[3], lambdas=[2])


def test_the_command_shows_the_curve_and_draws_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    datasets.sme().to_csv("sme.csv", index=False)
    command = (
        "tradeoff sme.csv -c surface -c employees --confidential turnover -k 2,3"
        " --dependence 0,.5,1"
    )
    result = CliRunner().invoke(app, [*command.split(), "--plot", "curves.svg"])
    assert result.exit_code == 0
    assert result.stdout.count("<- knee") == 2
    first = (tmp_path / "curves.svg").read_bytes()
    assert first.startswith(b"<?xml")
    CliRunner().invoke(app, [*command.split(), "--plot", "curves.svg", "--force"])
    assert (tmp_path / "curves.svg").read_bytes() == first
    content = json.loads(CliRunner().invoke(app, [*command.split(), "--json"]).stdout)
    assert len(content["points"]) == 6
    assert set(content["knee"]) == {"2", "3"}


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        (["-k", "three"], 2, "takes numbers"),
        (["-k", "3", "--dependence", "0,x"], 2, "takes numbers"),
        (["-k", "3", "--plot", "curves.doc"], 1, "unsupported suffix"),
        (["-k", "30"], 1, "hold only 11"),
    ],
)
def test_bad_sweeps_end_with_a_reason(tmp_path, monkeypatch, change, code, message):
    monkeypatch.chdir(tmp_path)
    datasets.sme().to_csv("sme.csv", index=False)
    arguments = ["tradeoff", "sme.csv", "-c", "surface", "--confidential", "turnover"]
    result = CliRunner().invoke(app, [*arguments, *change])
    assert result.exit_code == code
    assert message in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["sme.csv"]


def test_columns_of_any_kind_are_swept():
    data = datasets.survey(n=60)
    points = sweep(data, ["age", "region"], ["income"], k=[5], lambdas=[1.0])
    assert points[1].distortion_y < points[0].distortion_y
    codes = sweep(data, ["age"], ["income"], k=[5], lambdas=[0.0], types={"age": "ordinal"})
    assert codes[0].distortion_x > 0
