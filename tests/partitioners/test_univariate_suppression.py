"""One column with suppressed records, against every way to suppress and to group."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from example_counts import scaled_examples
from raising import raises
from shoal.errors import InputError
from shoal.partitioners import Univariate, univariate_with_suppression
from shoal.partitioners._base import sse
from twins.univariate import least_loss


@given(
    values=st.lists(st.integers(0, 6), min_size=1, max_size=8),
    k=st.integers(1, 3),
    most=st.integers(0, 3),
)
@settings(max_examples=scaled_examples(40))
def test_no_suppression_and_no_groups_lose_less(values, k, most):
    if len(values) < k:
        return
    X = np.array(values, float)
    result = univariate_with_suppression(X, k, most)
    kept = result.labels >= 0
    assert (~kept).sum() <= most
    assert np.bincount(result.labels[kept]).min() >= k
    assert sse(X[kept][:, None], result.labels[kept]) == pytest.approx(result.sse, abs=1e-9)
    least = min(
        float(least_loss(np.delete(X, list(suppressed))[:, None], k))
        for number in range(min(most, len(X) - k) + 1)
        for suppressed in combinations(range(len(X)), number)
    )
    assert result.sse == pytest.approx(least, abs=1e-9)


def test_groups_without_suppression_are_optimal(reference):
    x = reference("census")[:, 0]
    optimum = sse(x[:, None], Univariate(k=5).fit_predict(x[:, None]))
    assert univariate_with_suppression(x, 5, 0).sse == pytest.approx(optimum)
    assert univariate_with_suppression(x, 5, 10).sse < optimum / 10


def test_malformed_input_is_refused():
    for values, k, most in (([[1.0]], 1, 0), ([1.0], 2, 0), ([np.nan, 1], 1, 0), ([1.0], 1, -1)):
        with raises(InputError, "matrix-not-accepted"):
            univariate_with_suppression(values, k, most)
