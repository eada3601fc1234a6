"""What comes in: a matrix that is ready goes straight on, everything else is made one."""

import numpy as np
import pandas as pd
import pytest

from shoal._kernels.compensated_sum import add_all
from shoal.partitioners import MDAV


@pytest.fixture
def X():
    return np.random.default_rng(5).normal(size=(40, 3))


def test_any_layout_gives_the_same_groups_and_needs_no_kernel_of_its_own(X):
    labels, known = MDAV(k=3).fit_predict(X), list(add_all.signatures)
    fixed, doubled = X.copy(), np.repeat(X, 2, axis=1)
    fixed.setflags(write=False)
    for other in (np.asfortranarray(X), fixed, doubled[:, ::2], X.astype(">f8"), X.tolist()):
        assert np.array_equal(MDAV(k=3).fit_predict(other), labels)
    assert list(add_all.signatures) == known


def test_names_of_columns_are_forgotten_with_the_frame_that_had_them(X):
    method = MDAV(k=3).fit(pd.DataFrame(X, columns=["a", "b", "c"]))
    assert list(method.feature_names_in_) == ["a", "b", "c"]
    method.fit(X[:, :2].copy())
    assert not hasattr(method, "feature_names_in_")
    assert method.n_features_in_ == 2


@pytest.mark.parametrize(("hole", "name"), [(np.nan, "NaN"), (np.inf, "infinity")])
def test_a_matrix_with_a_hole_is_refused_in_the_words_of_scikit_learn(X, hole, name):
    X[7, 1] = hole
    with pytest.raises(ValueError, match=f"Input X contains {name}"):
        MDAV(k=3).fit(X)
