"""Many plans on one table: the grid, the front, the cache, the files."""

import json
import stat
import sys
import threading
import time
from fractions import Fraction
from inspect import signature
from itertools import product
from pathlib import Path

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from raising import raises
from shoal import _progress as progress
from shoal.comparison import Comparison, Trial, compare_plans, grid, plan_comparison
from shoal.comparison.cache import Cache, _source_hash
from shoal.comparison.parallel import run_parallel
from shoal.errors import (
    FileError,
    InputError,
    MissingDependency,
    ParameterError,
    UnprotectedColumn,
)
from shoal.report.comparison import comparison_text, draw_trials, trial_rows

KNOWN = ["surface", "employees"]
SECRET = ["turnover"]
PLAN = shoal.Plan.of(KNOWN, shoal.METHODS["mdav"](k=3))


@pytest.fixture(scope="module")
def firms():
    return shoal.datasets.sme()


@pytest.fixture(scope="module")
def comparison(firms):
    return shoal.compare(
        firms, KNOWN, k=[3, 2], method=["mdav", "sorted"], dependence=[0, 0.5], confidential=SECRET
    )


def test_every_combination_is_run_and_gives_what_a_release_gives(firms, comparison):
    combinations = product(["mdav", "sorted"], [3, 2], [0, 0.5])
    for trial, (method, k, share) in zip(comparison.trials, combinations, strict=True):
        assert (trial.method, trial.plan.k, trial.dependence) == (method, k, share)
        release = shoal.microaggregate(
            firms[[*KNOWN, *SECRET]], KNOWN, k=k, method=method, dependence=share,
            confidential=SECRET,
        )  # fmt: skip
        assert trial.measures["information_loss"] == release.measures["information_loss"]
        assert trial.measures["smallest_class"] == release.measures["smallest_class"]
        risk = shoal.assess(firms, release.data, quasi_identifiers=KNOWN)["reidentification"]
        assert trial.measures["reidentification"] == risk["marketer"]
        assert trial.verdict == release.verdict.status
        with pytest.warns(UnprotectedColumn):
            assert trial.plan.run(firms).measures == release.measures


def trials_of(points, risk="linkage"):
    return Comparison(
        tuple(Trial(PLAN, "mdav", {"information_loss": x, risk: y}) for x, y in points), risk
    )


points = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=12)


@given(points)
def test_nothing_beats_the_front_and_it_beats_all_else(points):
    comparison = trials_of(points)
    front = [
        (trial.measures["information_loss"], trial.measures["linkage"])
        for trial in comparison.front
    ]
    for x, y in points:
        better = any(a <= x and b <= y and (a, b) != (x, y) for a, b in points)
        assert ((x, y) in front) == (not better)
    assert front == sorted(front)
    assert len(front) == sum((x, y) in front for x, y in points)


@given(points)
def test_the_recommended_trial_is_the_nearest_to_the_ideal_point(points):
    comparison = trials_of(points)
    front = [
        (trial.measures["information_loss"], trial.measures["linkage"])
        for trial in comparison.front
    ]
    (left, right), (low, high) = ((min(axis), max(axis)) for axis in zip(*front, strict=True))

    def distance(x, y):
        across, up = Fraction(x - left, right - left or 1), Fraction(y - low, high - low or 1)
        return across**2 + up**2, y

    best = comparison.recommended.measures
    best = best["information_loss"], best["linkage"]
    assert best in front
    assert distance(*best) == min(distance(*point) for point in front)


def test_a_trial_that_does_not_keep_its_guarantee_is_not_recommended():
    qualified, not_kept = (
        Trial(PLAN, "mdav", {"information_loss": x, "linkage": y}, verdict=status)
        for x, y, status in ((2, 1, "qualified"), (1, 2, "not kept"))
    )
    assert Comparison((not_kept, qualified), "linkage").recommended is qualified
    assert Comparison((not_kept,), "linkage").recommended is None
    assert Comparison((not_kept,), "linkage").reason


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_the_frame_is_of_the_library_of_the_table(firms, library):
    data = {
        "pandas": lambda: firms,
        "polars": lambda: pl.from_pandas(firms),
        "pyarrow": lambda: pa.Table.from_pandas(firms),
    }[library]()
    comparison = shoal.compare(data, KNOWN, k=[2, 3], method=["mdav", "two-mu-approx"])
    frame = comparison.to_frame()
    assert type(frame) is type(data)
    columns = nw.from_native(frame).to_dict(as_series=False)
    assert columns["run"] == [1, 2, 3, 4]
    assert columns["k"] == [2, 3, 2, 3]
    assert columns["pareto_front"] == [trial in comparison.front for trial in comparison.trials]
    assert [
        number for number, is_recommended in enumerate(columns["recommended"]) if is_recommended
    ] == [comparison.trials.index(comparison.recommended)]
    losses = [trial.measures["information_loss"] for trial in comparison.trials[:3]]
    assert columns["information_loss"][:3] == pytest.approx(losses)
    assert [bool(error) for error in columns["error"]] == [False, False, False, True]


