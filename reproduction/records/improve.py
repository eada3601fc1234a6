"""Try to beat a record: continue from its partition and its duals."""

import time
from contextlib import suppress
from dataclasses import replace

import numpy as np

from reproduction.records.record import Record, round_digits, scaled_table
from reproduction.records.verifier import check_partition
from shoal._kernels.column_generation.group_search import SearchLimits, list_all_groups
from shoal.geometry import squared_errors
from shoal.partitioners._budget import Budget, OutOfTime
from shoal.partitioners._column_generation.master_problem import Duals
from shoal.partitioners._column_generation.proof import (
    LONG_PRICING,
    MORE_STEPS,
    Proof,
    scale_to_unit_cost,
)
from shoal.partitioners._column_generation.prove import improve_proof, run_programmes
from shoal.partitioners._local_search.refine import refine
from shoal.partitioners.mdav import MDAV

NEAR_SHARE = 0.02  # share of the gap: groups of lower reduced cost become the first columns
MAX_GROUPS = 50  # such groups per record
MAX_STEPS = 1_000_000  # search steps to list these groups
MARGIN = 1e-10  # share of the mean dual: rounding errors of the search for violated groups


def first_record(name: str) -> Record:
    """Return the groups of `refine` as the record of a cell that has none."""
    table, k = name.split("-")
    X = scaled_table(table)
    labels = refine(X, MDAV(k=int(k)).fit_predict(X), int(k))
    loss = check_partition(X, int(k), labels)
    return Record(table, int(k), loss, 0.0, 0.0, labels.tolist(), [], [], [], [], [], [])


def start_proof(record: Record, seconds: float) -> tuple[Proof, int]:
    """Return a proof that starts with a record, and the power of two by which it is scaled."""
    X, labels = scaled_table(record.table), np.array(record.labels)
    Z, power = scale_to_unit_cost(X, squared_errors(X, labels)[1])
    proof = Proof(Z, record.k, labels, Budget(seconds, time.process_time))
    columns, factor = proof.columns, 4.0**power
    columns.triples = np.array(record.triples, np.int64).reshape(-1, 3)
    columns.divisors = np.array(record.divisors, np.int64)
    columns.clusters = np.full((len(record.clusters), columns.clusters.shape[1]), -1)
    for row, cluster in zip(columns.clusters, record.clusters, strict=True):
        row[: len(cluster)] = cluster
    if record.duals:
        duals = Duals(
            record_dual=factor * np.array(record.duals),
            triples=columns.triples,
            triple_dual=factor * np.array(record.triple_duals),
            clusters=columns.clusters,
            cluster_dual=factor * np.array(record.cluster_duals),
            divisors=columns.divisors,
        )
        for _ in range(2):  # the higher the bound, the fewer groups are left out
            proof.price(duals, LONG_PRICING._replace(max_steps=MORE_STEPS * proof.max_steps))
    return proof, power


def add_near_groups(proof: Proof) -> None:
    """Add groups of k with a low reduced cost at the best duals so far."""
    duals, k = proof.duals, proof.k
    order = np.argsort(-duals.record_dual, kind="stable").astype(np.int64)
    ranked_duals = proof.pricing.ranked_duals(duals, order, k)
    groups = np.empty((MAX_GROUPS, k), np.int64)
    for first_record in order:
        for max_cost in NEAR_SHARE * (proof.sse - proof.dual_bound) * np.ldexp(1.0, -np.arange(20)):
            limits = SearchLimits(max_cost, len(order), MAX_STEPS)
            n_groups = list_all_groups(
                proof.pricing.table, ranked_duals, first_record, limits, groups
            )
            if n_groups >= 0:
                proof.columns.add(groups[:n_groups])
                break
        proof.report_progress()


def feasible_duals(proof: Proof) -> Duals:
    """Return the best duals so far, lowered so that no group violates them."""
    duals = proof.duals
    margin = MARGIN * np.abs(duals.record_dual).mean()
    return duals._replace(record_dual=duals.record_dual + proof.correction - margin)


def record_of_proof(proof: Proof, power: int, table: str) -> Record:
    """Return the record of the best partition and the best bounds of a proof."""
    duals, factor, k = feasible_duals(proof), 4.0**-power, proof.k
    is_used_triple, is_used_cluster = duals.triple_dual > 0, duals.cluster_dual > 0
    record = Record(
        table=table,
        k=k,
        loss=check_partition(scaled_table(table), k, proof.labels),
        bound=0.0,
        claimed=factor * proof.bound,
        labels=proof.labels.tolist(),
        duals=round_digits(factor * duals.record_dual),
        triples=[(int(a), int(b), int(c)) for a, b, c in duals.triples[is_used_triple]],
        triple_duals=round_digits(factor * duals.triple_dual[is_used_triple]),
        clusters=[row[row >= 0].tolist() for row in duals.clusters[is_used_cluster]],
        divisors=duals.divisors[is_used_cluster].tolist(),
        cluster_duals=round_digits(factor * duals.cluster_dual[is_used_cluster]),
    )
    bound = record.certificate.bound()
    return replace(record, bound=bound, claimed=max(bound, record.claimed))


def combine(old: Record, new: Record) -> Record:
    """Return a record with the better partition and the better bounds of two."""
    with_best_partition, with_best_bound = (
        min(old, new, key=lambda record: record.loss),
        max(old, new, key=lambda record: record.bound),
    )
    return replace(
        with_best_bound,
        loss=with_best_partition.loss,
        labels=with_best_partition.labels,
        claimed=min(max(old.claimed, new.claimed), with_best_partition.loss),
    )


def improve(record: Record, seconds: float, seed: int) -> Record:
    """Return a record at least as good, after ``seconds`` CPU seconds of column generation.

    Parameters
    ----------
    record : Record
        The record to start from.
    seconds : float
        CPU seconds to spend.
    seed : int
        Seed of the searches for partitions, in [0, inf).

    Returns
    -------
    Record
        The better partition and the better bounds; `record` itself if nothing is better.
    """
    proof, power = start_proof(record, seconds)
    with suppress(OutOfTime, KeyboardInterrupt):
        if record.duals:
            add_near_groups(proof)
            run_programmes(proof, seed)
        else:
            improve_proof(proof, seed)
    best = combine(record, record_of_proof(proof, power, record.table))
    is_better = (
        best.loss < record.loss or best.bound > record.bound or best.claimed > record.claimed
    )
    return best if is_better else record
