"""The benchmarks can be imported, and their computations between measurements are checked."""

import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks"
MODULES = sorted(path.stem for path in FOLDER.glob("*.py"))


@pytest.fixture
def benchmark_(monkeypatch):
    """Return a function that imports a module of the benchmarks until the end of the test."""
    monkeypatch.syspath_prepend(str(FOLDER))
    yield lambda name: __import__(name)
    for name in MODULES:
        sys.modules.pop(name, None)


@pytest.mark.parametrize("name", MODULES)
def test_every_benchmark_can_be_imported(benchmark_, name):
    assert benchmark_(name).__doc__
    assert name not in sys.stdlib_module_names


def measurement(engine, n, seconds):
    return {
        "engine": engine, "kind": "clustered", "n": n, "p": 13, "k": 10, "cpu_seconds": seconds,
        "loss": 1.0, "memory": 2.0, "commit": "a",
    }  # fmt: skip


def test_growth_and_ratio_come_from_measurements_of_the_same_table(benchmark_):
    speed = benchmark_("speed")
    entries = [measurement("shoal", 100, 0.5), measurement("shoal", 10_000, 50.0)]
    entries += [measurement("baseline", 100, 1.0)]
    entry_by_case = {speed.case_of(entry): entry for entry in entries}
    plain, first, last = speed.with_ratios(entry_by_case)
    assert first["times_faster"] == 2
    assert last["growth"] == 1
    assert "times_faster" not in last
    assert "growth" not in plain


def test_a_benchmark_stops_where_the_groups_differ(benchmark_):
    speed = benchmark_("speed")
    baseline = {**measurement("baseline", 100, 1.0), "loss": 2.0}
    entry_by_case = {
        speed.case_of(entry): entry for entry in (measurement("shoal", 100, 0.5), baseline)
    }
    with pytest.raises(SystemExit, match="form different groups"):
        speed.with_ratios(entry_by_case)


def test_the_published_part_of_the_grid_is_a_part_of_it(benchmark_):
    speed = benchmark_("speed")
    whole, cut = speed.grid(speed.options_of([])), speed.grid(speed.options_of(["--cut"]))
    assert set(cut) < set(whole)
    assert {case[2] for case in cut} == set(speed.LENGTHS)
    assert {case[3] for case in cut} == set(speed.WIDTHS)
    assert {case[4] for case in cut} == set(speed.KS)
    for p in (13, 30):
        assert {case[4] for case in cut if case[2:4] == (100_000, p)} == set(speed.KS)


def test_results_are_kept_whole_and_read_again(benchmark_, tmp_path):
    harness = benchmark_("harness")
    entries = [measurement("shoal", 100, 0.5), measurement("shoal", 1000, 0.7)]
    harness.save(tmp_path / "a.json", entries)
    assert harness.load(tmp_path / "a.json") == entries
    assert harness.load(tmp_path / "none.json") == []


@pytest.mark.parametrize("page", ["speed.md", "costs.md", "choose/index.md", "large-tables.md"])
def test_the_pages_show_what_was_measured(benchmark_, page):
    published = benchmark_("published")
    text = (published.DOCS / page).read_text()
    assert "<!-- begin" in text
    assert published.fill_tables(text) == text


def test_every_method_and_measure_is_counted(benchmark_):
    costs = benchmark_("costs")
    names = {
        (what, name)
        for case in costs.cases(["clustered"], [10_000])
        for what, name in what_and_names(case)
    }
    assert len(names) > 40
    for what, name in names:
        if what == "budget":
            assert name in benchmark_("budgets").RUNS
            continue
        assert sum(costs.count_operations(what, name, 10_000, 5)) > 0


def test_every_method_costs_something_or_gives_something_for_its_budget(benchmark_):
    from shoal.partitioners import METHODS

    cases = list(benchmark_("costs").cases(["clustered"], [10_000]))
    assert {name for case in cases if case["what"] != "measure" for name in case["names"]} == set(
        METHODS
    )


def test_a_part_of_the_costs_is_not_published(benchmark_, capsys):
    with pytest.raises(SystemExit):
        benchmark_("costs").main(["--only", "mdav"])
    assert "whole" in capsys.readouterr().err


