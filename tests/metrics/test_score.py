"""The classical score."""

import numpy as np
import pytest

from shoal.metrics import interval_disclosure, linkage, sdc_score
from shoal.partitioners import MDAV

TABLE = np.random.default_rng(0).normal(5, 2, size=(60, 3)) @ np.array(
    [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]
)


def masked_by(k):
    labels = MDAV(k=k).fit_predict(TABLE)
    return np.array([TABLE[labels == label].mean(axis=0) for label in labels])


def test_risk_is_the_mean_of_linkage_and_interval_disclosure():
    score = sdc_score(TABLE, masked_by(3))
    near = interval_disclosure(TABLE, masked_by(3)).mean()
    assert score.disclosure_risk == pytest.approx(50 * (linkage(TABLE, masked_by(3)) + near))
    assert score.score == pytest.approx((score.information_loss + score.disclosure_risk) / 2)


def test_loss_grows_and_risk_falls_with_k():
    scores = [sdc_score(TABLE, masked_by(k)) for k in (1, 3, 10, 30)]
    assert scores[0] == pytest.approx((50, 0, 100), abs=1e-9)
    lost = [one.information_loss for one in scores]
    risk = [one.disclosure_risk for one in scores]
    assert lost == sorted(lost)
    assert risk == sorted(risk, reverse=True)


def test_the_five_parts_of_the_loss():
    shifted = TABLE + [1.0, 0, 0]  # values and one mean change, nothing else
    values = np.mean([1 / (TABLE[:, 0].std() * np.sqrt(2)), 0, 0])
    means = np.mean([1 / TABLE[:, 0].mean(), 0, 0])
    assert sdc_score(TABLE, shifted).information_loss == pytest.approx(20 * (values + means))
    doubled = TABLE.mean(axis=0) + 1.1 * (TABLE - TABLE.mean(axis=0))
    moved = np.abs(doubled - TABLE) / (TABLE.std(axis=0) * np.sqrt(2))
    assert sdc_score(TABLE, doubled).information_loss == pytest.approx(20 * (moved.mean() + 0.42))
    one = sdc_score(TABLE[:, :1], shifted[:, :1])  # one column has no correlations
    assert 0 < one.information_loss < 100
