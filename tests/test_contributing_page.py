"""The example on the page on contributing is a method like all others."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from sklearn.utils.estimator_checks import estimator_checks_generator

import shoal
from raising import raises
from shoal.errors import ParameterError, PlanError
from shoal.partitioners import MDAV, METHODS, Partitioner, register
from tables import tables_and_k

PAGE = (Path(__file__).parents[1] / "docs" / "contribute.md").read_text(encoding="utf-8")
(CODE,) = (code for code in re.findall(r"```python\n(.*?)```", PAGE, re.S) if "class " in code)


class Module:
    """A module of the example, so that its class can be pickled."""

    def __init__(self):
        self.__name__ = "halves"
        exec(CODE, self.__dict__)


sys.modules.setdefault("halves", Module())
Halves = sys.modules["halves"].Halves


@pytest.fixture
def registered():
    register("halves", Halves)
    yield "halves"
    del METHODS["halves"]


def test_the_example_has_fewer_than_fifty_lines():
    assert len(CODE.splitlines()) < 50


@given(case=tables_and_k(greatest=10))
def test_no_group_is_smaller_than_k_or_as_large_as_two(case):
    X, k = case
    before = X.copy()
    groups = Halves(k=k).fit(X).partition_
    assert groups.sizes.min() >= k
    assert groups.sizes.max() < 2 * k
    assert np.array_equal(X, before)
    assert np.array_equal(groups.labels, Halves(k=k).fit_predict(X))


def test_records_are_split_along_the_widest_column_and_then_along_the_next():
    wide = [[0, 1], [100, 0], [1, 0], [101, 1]]
    assert Halves(k=2).fit_predict(wide).tolist() == [0, 1, 0, 1]
    both = [[0, 9], [0, 1], [19, 5], [19, 0], [0, 8], [19, 6], [0, 2], [19, 1]]
    assert Halves(k=2).fit_predict(both).tolist() == [0, 1, 2, 3, 0, 2, 1, 3]


@pytest.mark.parametrize(
    ("estimator", "check"), list(estimator_checks_generator(Halves(k=3), mark=None))
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


def test_an_unregistered_partitioner_can_be_used_but_not_saved(tmp_path):
    people = shoal.datasets.survey(60)[["age", "height"]]
    release = shoal.microaggregate(people, ["age", "height"], k=5, method=Halves(k=5))
    assert release.measures["smallest_class"] >= 5
    assert release.provenance["methods"] == ["Halves"]
    with raises(PlanError, "method-not-registered", method="Halves"):
        release.report(tmp_path / "report.html")


def test_a_registered_method_is_one_in_plans_reports_and_comparisons(registered, tmp_path):
    people = shoal.datasets.survey(60)[["age", "height"]]
    release = shoal.microaggregate(people, ["age", "height"], k=5, method=registered)
    release.report(tmp_path / "report.html")
    release.plan.save(tmp_path / "plan.toml")
    again = shoal.Plan.load(tmp_path / "plan.toml").run(people)
    assert again.data.equals(release.data)
    refined = shoal.microaggregate(
        people, ["age", "height"], k=5, method=registered, effort="refine"
    )
    assert refined.measures["information_loss"] < release.measures["information_loss"]
    assert refined.provenance["methods"] == ["halves + refine"]
    done = shoal.compare(people, ["age", "height"], k=[3, 5], method=[registered, "mdav"])
    assert [trial.method for trial in done.trials] == ["halves", "halves", "mdav", "mdav"]


class Nameless(Partitioner):
    """A partitioner without facts."""


class Lenient(MDAV):
    """A partitioner with a default for k."""

    def __init__(self, k=3):
        self.k = k


@pytest.mark.parametrize(
    ("name", "cls", "code"),
    [
        ("mdav", Halves, "method-exists"),
        ("Halves", Halves, "name-not-accepted"),
        ("a_b", Halves, "name-not-accepted"),
        ("", Halves, "name-not-accepted"),
        ("-a", Halves, "name-not-accepted"),
        ("mine", Halves(k=3), "not-a-partitioner"),
        ("mine", dict, "not-a-partitioner"),
        ("mine", Nameless, "facts-missing"),
        ("mine", Lenient, "k-missing"),
    ],
)
def test_what_cannot_be_a_method_is_refused_by_name(name, cls, code):
    before = dict(METHODS)
    with raises(ParameterError, code):
        register(name, cls)
    assert before == METHODS


def test_a_registered_method_can_be_registered_again(registered):
    class Again(Halves):
        pass

    register("halves", Again)
    assert METHODS["halves"] is Again
