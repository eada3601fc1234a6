"""Input: a matrix that is ready is used as it is, everything else is converted."""

import numpy as np
import pandas as pd
import pytest

from shoal._kernels.compensated_sum import add_records
from shoal.partitioners import MDAV


@pytest.fixture
def X():
    return np.random.default_rng(5).normal(size=(40, 3))


def test_any_layout_gives_the_same_groups_and_needs_no_kernel_of_its_own(X):
    labels, known = MDAV(k=3).fit_predict(X), list(add_records.signatures)
    fixed, doubled = X.copy(), np.repeat(X, 2, axis=1)
    fixed.setflags(write=False)
    for other in (np.asfortranarray(X), fixed, doubled[:, ::2], X.astype(">f8"), X.tolist()):
        assert np.array_equal(MDAV(k=3).fit_predict(other), labels)
    assert list(add_records.signatures) == known


def test_column_names_of_an_earlier_fit_are_removed(X):
    method = MDAV(k=3).fit(pd.DataFrame(X, columns=["a", "b", "c"]))
    assert list(method.feature_names_in_) == ["a", "b", "c"]
    method.fit(X[:, :2].copy())
    assert not hasattr(method, "feature_names_in_")
    assert method.n_features_in_ == 2


@pytest.mark.parametrize(("value", "name"), [(np.nan, "NaN"), (np.inf, "infinity")])
def test_a_matrix_with_nan_or_infinity_is_refused_as_by_scikit_learn(X, value, name):
    X[7, 1] = value
    with pytest.raises(ValueError, match=f"Input X contains {name}"):
        MDAV(k=3).fit(X)