def test_the_plot_shows_every_run_without_pyplot(comparison, monkeypatch):
    figure = comparison.plot()
    (axes,) = figure.axes
    shown = {tuple(point) for line in axes.lines for point in line.get_xydata()}
    expected = {
        (trial.measures["information_loss"], 100 * trial.measures["reidentification"])
        for trial in comparison.trials
    }
    assert shown == expected
    numbers = [text.get_text() for text in axes.texts]
    assert numbers == [row["number"] for row in trial_rows(comparison)]
    assert figure._repr_png_().startswith(b"\x89PNG")
    monkeypatch.setitem(sys.modules, "shoal.report.matplotlib_figure", None)
    with raises(MissingDependency, "package-missing", extra="plots"):
        comparison.plot()


def test_the_front_follows_the_direction_of_the_risk():
    comparison = trials_of([(1, 3), (2, 10), (3, 5), (1, 2)], "smallest_class")
    assert [trial.measures["smallest_class"] for trial in comparison.front] == [3, 10]


def test_plans_that_cannot_be_run_are_reported_and_the_others_are_run(firms):
    comparison = shoal.compare(firms, KNOWN, k=[2, 3], method=["mdav", "two-mu-approx"])
    assert [trial.error is None for trial in comparison.trials] == [True, True, True, False]
    text = comparison_text(comparison)
    assert "not run: 04 (two-mu-approx, k = 3): " in text
    with raises(InputError, "too-few-records", k=50, records=11):
        shoal.compare(firms, KNOWN, k=50, method="mdav")


def test_threads_change_nothing(firms, comparison):
    again = shoal.compare(
        firms, KNOWN, k=[3, 2], method=["mdav", "sorted"], dependence=[0, 0.5],
        confidential=SECRET, n_jobs=3,
    )  # fmt: skip
    assert [trial.measures for trial in again.trials] == [
        trial.measures for trial in comparison.trials
    ]


def test_a_finished_run_is_not_repeated(firms, tmp_path, monkeypatch):
    options = {"k": [2, 3], "method": ["mdav", "mu-approx"], "cache": tmp_path / "kept"}
    first = shoal.compare(firms, KNOWN, **options)
    monkeypatch.setattr(plan_comparison, "_run_plan", lambda *_: pytest.fail("made again"))
    second = shoal.compare(firms, KNOWN, **options)
    assert [trial.measures for trial in second.trials] == [trial.measures for trial in first.trials]
    # A drawn seed is kept too: the plan repeats the run.
    assert [trial.plan for trial in second.trials] == [trial.plan for trial in first.trials]
    assert "random_state" in str(second.trials[2].plan.to_dict())


@pytest.mark.parametrize("change", ["cell", "name", "k", "risk", "code"])
def test_another_table_plan_or_version_of_shoal_is_another_run(
    firms, tmp_path, monkeypatch, change
):
    cache = Cache(tmp_path)
    data, columns, options = firms, KNOWN, {"k": 3, "risk": "linkage"}
    shoal.compare(data, columns, method="mdav", cache=tmp_path, **options)
    if change == "cell":
        data = firms.assign(surface=firms["surface"].replace(790, 791))
    elif change == "name":
        data, columns = firms.rename(columns={"surface": "area"}), ["area", "employees"]
    elif change == "code":
        monkeypatch.setattr("shoal.comparison.cache._source_hash", lambda: "other")
    else:
        options[change] = {"k": 4, "risk": "linkage_top2"}[change]
    shoal.compare(data, columns, method="mdav", cache=tmp_path, **options)
    assert len(list(cache.folder.iterdir())) == 2