def test_a_page_says_of_which_commits_its_costs_are(benchmark_, monkeypatch):
    published = benchmark_("published")
    entries = [{"commit": "a"}, {"commit": "b"}, {"commit": "a"}]
    monkeypatch.setattr(published, "results", lambda name: entries)
    assert "several commits (`a`, `b`)" in published.cost_commits()
    entries[:] = [{"commit": "a"}, {"commit": "a"}]
    assert published.cost_commits() == "Measured in one run, at commit `a`."


def what_and_names(case):
    return [(case["what"], name) for name in case["names"]]


def test_the_baseline_groups_as_the_partitioner_does(benchmark_):
    from shoal.partitioners import MDAV
    from shoal.partitioners._base import in_order

    X = benchmark_("generators").table("clustered", 300, 3)
    assert np.array_equal(in_order(benchmark_("baseline").mdav(X, 4)), MDAV(k=4).fit_predict(X))
    assert np.array_equal(in_order(benchmark_("flat").mdav(X, 4)), MDAV(k=4).fit_predict(X))


def test_a_choice_loses_what_the_page_says(benchmark_):
    choose, entries = benchmark_("choose"), benchmark_("published").results("choose")
    cases = [("method", "survey", "mdav"), ("method", "categories", "mdav2")]
    cases += [("method", "heavy-tailed", "vmdav"), ("blocks", "survey", "mdav")]
    entry_by_case = {(e["part"], e["kind"], e.get("method")): e for e in entries}
    option_names = {"method", "blocks"}
    for case in cases:
        entry = entry_by_case[case]
        options = {name: value for name, value in entry.items() if name in option_names}
        new_entry = choose.measure(*case[:2], entry["n"], entry["k"], options, repeats=0)
        for name in ("loss", "linkage", "correlation_change"):
            assert new_entry[name] == pytest.approx(entry[name], rel=1e-4)


def test_auto_loses_no_more_than_the_page_says(benchmark_):
    choose, entries = benchmark_("choose"), benchmark_("published").results("choose")
    for kind in ("survey", "categories"):
        (entry,) = (e for e in entries if (e.get("method"), e["kind"]) == ("auto", kind))
        new_entry = choose.measure("method", kind, 1000, 5, {"method": "auto"}, repeats=0)
        assert new_entry["loss"] <= 1.01 * entry["loss"]  # advice may improve without a new page


def test_every_choice_is_measured(benchmark_):
    cases_by_part = benchmark_("choose").cases_by_part()
    entries = benchmark_("published").results("choose")
    counts = {part: sum(e["part"] == part for e in entries) for part in cases_by_part}
    assert counts == {part: len(cases_of_part) for part, cases_of_part in cases_by_part.items()}


def test_one_command_runs_benchmarks_that_exist_and_fills_the_pages_last(benchmark_, monkeypatch):
    run_all, scripts = benchmark_("run_all"), []
    monkeypatch.setattr(run_all.harness, "commit", lambda: "a")
    monkeypatch.setattr(run_all, "run", lambda command: scripts.append(command[0]) or 0.0)
    run_all.main([])
    assert scripts[-1] == "published.py"
    assert all((FOLDER / name).exists() for name in scripts)


def test_uncommitted_code_is_measured_only_on_request(benchmark_, monkeypatch):
    run_all, scripts = benchmark_("run_all"), []
    monkeypatch.setattr(run_all.harness, "commit", lambda: "a+")
    monkeypatch.setattr(run_all, "run", lambda command: scripts.append(command[0]) or 0.0)
    with pytest.raises(SystemExit, match="commit them first"):
        run_all.main(["--only", "interfaces"])
    run_all.main(["--only", "interfaces", "--uncommitted"])
    assert "interfaces.py" in scripts


def test_every_stage_of_a_release_is_a_function_that_exists(benchmark_):
    interfaces = benchmark_("interfaces")
    for file, name in interfaces.STAGES.values():
        source = (interfaces.harness.SOURCE / "shoal" / file).read_text(encoding="utf-8")
        assert f"def {name}(" in source, f"{file}: {name}"
