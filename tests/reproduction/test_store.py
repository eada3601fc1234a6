"""Results that are kept are those that the code gives: a part of each is computed again."""

import json

import numpy as np
import pytest

from reproduction import store, two_mu_approx
from reproduction.mu_approx import losses, optimum


def test_stored_results_are_computed_when_asked_and_read_otherwise(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "FOLDER", tmp_path / "results")
    calls = []

    def result():
        calls.append(1)
        return {"a": (1, 2)}

    with store.computing():
        assert store.stored("x")(result)() == {"a": [1, 2]}
    assert store.stored("x")(result)() == {"a": [1, 2]}
    assert calls == [1]
    assert json.loads((tmp_path / "results" / "x.json").read_text()) == {"a": [1, 2]}


def test_samples_of_census_are_those_that_are_kept():
    draw = np.random.default_rng(two_mu_approx.SEED)
    for kept in two_mu_approx.drawn()[:3]:
        assert two_mu_approx.sample(draw) == pytest.approx(kept)
    assert len(two_mu_approx.drawn()) == two_mu_approx.SAMPLES


@pytest.mark.parametrize(("name", "k"), [("tarragona", 10), ("census", 5), ("eia", 3)])
def test_draws_of_mu_approx_are_those_that_are_kept(name, k):
    kept = losses.draws()[f"{name} {k}"]
    assert len(kept) == len(losses.SEEDS)
    for seed in (0, len(kept) - 1):
        assert losses.run(name, "mu-approx", k, seed) == pytest.approx(kept[seed])


@pytest.mark.parametrize("kind", optimum.KINDS)
def test_tables_of_sixteen_records_are_those_that_are_kept(kind):
    kept = optimum.trials()[kind]
    assert len(kept) == optimum.TRIALS
    for number in (0, 41):
        assert np.allclose(optimum.trial(kind, number), kept[number])
