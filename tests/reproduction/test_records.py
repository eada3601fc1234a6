"""The records: what is published holds, and faults in it are refused."""

from dataclasses import replace
from itertools import combinations, count

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reproduction.records import improve as improving
from reproduction.records.page import PAGE, page
from reproduction.records.record import read, recorded_cells, write
from reproduction.records.verification import NotVerified, verify
from reproduction.records.verifier import Certificate, check_duals, check_partition
from twins.pricing import reduced_cost


def ticking_clock():
    """Return a clock that is a thousandth of a second later at every look."""
    ticks = count()
    return lambda: next(ticks) / 1000


SECONDS = ("tarragona-2", "census-2")  # cells whose bounds are verified within seconds


@pytest.mark.parametrize("name", recorded_cells())
def test_the_partition_on_record_has_the_loss_on_record(name):
    record = read(name)
    assert record.name == name
    assert verify(record, bounds=False).loss == pytest.approx(record.loss, rel=1e-9)
    assert 0 < record.bound <= record.claimed <= record.loss


@pytest.mark.parametrize("name", SECONDS)
def test_the_bound_on_record_is_verified(name):
    record = read(name)
    assert verify(record).bound == pytest.approx(record.bound, rel=1e-9)


def test_the_page_shows_the_records():
    assert PAGE.read_text() == page(map(read, recorded_cells()))


@pytest.mark.parametrize("name", ["tarragona-2", "census-3"])
def test_a_changed_label_is_refused(name):
    record = read(name)
    labels = record.labels.copy()
    labels[0] = next(label for label in labels if label != labels[0])
    with pytest.raises(NotVerified) as error:
        verify(replace(record, labels=labels), bounds=False)
    assert error.value.code in {"labels", "loss"}


def test_a_raised_dual_is_refused():
    record = read("tarragona-2")
    greatest = int(np.argmax(record.duals))
    duals = record.duals.copy()
    duals[greatest] *= 1.0001
    with pytest.raises(NotVerified) as error:
        verify(replace(record, duals=duals))
    assert error.value.code == "bound"
    raised = replace(record, duals=duals)
    raised = replace(raised, bound=raised.certificate.bound(), loss=record.loss)
    with pytest.raises(NotVerified) as error:
        verify(raised)
    assert error.value.code in {"duals", "bound"}


@pytest.mark.parametrize(
    "fault",
    [
        {"triple_duals": [-0.1]},
        {"triples": [(0, 0, 1)]},
        {"triples": [(0, 1, 99)]},
        {"clusters": [[0, 1, 1]]},
        {"cluster_duals": [-1.0]},
        {"cluster_duals": [float("nan")]},
        {"cluster_duals": []},
        {"divisors": [1]},
        {"divisors": [-2]},
        {"divisors": [1.5]},
        {"divisors": []},
    ],
)
def test_sets_that_prove_nothing_are_refused(fault):
    good = {"triples": [(0, 1, 2)], "triple_duals": [0.1], "clusters": [[0, 1, 2]]}
    good |= {"divisors": [2], "cluster_duals": [0.1]}
    X = np.arange(8.0)[:, None]
    assert check_duals(X, 2, Certificate(np.zeros(8), **good)) == 0
    assert check_duals(X, 2, Certificate(np.zeros(8), **(good | fault))) == -np.inf


@given(seed=st.integers(0, 10**6), k=st.integers(2, 4))
@settings(max_examples=40)
def test_the_verifier_finds_the_lowest_of_all_groups_with_triples_and_clusters(seed, k):
    rng, n = np.random.default_rng(seed), 9
    X = rng.integers(0, 4, (n, 2)) + (seed % 2) * rng.normal(size=(n, 2))
    triples = [tuple(rng.choice(n, 3, replace=False).tolist()) for _ in range(seed % 5)]
    clusters = [
        rng.choice(n, rng.integers(k, 2 * k + 2), replace=False).tolist() for _ in range(seed % 4)
    ]
    duals = rng.uniform(0, rng.choice([1.5, 3]), n)
    divisors = rng.integers(2, k + 2, len(clusters)).tolist()
    certificate = Certificate(
        duals, triples, rng.uniform(0, 1, len(triples)).tolist(), clusters, divisors,
        rng.uniform(0, 2, len(clusters)).tolist(),
    )  # fmt: skip
    largest = 2 * k - 1 if triples or clusters else k
    lowest = min(
        reduced_cost(X, group, duals, triples, certificate.triple_duals, 0.0, clusters,
                certificate.cluster_duals, divisors)
        for size in range(k, largest + 1)
        for group in combinations(range(n), size)
    )  # fmt: skip
    assert check_duals(X, k, certificate) == pytest.approx(min(0.0, lowest), abs=1e-9)


@pytest.mark.parametrize(("k", "seed"), [(3, 0), (3, 1), (4, 2), (4, 3), (5, 4)])
def test_the_proof_of_a_tied_table_passes_the_verifier(k, seed):
    """Clusters of records far apart, which are no multiples of k; the optimum is known."""
    rng = np.random.default_rng(seed)
    sizes = (2 * k - 1, k + 1, k)
    X = np.vstack([rng.integers(0, 3, (size, 2)) + 50.0 * i for i, size in enumerate(sizes)])
    labels = np.repeat([0, 1, 2], sizes)
    proof = improving.Proof(X, k, labels, improving.Budget(60.0, ticking_clock()))
    proof.run_dual_ascent()
    proof.solve_relaxation()
    duals = improving.feasible_duals(proof)
    certificate = Certificate(
        duals.record_dual, proof.columns.triples[: len(duals.triple_dual)].tolist(),
        duals.triple_dual.tolist(), [row[row >= 0].tolist() for row in duals.clusters],
        duals.divisors.tolist(), duals.cluster_dual.tolist(),
    )  # fmt: skip
    optimum = check_partition(X, k, labels)  # of two groups, and no other division is possible
    assert len(certificate.clusters)
    assert check_duals(X, k, certificate) == 0
    assert 0.999 * optimum < certificate.bound() <= optimum * (1 + 1e-9)


def test_a_record_can_be_beaten(tmp_path):
    """One that starts with a poor partition and no duals."""
    best = read("tarragona-2")
    labels = np.minimum(np.arange(len(best.labels)) // 2, len(best.labels) // 2 - 1)
    poor_record = replace(
        best, labels=labels.tolist(), loss=1e9, bound=0.0, claimed=0.0, duals=[],
        triples=[], triple_duals=[], clusters=[], divisors=[], cluster_duals=[],
    )  # fmt: skip
    new = improving.improve(poor_record, 2.0, 0)
    assert best.bound * 0.5 < new.bound <= new.claimed <= best.loss * (1 + 1e-9) <= new.loss * 2
    verify(new, bounds=False)
    write(new, tmp_path)
    assert read(new.name, tmp_path) == new
    combined = improving.combine(best, new)
    assert combined.claimed == pytest.approx(best.claimed, rel=1e-9)  # both claim the optimum
    assert replace(combined, claimed=best.claimed) == best
