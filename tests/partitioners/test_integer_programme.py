"""The solver ends by CPU time, not by the clock on the wall."""

import time
from itertools import count

import numpy as np
from highspy import HighsModelStatus, HighsVarType

from shoal.partitioners import _integer_programme
from shoal.partitioners._column_generation.prove import prove
from shoal.partitioners._integer_programme import IntegerProgramme, Rows, solve
from shoal.partitioners._local_search.search import search
from shoal.partitioners.mdav import MDAV


def hard_programme():
    """Return a market split problem: small, and far too hard for branch and bound."""
    rng = np.random.default_rng(4)
    weights = rng.integers(0, 100, (5, 40)).astype(float)
    target = np.floor(weights.sum(axis=1) / 2)
    row, column = np.nonzero(np.ones_like(weights))
    programme = IntegerProgramme(
        np.zeros(40), np.ones(40), Rows(target, target, row, column, weights.ravel())
    )
    kinds = np.full(40, HighsVarType.kInteger)
    programme.highs.changeColsIntegrality(40, np.arange(40, dtype=np.int32), kinds)
    return programme.highs


def test_the_solver_ends_when_its_cpu_seconds_are_spent(monkeypatch):
    """Each look at the CPU clock is a second later than the one before."""
    looks, highs, checks = count(), hard_programme(), []
    monkeypatch.setattr(_integer_programme.time, "process_time", lambda: float(next(looks)))
    solve(highs, 5.0, lambda: checks.append(1))
    assert highs.getModelStatus() == HighsModelStatus.kInterrupt
    assert len(checks) == 5


def test_wall_clock_time_does_not_end_the_solver(monkeypatch):
    """The CPU clock stands still for ten looks, as if other processes had all cores."""
    looks, highs, checks = count(), hard_programme(), []
    monkeypatch.setattr(
        _integer_programme.time, "process_time", lambda: 0.0 if next(looks) < 10 else 1.0
    )
    solve(highs, 0.01, lambda: checks.append(1))
    assert len(checks) >= 10
    assert highs.getModelStatus() == HighsModelStatus.kInterrupt


def test_search_and_prove_state_the_seconds_they_spent():
    X = np.random.default_rng(6).normal(size=(60, 3))
    start, began = MDAV(k=3).fit_predict(X), time.process_time()
    result = search(X, start, 3, seed=1, rounds=300)
    proof = prove(X, result.labels, 3)
    assert result.seconds > 0
    assert proof.seconds > 0
    assert result.seconds + proof.seconds <= time.process_time() - began
