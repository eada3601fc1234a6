"""VMDAV, twice: published figures and the slow twin."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raising import raises
from shoal.errors import ParameterError
from shoal.partitioners import VMDAV
from shoal.partitioners._base import in_order
from shoal.partitioners.vmdav import GAMMAS
from tables import loss, tables_and_k
from twins.vmdav import vmdav

PUBLISHED = {
    ("census", 0.2): {3: 5.6619, 4: 7.5140, 5: 9.0070, 10: 14.0730},
    ("tarragona", 0.2): {3: 16.9654, 4: 19.6974, 5: 22.8865, 10: 33.2586},
    ("eia", 1.1): {3: 0.5081, 4: 0.9717, 5: 1.3042, 10: 2.8047},
}


@pytest.mark.parametrize(
    ("table", "gamma", "k", "published"),
    [(*case, k, figure) for case, figures in PUBLISHED.items() for k, figure in figures.items()],
)
def test_vmdav_loses_what_the_literature_says(reference, table, gamma, k, published):
    Z = reference(table)
    assert round(loss(Z, VMDAV(k=k, gamma=gamma).fit_predict(Z)), 4) == published


@given(case=tables_and_k(), gamma=st.sampled_from([0, 0.2, 0.5, 1, 1.1, 2, 10]))
def test_the_kernel_agrees_with_the_slow_version(case, gamma):
    X, k = case
    assert np.array_equal(VMDAV(k=k, gamma=gamma).fit_predict(X), in_order(vmdav(X, k, gamma)))


@pytest.mark.parametrize("n", [50, 51, 52, 53, 54, 55])
@pytest.mark.parametrize("gamma", [0.2, 1.1])
def test_the_kernel_agrees_with_the_slow_version_without_ties(n, gamma):
    X = np.random.default_rng(n).normal(size=(n, 5)) * [1, 10, 0.1, 1e6, 1]
    assert np.array_equal(VMDAV(k=4, gamma=gamma).fit_predict(X), in_order(vmdav(X, 4, gamma)))


@given(case=tables_and_k())
def test_no_group_exceeds_3k_minus_2_records(case):
    X, k = case
    assert VMDAV(k=k, gamma=2).fit(X).partition_.sizes.max() <= max(3 * k - 2, 2 * k - 1)


@given(case=tables_and_k())
def test_auto_keeps_the_gamma_with_the_least_loss(case):
    X, k = case
    fitted = VMDAV(k=k, gamma="auto").fit(X)
    assert fitted.gamma_ in GAMMAS
    assert np.array_equal(fitted.labels_, VMDAV(k=k, gamma=fitted.gamma_).fit_predict(X))


def test_auto_states_the_lowest_gamma_of_least_loss(reference):
    Z = reference("tarragona")
    losses = {gamma: loss(Z, VMDAV(k=3, gamma=gamma).fit_predict(Z)) for gamma in GAMMAS}
    fitted = VMDAV(k=3, gamma="auto").fit(Z)
    assert losses[fitted.gamma_] == min(losses.values())
    assert fitted.gamma_ == min(losses, key=losses.get)


def test_auto_takes_the_lowest_gamma_in_a_tie():
    assert VMDAV(k=2, gamma="auto").fit(np.zeros((8, 1))).gamma_ == 0.0


def test_a_given_gamma_is_stated_unchanged():
    assert VMDAV(k=2, gamma=1).fit([[0], [1], [2], [3]]).gamma_ == 1.0


@pytest.mark.parametrize("gamma", [-0.1, "most", None, float("nan"), float("inf"), True])
def test_gamma_must_be_a_number_from_zero_up_or_auto(gamma):
    with raises(ParameterError, "parameter-not-accepted", parameter="gamma", of="VMDAV"):
        VMDAV(k=2, gamma=gamma).fit(np.zeros((9, 2)))
