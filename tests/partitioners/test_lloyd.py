"""Lloyd: better than MDAV by how much, never worse than its start, and the slow twin."""

import numpy as np
import pytest
from hypothesis import given

from raising import raises
from shoal.errors import ParameterError
from shoal.partitioners import DBA2, MDAV, MDAV2, TFRP, Lloyd
from shoal.partitioners._base import in_order
from tables import loss, tables_and_k
from twins.lloyd import lloyd
from twins.mdav import labels_of
from twins.mdav1 import mdav1
from twins.second_phase import second_phase
from twins.tfrp import tfrp

LEAST_GAIN = {
    "tarragona": {3: 9.0, 4: 6.0, 5: 7.0, 10: 7.5},
    "census": {3: 4.5, 4: 7.0, 5: 11.5, 10: 14.0},
    "eia": {3: 20.0, 4: 23.0, 5: 54.0, 10: 48.0},
}


@pytest.mark.parametrize(
    ("table", "k", "gain"),
    [(table, k, gain) for table, gains in LEAST_GAIN.items() for k, gain in gains.items()],
)
def test_lloyd_loses_less_than_mdav_by_the_stated_percentages(reference, table, k, gain):
    Z = reference(table)
    ratio = loss(Z, Lloyd(k=k).fit_predict(Z)) / loss(Z, MDAV(k=k).fit_predict(Z))
    assert 100 * (1 - ratio) >= gain


STARTS = {"dba2": DBA2, "mdav2": MDAV2, "tfrp": TFRP}


@pytest.mark.parametrize("start", STARTS)
@given(case=tables_and_k())
def test_the_loss_is_never_above_that_of_the_start(start, case):
    X, k = case
    X = X + np.arange(len(X))[:, None] / 64  # some spread, so that there is a loss
    start_loss = loss(X, STARTS[start](k=k).fit_predict(X)) if len(X) > 1 else 0.0
    final_loss = loss(X, Lloyd(k=k, start=start).fit_predict(X)) if len(X) > 1 else 0.0
    assert final_loss <= start_loss + 1e-9


def from_mdav2(X, k):
    return labels_of(lloyd(X, k, second_phase(X, mdav1(X, k), k, mdav1)), len(X))


def from_tfrp(X, k):
    return labels_of(lloyd(X, k, tfrp(X, k)), len(X))


TWINS = pytest.mark.parametrize(("start", "twin"), [("mdav2", from_mdav2), ("tfrp", from_tfrp)])


@TWINS
@given(case=tables_and_k())
def test_the_kernel_agrees_with_the_slow_version(start, twin, case):
    X, k = case
    assert np.array_equal(Lloyd(k=k, start=start).fit_predict(X), in_order(twin(X, k)))


@TWINS
@pytest.mark.parametrize("n", [50, 51, 52, 53, 54, 95])
def test_the_kernel_agrees_with_the_slow_version_without_ties(start, twin, n):
    X = np.random.default_rng(n).lognormal(size=(n, 5)) * [1, 10, 0.1, 2, 1]
    assert np.array_equal(Lloyd(k=4, start=start).fit_predict(X), in_order(twin(X, 4)))


def test_the_best_start_is_kept():
    X = np.random.default_rng(3).normal(size=(200, 3))
    losses = [loss(X, Lloyd(k=3, start=start).fit_predict(X)) for start in STARTS]
    assert loss(X, Lloyd(k=3).fit_predict(X)) == min(losses)


def test_an_unknown_start_is_refused():
    with raises(ParameterError, "parameter-not-accepted", parameter="start", of="Lloyd"):
        Lloyd(k=3, start="random").fit(np.zeros((9, 2)))
