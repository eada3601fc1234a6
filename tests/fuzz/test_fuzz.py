"""A short run of the fuzzer, the runs that once failed, and planted faults that it must find."""

import datetime as dt
import math
import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest

from fuzz.case import draw_case
from fuzz.counter import greatest_distance, key, least_diversity, smallest_class
from fuzz.methods import WEIGHTS
from fuzz.plans import STEPS as DRAWN_STEPS
from fuzz.run import Result, Tally, run_one
from fuzz.workers import Workers
from shoal.partitioners import METHODS
from shoal.steps import STEPS

SEEDS = [
    tuple(map(int, line.split()[:2]))
    for line in (Path(__file__).parent / "seeds.txt").read_text().splitlines()
    if not line.startswith("#")
]


def failures(seed, numbers):
    tally = Tally()
    for number in numbers:
        tally.add(run_one(seed, number))
    return [f"{failure['repeat']}: {failure['problems']}" for failure in tally.failures]


@pytest.mark.parametrize("part", range(4))
def test_a_short_run_finds_nothing(part):
    assert failures(7, range(40 * part, 40 * (part + 1))) == []


@pytest.mark.parametrize(("seed", "number"), SEEDS)
def test_runs_that_once_failed_pass(seed, number):
    assert run_one(seed, number).problems == []


def test_every_step_and_method_is_drawn():
    assert set(DRAWN_STEPS) == set(STEPS)
    assert set(WEIGHTS) == set(METHODS)


def test_a_seed_and_a_number_always_draw_the_same_run():
    one, other = draw_case(3, 5), draw_case(3, 5)
    assert repr(one) == repr(other)
    assert repr(draw_case(3, 6)) != repr(one)


def test_cells_that_look_alike_have_one_key():
    assert key(1) == key(1.0) == key(np.int64(1).item())
    assert len({key(value) for value in (None, "", "None", 0, 0.5, False, "0", -0.0)}) == 8
    assert key(dt.date(2020, 1, 1)) != key(dt.date(2020, 1, 2))


def test_classes_are_counted_in_records_and_in_units():
    view = {"a": [1, 1, 1, 2, 2], "b": ["x", "x", "x", None, None]}
    assert smallest_class(view, ["a", "b"]) == 2
    assert smallest_class(view, ["a", "b"], ["p", "p", "p", "q", "r"]) == 1


def test_diversity_and_closeness_of_a_hand_made_table():
    view = {"a": [1, 1, 2, 2]}
    assert least_diversity(view, ["a"], [5, 6, 5, 5], "distinct") == 1
    assert math.isclose(least_diversity(view, ["a"], [5, 6, 5, 6], "entropy"), 2)
    assert greatest_distance(view, ["a"], [0, 0, 1, 2], [0, 1, 2]) == 0.375
    assert greatest_distance(view, ["a"], [0, 0, 1, 2], None) == 0.5


def dies_at_three_and_hangs_at_five(seed, number):
    if number == 3:
        os.kill(os.getpid(), signal.SIGSEGV)
    time.sleep(3600 if number == 5 else 0)
    return Result(seed, number, "released", [])


def test_runs_that_kill_their_process_or_never_end_are_named_and_the_others_go_on(monkeypatch):
    monkeypatch.setattr("fuzz.workers.LIMIT", 5.0)
    tally = Tally()
    Workers(9, 0, 7, math.inf, 2, dies_at_three_and_hangs_at_five).each(tally.add)
    assert tally.outcomes == {"released": 5, "killed": 2}
    problems = {failure["repeat"]: failure["problems"][0] for failure in tally.failures}
    assert list(problems) == ["make fuzz SEED=9 RUN=3", "make fuzz SEED=9 RUN=5"]
    assert "SIGSEGV" in problems["make fuzz SEED=9 RUN=3"]
    assert "hung" in problems["make fuzz SEED=9 RUN=5"]
