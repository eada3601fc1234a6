"""Results that are kept are those that the code gives: a part of each is computed again."""

import json
from pathlib import Path

import numpy as np
import pytest

from reproduction import all_methods, stored_results, two_mu_approx
from reproduction.mu_approx import losses, optimum
from shoal.partitioners import METHODS


def test_stored_results_are_computed_on_request_and_read_otherwise(tmp_path, monkeypatch):
    monkeypatch.setattr(stored_results, "FOLDER", tmp_path / "results")
    calls = []

    def result():
        calls.append(1)
        return {"a": (1, 2)}

    with stored_results.recomputing():
        assert stored_results.stored("x")(result)() == {"a": [1, 2]}
    assert stored_results.stored("x")(result)() == {"a": [1, 2]}
    assert calls == [1]
    assert json.loads((tmp_path / "results" / "x.json").read_text()) == {"a": [1, 2]}


def test_samples_of_census_are_those_that_are_stored():
    rng = np.random.default_rng(two_mu_approx.SEED)
    for stored in two_mu_approx.sample_sses()[:3]:
        assert two_mu_approx.sses_of_sample(rng) == pytest.approx(stored)
    assert len(two_mu_approx.sample_sses()) == two_mu_approx.N_SAMPLES


@pytest.mark.parametrize(("name", "k"), [("tarragona", 10), ("census", 5), ("eia", 3)])
def test_draws_of_mu_approx_are_those_that_are_stored(name, k):
    stored = losses.draws()[f"{name} {k}"]
    assert len(stored) == len(losses.SEEDS)
    for seed in (0, len(stored) - 1):
        assert losses.losses_of_run(name, "mu-approx", k, seed) == pytest.approx(stored[seed])


@pytest.mark.parametrize("kind", optimum.KINDS)
def test_tables_of_sixteen_records_are_those_that_are_stored(kind):
    stored = optimum.trials()[kind]
    assert len(stored) == optimum.TRIALS
    for number in (0, 41):
        assert np.allclose(optimum.trial(kind, number), stored[number])


@pytest.mark.parametrize(
    "row", ["mdav", "mhm (MDAV-MHM)", "threshold", "mst, split=centroid (M-c)"]
)
def test_losses_of_the_comparison_are_those_that_are_stored(row):
    for name in ("tarragona", "census"):
        stored = all_methods.losses_and_times()[row][name][:-1]
        assert all_methods.losses_of_row(row, name) == pytest.approx(stored)


def test_the_comparison_names_every_method_that_takes_any_table_and_k():
    excluded = {"two-mu-approx", "optimal", "blocked", "refine", "search", "prove"}
    assert {method for method, _ in all_methods.ROWS.values()} == set(METHODS) - excluded
    assert set(all_methods.losses_and_times()) == set(all_methods.ROWS)


def test_the_committed_comparison_is_what_is_stored():
    page = Path(__file__).parents[2] / "docs" / "papers" / "methods.md"
    assert page.read_text(encoding="utf-8") == all_methods.methods_text(), "run make papers"
