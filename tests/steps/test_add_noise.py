"""Noise has the stated variance and correlations."""

import numpy as np
import pandas as pd
import pytest

from shoal.frame import tables
from shoal.steps import AddNoise

RNG = np.random.default_rng(11)
X = RNG.normal(size=(20_000, 3)) @ np.array([[1, 0.8, 0], [0, 0.6, 0], [0, 0, 1]]) * [3, 5e4, 1e-3]
DATA = pd.DataFrame(X, columns=list("abc"))


def noisy(data=DATA, **options):
    step = AddNoise(list(data.columns), random_state=1, **options)
    values = step.apply(tables.open_frame(data), []).values
    return np.column_stack([values[name] for name in data.columns])


def test_independent_noise_has_its_share_of_the_variance_and_no_correlation():
    noise = noisy(amount=0.25) - X
    assert noise.var(axis=0) / X.var(axis=0) == pytest.approx([0.25] * 3, rel=0.04)
    assert np.abs(noise.mean(axis=0) / X.std(axis=0)).max() < 0.02
    correlations = np.corrcoef(np.hstack([noise, X]).T)
    assert np.abs(correlations[:3] - np.eye(6)[:3]).max() < 0.03


def test_correlated_noise_has_the_correlations_of_the_columns():
    noise = noisy(amount=0.25, kind="correlated") - X
    assert np.allclose(np.corrcoef(noise.T), np.corrcoef(X.T), atol=0.03)
    masked = noisy(amount=0.25, kind="correlated")
    assert np.allclose(np.corrcoef(masked.T), np.corrcoef(X.T), atol=0.02)
    assert masked.var(axis=0) / X.var(axis=0) == pytest.approx([1.25] * 3, rel=0.03)


@pytest.mark.parametrize("kind", ["independent", "correlated"])
def test_the_spread_can_be_kept(kind):
    with_grown_spread = noisy(amount=0.5, kind=kind)
    with_kept_spread = noisy(amount=0.5, kind=kind, spread="kept")
    assert with_kept_spread.var(axis=0) / X.var(axis=0) == pytest.approx([1] * 3, rel=0.03)
    # The same random numbers, shrunk towards the mean of the column exactly.
    mean = X.mean(axis=0)
    assert np.allclose(
        with_kept_spread - mean, (with_grown_spread - mean) / np.sqrt(1.5), rtol=1e-12
    )


def test_dependent_constant_and_huge_columns_are_accepted():
    data = pd.DataFrame({"a": [1.0, 2, 3, 9], "b": [2.0, 4, 6, 18], "c": 0.1})
    masked = noisy(data, amount=0.3, kind="correlated")
    assert np.allclose(masked[:, 1], 2 * masked[:, 0])
    assert np.allclose(masked[:, 2], 0.1, atol=1e-15)
    huge = noisy(data[["a", "b"]] * 1e298, amount=0.3, kind="correlated")
    assert np.allclose(huge / 1e298, noisy(data[["a", "b"]], amount=0.3, kind="correlated"))


def test_rounding_keeps_whole_numbers_whole():
    frame = tables.open_frame(pd.DataFrame({"a": range(9)}))
    assert AddNoise(["a"], 0.1, decimals=0).apply(frame, []).values["a"].dtype == np.int64
    assert AddNoise(["a"], 0.1).apply(frame, []).values["a"].dtype == np.float64
