"""The integer programme of a proof: the best partition, by steps that can be cancelled."""

from itertools import combinations

import numpy as np
import pytest

from shoal.partitioners import Optimal
from shoal.partitioners._base import sse
from shoal.partitioners._column_generation import master_problem as module
from shoal.partitioners._column_generation.columns import Columns


def programme_over_all_groups(X, k):
    """Return the programme over all groups of k to 2k - 1 records, after a feasible start."""
    columns, start = Columns(X, k), np.arange(len(X)) // k
    columns.add_partition(start)
    for size in range(k, 2 * k):
        columns.add(np.array(list(combinations(range(len(X)), size))))
    return columns, module.MasterProblem(columns, None), start.max() + 1


@pytest.mark.parametrize("max_presolved", [0, 20_000])
def test_the_best_partition_is_selected(monkeypatch, max_presolved):
    monkeypatch.setattr(module, "MAX_PRESOLVED_COLUMNS", max_presolved)
    X = np.random.default_rng(3).normal(size=(10, 2))
    columns, master, n_start = programme_over_all_groups(X, 2)
    solution = master.solve_integer(n_start, np.inf, lambda: None)
    cost = columns.costs[solution.selected].sum()
    least = sse(X, Optimal(k=2).fit_predict(X))
    assert cost == pytest.approx(least)
    assert solution.bound == pytest.approx(least)


@pytest.mark.parametrize(("max_presolved", "presolve"), [(0, "off"), (20_000, "choose")])
def test_steps_that_cannot_be_cancelled_are_left_out(monkeypatch, max_presolved, presolve):
    monkeypatch.setattr(module, "MAX_PRESOLVED_COLUMNS", max_presolved)
    X = np.random.default_rng(3).normal(size=(8, 2))
    _, master, n_start = programme_over_all_groups(X, 2)
    master.solve_integer(n_start, np.inf, lambda: None)
    assert master.highs.getOptionValue("presolve")[1] == presolve
    for heuristic in ("rins", "rens", "root_reduced_cost"):
        assert not master.highs.getOptionValue(f"mip_heuristic_run_{heuristic}")[1]
