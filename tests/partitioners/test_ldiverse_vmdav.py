"""LDiverseVMDAV: the slow twin, and l values in every group."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from raising import raises
from shoal.errors import InputError, ParameterError
from shoal.partitioners import LDiverseVMDAV
from shoal.partitioners._base import in_order
from tables import tables_and_k
from twins.ldiverse_vmdav import ldiverse_vmdav


@given(case=tables_and_k(greatest=4), data=st.data(), gamma=st.sampled_from([0, 0.2, 1.1]))
def test_every_group_has_l_values(case, data, gamma):
    X, k = case
    values = data.draw(st.lists(st.integers(0, 3), min_size=len(X), max_size=len(X)))
    diversity = data.draw(st.integers(1, 4))
    assume(len(set(values)) >= diversity)
    fitted = LDiverseVMDAV(k=k, diversity=diversity, values=values, gamma=gamma).fit(X)
    for group in range(fitted.partition_.n_groups):
        held = np.array(values)[fitted.labels_ == group]
        assert len(held) >= k
        assert len(set(held)) >= diversity


@pytest.mark.parametrize("seed", range(12))
def test_groups_agree_with_the_slow_version(seed):
    rng = np.random.default_rng(seed)
    X, values = rng.normal(size=(40 + seed, 2)), rng.integers(0, 4, 40 + seed)
    k, diversity, gamma = 2 + seed % 3, 1 + seed % 4, (0, 0.2, 1.1)[seed % 3]
    fitted = LDiverseVMDAV(k=k, diversity=diversity, values=values, gamma=gamma)
    slow = ldiverse_vmdav(X, k, diversity, values, gamma)
    assert np.array_equal(fitted.fit_predict(X), in_order(slow))


def test_too_few_values_are_refused():
    X = np.zeros((6, 1))
    with raises(InputError, "too-few-values", diversity=3, distinct=2):
        LDiverseVMDAV(k=2, diversity=3, values=[1, 1, 2, 2, 1, 1]).fit(X)
    with raises(ParameterError, "parameter-not-accepted", parameter="values"):
        LDiverseVMDAV(k=2, diversity=1, values=[1]).fit(X)
