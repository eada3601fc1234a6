"""Every method accepts random_state and n_jobs, whether it draws or not."""

import json

import numpy as np
import pandas as pd
import pytest

import shoal
from raising import raises
from shoal import Plan
from shoal._jobs import effective_n_jobs
from shoal._params import signature_parameters
from shoal._seeds import DrawnSeed, as_seed
from shoal.errors import ParameterError
from shoal.partitioners import MDAV, METHODS, Blocked, MuApprox, Search, partition, partitioner
from shoal.steps import Microaggregate, Round

LINE = np.arange(12.0)[:, None]
DRAWING = {name for name, cls in METHODS.items() if "random_state" in signature_parameters(cls)}
every_method = pytest.mark.parametrize("method", METHODS)
every_form = pytest.mark.parametrize(
    "form", [lambda: 7, lambda: np.random.default_rng(7), lambda: np.random.RandomState(7)]
)


@every_method
def test_every_method_accepts_a_seed_and_a_number_of_jobs(method):
    options = {"budget": 0.0} if method in ("search", "prove") else {}
    seeded = [
        partition(LINE, 2, method, random_state=5, n_jobs=1, **options).labels for _ in range(2)
    ]
    assert np.array_equal(*seeded)
    if method not in DRAWING:
        assert np.array_equal(seeded[0], partition(LINE, 2, method, **options).labels)


@every_form
def test_equal_generators_give_equal_groups(form):
    X = np.random.default_rng(3).normal(size=(60, 2))
    first, second = (partition(X, 3, "mu-approx", random_state=form()) for _ in range(2))
    assert np.array_equal(first.labels, second.labels)


def test_a_generator_advances_between_fits():
    generator = np.random.default_rng(0)
    assert as_seed(generator) != as_seed(generator)


def test_a_partitioner_takes_a_seed_it_has_not_set():
    assert partitioner(MuApprox(k=3), {"k": 3, "random_state": 4}).random_state == 4
    assert partitioner(MDAV(k=3), {"k": 3, "random_state": 4, "n_jobs": 2}).get_params() == {"k": 3}
    assert partitioner(Blocked(k=3), {"k": 3, "n_jobs": 2}).n_jobs == 2


def test_a_partitioner_keeps_the_seed_it_has_set():
    own = MuApprox(k=3, random_state=1)
    assert partitioner(own, {"k": 3, "random_state": own.random_state}) is own
    with raises(ParameterError, "options-of-a-partitioner"):
        partitioner(own, {"k": 3, "random_state": 2})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("random_state", -1),
        ("random_state", 1.5),
        ("random_state", "x"),
        ("n_jobs", 0),
        ("n_jobs", 1.5),
    ],
)
@pytest.mark.parametrize("method", ["mdav", "mu-approx", MDAV(k=3)])
def test_invalid_seeds_and_numbers_of_jobs_are_refused(method, name, value):
    with raises(ParameterError, "parameter-not-accepted", parameter=name):
        partition(LINE, 3, method, **{name: value})


def test_negative_numbers_of_jobs_count_back_from_all_cores(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    assert [effective_n_jobs(n) for n in (None, -1, -2, -9, 3)] == [4, 4, 3, 1, 3]


@every_form
@pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")
def test_a_plan_turns_a_generator_into_a_seed(form):
    generator = form()
    step = Microaggregate(["a"], MuApprox(k=3, random_state=generator))
    rounding = Round(["b"], 2.0, mode="random", random_state=generator)
    plan = Plan({}, [step, rounding], shuffle=True, random_state=form())
    document = json.loads(json.dumps(plan.to_dict()))
    assert Plan.from_dict(document).to_dict() == document
    assert isinstance(plan.random_state, int)
    frame = {"a": list(range(30)), "b": [x * 7 % 11 for x in range(30)]}
    first, second = (plan.run(pd.DataFrame(frame)).data for _ in range(2))
    assert first.equals(second)


def test_the_seeds_drawn_from_one_generator_agree_inside_a_partitioner():
    generator = np.random.default_rng(1)
    effort = Search(k=3, method=MuApprox(k=3, random_state=generator), random_state=generator)
    step = Microaggregate(["a"], effort)
    seed = step.partitioner.random_state
    assert isinstance(seed, DrawnSeed)
    assert step.partitioner.method.random_state == seed
    assert effort.random_state is generator
    assert effort.set_params(budget=0.0).fit(LINE).labels_.max() > 0


@pytest.mark.parametrize("method", ["auto", "mdav", "mu-approx"])
def test_microaggregate_accepts_a_generator(sme, method):
    columns = ["surface", "employees"]
    first, second = (
        shoal.microaggregate(
            sme, columns, k=3, method=method, random_state=np.random.default_rng(2), n_jobs=1
        ).data
        for _ in range(2)
    )
    assert first.equals(second)


@pytest.fixture
def sme():
    return shoal.datasets.sme()[["surface", "employees"]]