def test_the_code_of_a_run_is_that_of_the_whole_package(tmp_path):
    package = signature(_source_hash).parameters["package"].default
    assert package == Path(shoal.__file__).parent
    for number, folder in enumerate(["first", "second"]):
        kernel = tmp_path / folder / "_kernels" / "mdav.py"
        kernel.parent.mkdir(parents=True)
        kernel.write_text(f"k = {number}")
    assert _source_hash(tmp_path / "first") != _source_hash(tmp_path / "second")


def test_the_cache_is_private_and_contains_only_numbers(firms, tmp_path):
    folder = tmp_path / "deep" / "kept"
    names = {"surface": "SECRET surface", "employees": "SECRET employees"}
    shoal.compare(
        firms.rename(columns=names), list(names.values()), k=3, method="mdav", cache=folder
    )
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    (file,) = folder.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    entry = json.loads(file.read_text())
    assert set(entry) == {"method", "measures", "seeded", "verdict"}
    assert all(isinstance(value, int | float) for value in entry["measures"].values())
    assert "SECRET" not in file.read_text()


def test_a_damaged_cache_entry_is_computed_again(firms, tmp_path):
    first = shoal.compare(firms, KNOWN, k=3, method="mdav", cache=tmp_path)
    (file,) = tmp_path.iterdir()
    file.write_text("{")
    second = shoal.compare(firms, KNOWN, k=3, method="mdav", cache=tmp_path)
    assert first.trials[0].measures == second.trials[0].measures


def test_a_cache_that_cannot_be_written_is_reported(firms, tmp_path):
    (tmp_path / "file").write_text("")
    comparison = shoal.compare(firms, KNOWN, k=[2], method="mdav")
    assert comparison.trials
    with raises(FileError, "cannot-write"):
        shoal.compare(firms, KNOWN, k=2, method="mdav", cache=tmp_path / "file" / "cache")


def test_what_is_done_before_an_interrupt_is_kept(firms, tmp_path):
    def interrupt_after_two(stage, done, total):
        if stage == "comparing" and done >= 2:
            raise KeyboardInterrupt

    options = {"k": [2, 3, 4, 5], "method": "mdav", "cache": tmp_path}
    n_threads = threading.active_count()
    with progress.reporting_to(interrupt_after_two), pytest.raises(KeyboardInterrupt):
        shoal.compare(firms, KNOWN, **options)
    assert threading.active_count() == n_threads
    assert 2 <= len(list(tmp_path.iterdir())) <= 4
    assert len(shoal.compare(firms, KNOWN, **options).trials) == 4


def test_an_interrupt_reaches_the_runs_themselves():
    began, completed = threading.Event(), []

    def run(plan):
        began.set()
        while True:  # it ends only where the interrupt reaches it
            progress.report("working", 0, 1)
            time.sleep(0.001)
        completed.append(plan)

    def listener(stage, done, total):
        if began.is_set():
            raise KeyboardInterrupt

    with progress.reporting_to(listener), pytest.raises(KeyboardInterrupt):
        run_parallel(run, [PLAN, PLAN, PLAN], 2, "comparing")
    assert completed == []


def test_a_fault_in_one_run_ends_the_comparison(firms, monkeypatch):
    def broken(*_):
        raise RuntimeError("unforeseen")

    monkeypatch.setattr(plan_comparison, "_run_plan", broken)
    with pytest.raises(RuntimeError, match="unforeseen"):
        shoal.compare(firms, KNOWN, k=[2, 3], method="mdav")


def test_options_go_to_the_methods_that_take_them():
    plans = grid(KNOWN, k=3, method=["mdav", "vmdav"], gamma=0.5, aggregate="median")
    assert plans[0].to_dict()["steps"][0]["partition"] == {"method": "mdav", "k": 3}
    assert plans[1].to_dict()["steps"][0]["partition"] == {"method": "vmdav", "k": 3, "gamma": 0.5}
    assert all(plan.steps[0].aggregate == "median" for plan in plans)
    with raises(ParameterError, "unknown-parameter", parameter="gama"):
        grid(KNOWN, k=3, method=["mdav", "vmdav"], gama=0.5)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"risk": "linkages"}, "unknown-risk"),
        ({"n_jobs": 0}, "parameter-not-accepted"),
        ({"method": "mdaw"}, "unknown-method"),
    ],
)
def test_bad_comparisons_are_refused(firms, options, code):
    with raises(ParameterError, code):
        shoal.compare(firms, KNOWN, **{"k": 3, "method": "mdav", **options})


