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
    solution = master.solve_integer(np.arange(n_start), np.inf, np.inf, lambda: None)
    cost = columns.costs[solution.selected].sum()
    least = sse(X, Optimal(k=2).fit_predict(X))
    assert cost == pytest.approx(least)
    assert solution.bound == pytest.approx(least)


@pytest.mark.parametrize(
    ("max_presolved", "seconds_left", "presolve", "has_heuristics"),
    [
        (20_000, 60 + 2 * module.MIN_SECONDS_LEFT, "choose", True),
        (20_000, 60 + module.MIN_SECONDS_LEFT / 2, "choose", False),
        (20_000, 60, "choose", False),
        (0, 60 + 2 * module.MIN_SECONDS_LEFT, "off", False),
    ],
)
def test_steps_that_cannot_be_cancelled_are_left_out_near_the_end(
    monkeypatch, max_presolved, seconds_left, presolve, has_heuristics
):
    monkeypatch.setattr(module, "MAX_PRESOLVED_COLUMNS", max_presolved)
    X = np.random.default_rng(3).normal(size=(8, 2))
    _, master, n_start = programme_over_all_groups(X, 2)
    master.solve_integer(np.arange(n_start), 60.0, seconds_left, lambda: None)
    assert master.highs.getOptionValue("presolve")[1] == presolve
    for heuristic in ("rins", "rens", "root_reduced_cost"):
        is_run = master.highs.getOptionValue(f"mip_heuristic_run_{heuristic}")[1]
        assert is_run == has_heuristics
