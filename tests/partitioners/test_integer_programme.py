"""The solver ends by CPU time, not by the clock on the wall."""

import numpy as np
from highspy import HighsModelStatus, HighsVarType

from shoal.partitioners.integer_programme import IntegerProgramme, Rows, solve


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


def test_the_solver_ends_when_its_cpu_seconds_are_spent():
    highs, checks = hard_programme(), []
    solve(highs, 0.2, lambda: checks.append(1))
    assert highs.getModelStatus() == HighsModelStatus.kInterrupt
    assert checks