def test_the_folder_holds_map_tables_and_plans_that_run(firms, comparison, tmp_path):
    comparison.save(tmp_path / "new")
    folder = tmp_path / "new"
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    numbered = {f"plans/{number:02d}.toml" for number in range(1, 9)}
    assert files == {"comparison.html", "map.svg", "table.csv", "table.json", *numbered}
    table = pd.read_csv(folder / "table.csv", dtype={"number": str})
    for row in table.to_dict("records"):
        plan = shoal.Plan.load(folder / row["plan"])
        with pytest.warns(UnprotectedColumn):
            release = plan.run(firms)
        assert release.measures["information_loss"] == pytest.approx(row["information_loss"])
    assert json.loads((folder / "table.json").read_text())[0]["number"] == "01"
    with raises(FileError, "file-exists"):
        comparison.save(folder)
    comparison.save(folder, force=True)


def test_plans_of_two_comparisons_are_not_mixed(comparison, tmp_path):
    comparison.save(tmp_path)
    smaller = Comparison(comparison.trials[:2], comparison.risk)
    with raises(FileError, "files-of-another-comparison", count=6):
        smaller.save(tmp_path, force=True)


def test_the_map_shows_every_run_and_joins_the_front(comparison):
    table = trial_rows(comparison)
    figure = draw_trials(table, comparison.risk)
    dots = [mark for mark in figure.marks if mark.tag == "circle"]
    (ring,) = [dot for dot in dots if dot.attributes["class"] == "ring"]
    (number,) = [row["number"] for row in table if row["recommended"]]
    assert ring.title.split(":")[0] == number
    dots.remove(ring)
    assert len(dots) == 8
    best = [dot for dot in dots if dot.attributes["class"] == "best"]
    assert len(best) == len(comparison.front) == sum(row["front"] for row in table)
    order = sorted(table, key=lambda row: row["information_loss"])
    across = {dot.title.split(":")[0]: dot.attributes["cx"] for dot in dots}
    assert [across[row["number"]] for row in order] == sorted(across.values())
    (line,) = [m for m in figure.marks if m.attributes.get("class") == "front"]
    assert len(line.attributes["points"].split()) == len(best)


def test_names_of_columns_are_escaped_on_the_map_and_in_plans(tmp_path):
    hostile = "]]><script>alert(1)</script>"
    data = pd.DataFrame({hostile: np.arange(12.0), "b": np.arange(12.0) % 5})
    shoal.compare(data, [hostile, "b"], k=[2, 3], method="mdav").save(tmp_path)
    for name in ("comparison.html", "map.svg"):
        assert "<script" not in (tmp_path / name).read_text()
    assert shoal.Plan.load(tmp_path / "plans" / "01.toml").masked == [hostile, "b"]


def test_plans_of_several_steps_can_be_compared(firms):
    plan = shoal.Plan(
        {},
        [shoal.Microaggregate([name], shoal.METHODS["mdav"](k=3)) for name in KNOWN],
    )
    (trial,) = compare_plans(firms[KNOWN], [plan], risk="linkage").trials
    assert trial.plan == plan
    assert 0 < trial.measures["linkage"] <= 1
    assert Path(trial_rows(Comparison((trial,), "linkage"))[0]["plan"]) == Path("plans/01.toml")


def test_categories_and_dropped_records_can_be_compared(tmp_path):
    data = pd.DataFrame({"age": [*range(11), None], "town": list("aabbccaabbcc")})
    comparison = shoal.compare(
        data, ["age", "town"], k=[2, 3], method="mdav", types={"town": "nominal"}, missing="drop",
        cache=tmp_path / "kept",
    )  # fmt: skip
    assert [trial.error for trial in comparison.trials] == [None, None]
    comparison.save(tmp_path / "new")
    plan = shoal.Plan.load(tmp_path / "new" / "plans" / "01.toml")
    assert plan == comparison.trials[0].plan
    assert "nominal" in (tmp_path / "new" / "plans" / "01.toml").read_text()
