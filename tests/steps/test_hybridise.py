"""Noise inside groups that keeps means and covariances."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from raising import warns
from shoal.errors import NoGuarantee
from shoal.frame import tables
from shoal.partitioners import MDAV
from shoal.plan import Plan
from shoal.steps import Hybridise
from shoal.steps.hybridise import rotate_at_random
from tables import tables_and_k


@given(case=tables_and_k(least=3, values=9), seed=st.integers(0, 2**31))
def test_means_and_covariances_of_every_group_are_kept(case, seed):
    X, k = case
    step = Hybridise([f"c{j}" for j in range(X.shape[1])], MDAV(k=max(k, 3)), random_state=seed)
    outcome = step.apply(tables.open_frame(pd.DataFrame(X, columns=step.columns)), [])
    masked = np.column_stack([outcome.values[name] for name in step.columns])
    for group in range(outcome.partitions[0].n_groups):
        inside = outcome.partitions[0].labels == group
        assert np.allclose(masked[inside].mean(axis=0), X[inside].mean(axis=0))
        assert np.allclose(np.cov(masked[inside].T), np.cov(X[inside].T))
    assert np.allclose(np.cov(masked.T), np.cov(X.T))


def test_variances_and_correlations_of_a_release_are_restored_to_rounding():
    rng = np.random.default_rng(0)
    mixed = rng.normal(size=(300, 4)) @ rng.normal(size=(4, 4)) * [1e-6, 1, 50, 1e8]
    data = pd.DataFrame(mixed, columns=list("abcd"))
    with warns(NoGuarantee, columns=tuple("abcd")):
        release = Plan({}, [Hybridise(list("abcd"), MDAV(k=5), random_state=1)]).run(data)
    for ratio in release.measures["std_ratio"].values():
        assert ratio == pytest.approx(1, abs=1e-12)
    assert release.measures["correlation_change"]["mean"] < 1e-12
    assert release.measures["information_loss"] > 5


def test_a_small_column_keeps_its_covariance_beside_a_large_one():
    X = np.array([[0, 1e300], [1e-200, -1e300], [3e-200, 1e299], [2e-200, 0]])
    rotated = rotate_at_random(X, np.random.default_rng(0))
    for column, like in zip(rotated.T, X.T, strict=True):
        unit = np.abs(like).max()
        assert (column / unit).std() == pytest.approx((like / unit).std())


def test_equal_records_and_single_columns_are_accepted():
    assert np.array_equal(
        rotate_at_random(np.full((4, 2), 0.1), np.random.default_rng(0)), np.full((4, 2), 0.1)
    )
    column = rotate_at_random(np.array([[1.0], [2.0], [6.0]]), np.random.default_rng(0))
    assert (column.mean(), column.var()) == (pytest.approx(3), pytest.approx(14 / 3))


def test_every_record_is_as_likely_in_every_place_and_every_direction():
    """Three values with given mean and variance lie on a circle; their angle is uniform."""
    X = np.array([[1.0], [2.0], [6.0]])
    samples = np.array(
        [rotate_at_random(X, np.random.default_rng(seed))[:, 0] for seed in range(1000)]
    )
    x = (samples[:, 0] - samples[:, 1]) / np.sqrt(2)
    y = (samples[:, 0] + samples[:, 1] - 2 * samples[:, 2]) / np.sqrt(6)
    angle = (np.arctan2(y, x) + np.pi) / (2 * np.pi)
    assert stats.kstest(angle, "uniform").pvalue > 0.001


def test_the_release_depends_on_the_group_only_through_mean_and_covariance():
    X = np.array([[1.0, 0], [2, 5], [6, 1], [3, 3]])
    rotated = rotate_at_random(X, np.random.default_rng(5))  # other records, same moments
    masked = rotate_at_random(X, np.random.default_rng(6))
    masked_rotated = rotate_at_random(rotated, np.random.default_rng(6))
    # The axes of both tables are the same up to their signs.
    spectra = [np.linalg.svd(rows - rows.mean(0))[1] for rows in (masked, masked_rotated)]
    assert np.allclose(*(np.sort(np.abs(spectrum)) for spectrum in spectra))
