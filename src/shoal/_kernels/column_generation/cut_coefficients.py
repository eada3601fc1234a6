"""Coefficients of groups in subset-row cuts: how often each counts for a triple or a cluster."""

import numpy as np

from shoal._kernels._compile import compiled


@compiled
def count_inside(group, triple):
    """Return how many records of a triple a group contains, and the lowest of them, or -1."""
    n_inside, lowest = 0, -1
    for member in triple:
        for record in group:
            if record == member:
                n_inside += 1
                lowest = record if lowest < 0 else min(lowest, record)
    return n_inside, lowest


@compiled
def list_triple_groups(members, triples, start, triples_of_record, pairs):
    """List the groups that contain two or three records of a triple; return their number.

    The triples that contain a record are ``triples_of_record[start[record] : start[record + 1]]``,
    and rows of ``members`` end with -1. ``pairs`` is filled with (triple, group); pairs for which
    there is no space are only counted.
    """
    count = 0
    for group in range(members.shape[0]):
        for record in members[group]:
            if record < 0:
                break
            for entry in range(start[record], start[record + 1]):
                triple = triples_of_record[entry]
                n_inside, lowest = count_inside(members[group], triples[triple])
                # Each pair is found from several records, and listed for the lowest one only.
                if n_inside >= 2 and lowest == record:
                    if count < pairs.shape[0]:
                        pairs[count, 0], pairs[count, 1] = triple, group
                    count += 1
    return count


@compiled
def list_cluster_groups(members, clusters, start, clusters_of_record, pairs, divisors):
    """List the groups that contain at least as many records of a cluster as its divisor.

    Arguments are those of `list_triple_groups`, with clusters in place of triples. ``pairs`` is
    filled with (cluster, group), once for every multiple of the divisor. Return the number of
    pairs.
    """
    count = 0
    n_inside = np.zeros(clusters.shape[0], np.int64)
    for group in range(members.shape[0]):
        for record in members[group]:
            if record < 0:
                break
            for entry in range(start[record], start[record + 1]):
                cluster = clusters_of_record[entry]
                n_inside[cluster] += 1
                if n_inside[cluster] % divisors[cluster] == 0:
                    if count < pairs.shape[0]:
                        pairs[count, 0], pairs[count, 1] = cluster, group
                    count += 1
        for record in members[group]:
            if record < 0:
                break
            for entry in range(start[record], start[record + 1]):
                n_inside[clusters_of_record[entry]] = 0
    return count
