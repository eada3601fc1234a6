"""Properties that MDAV and related methods share."""

import numpy as np
import pytest
from hypothesis import given

from shoal._progress import reporting_to
from shoal.partitioners import METHODS, _base, partition
from tables import tables_and_k

FAMILY = ["mdav", "mdav1", "mdav-classic", "centroid-mdav", "vmdav", "cvmdav", "md", "mst"]


@pytest.mark.parametrize("method", [name for name in FAMILY if name != "vmdav"])
@given(case=tables_and_k())
def test_groups_have_k_to_2k_minus_1_records(method, case):
    X, k = case
    sizes = partition(X, k, method).sizes
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1


@pytest.mark.parametrize("method", ["mdav", "mdav1", "mdav-classic", "centroid-mdav", "md"])
def test_all_groups_but_a_few_have_exactly_k_records(method):
    X = np.random.default_rng(4).normal(size=(103, 2))
    sizes = partition(X, 5, method).sizes
    assert len(sizes) == 20
    assert (sizes > 5).sum() <= 3


@pytest.mark.parametrize("method", ["vmdav", "cvmdav"])
def test_gamma_zero_extends_no_group(method):
    X = np.random.default_rng(5).normal(size=(60, 2))
    assert (partition(X, 3, method, gamma=0).sizes == 3).all()


def test_cvmdav_without_extension_is_centroid_mdav():
    X = np.random.default_rng(6).normal(size=(71, 3))
    plain = partition(X, 4, "centroid-mdav").labels
    assert np.array_equal(partition(X, 4, "cvmdav", gamma=0).labels, plain)


@pytest.mark.parametrize("method", FAMILY)
@pytest.mark.parametrize("k", [1, 3, 4])
def test_the_length_of_a_stride_does_not_matter(method, k, monkeypatch):
    X = np.random.default_rng(7).normal(size=(80, 2)).round(1)
    whole = partition(X, k, method).labels
    monkeypatch.setattr(_base, "STRIDE", 1)
    assert np.array_equal(partition(X, k, method).labels, whole)


@pytest.mark.parametrize("method", FAMILY)
def test_progress_is_reported_and_ends_at_the_total(method, monkeypatch):
    monkeypatch.setattr(_base, "STRIDE", 500)
    reports = {}
    with reporting_to(
        lambda stage, done, total: reports.setdefault(stage, []).append((done, total))
    ):
        METHODS[method](k=3).fit(np.random.default_rng(8).normal(size=(100, 2)))
    assert sum(len(steps) for steps in reports.values()) > 3
    for steps in reports.values():
        assert steps == sorted(steps)
        assert steps[-1][0] == steps[-1][1]


@pytest.mark.parametrize("k", [3, 4])
def test_progress_counts_the_records_in_groups(k, monkeypatch):
    monkeypatch.setattr(_base, "STRIDE", 1)
    counts = []
    with reporting_to(lambda stage, done, total: counts.append(done)):
        METHODS["mdav"](k=k).fit(np.random.default_rng(8).normal(size=(20 * k, 2)))
    assert len(counts) > 5
    assert all(count % k == 0 for count in counts)
