"""Coordinate ascent of the duals of a linear programme over groups, smoothed by a temperature.

Each known group has a weight exp((duals - cost) / temperature), and the dual of a record is set so
that the weights of its groups add up to one. As the temperature falls, the duals converge to those
of the programme, without jumping from vertex to vertex.
"""

import numpy as np

from shoal._kernels._compile import compiled

MIN_EXPONENT = -30.0  # terms with a lower exponent are negligible


@compiled
def smoothed_maximum(dual_excess, groups, temperature):
    """Return the smoothed maximum over groups: T * log(sum of exp(dual excess / T)).

    T is the temperature.
    """
    greatest_excess = -np.inf
    for group in groups:
        greatest_excess = max(greatest_excess, dual_excess[group])
    total = 0.0
    for group in groups:
        exponent = (dual_excess[group] - greatest_excess) / temperature
        if exponent > MIN_EXPONENT:
            total += np.exp(exponent)
    return greatest_excess + temperature * np.log(total)


@compiled
def ascend(dual_excess, record_dual, limits, start, groups, temperature, overrelaxation):
    """Maximise over each dual in turn; return the greatest change.

    ``dual_excess`` is by how much the duals of each group exceed its cost. The groups of record i
    are ``groups[start[i] : start[i + 1]]``. The duals of records after the last of ``start`` are
    fixed. A step goes ``overrelaxation`` times as far as the optimum of the dual; a value between 1
    and 2 converges sooner. Each dual stays between its least and its greatest value in ``limits``,
    since duals would diverge while few groups are known.
    """
    greatest_change = 0.0
    for i in range(start.shape[0] - 1):
        groups_of_record = groups[start[i] : start[i + 1]]
        step = -smoothed_maximum(dual_excess, groups_of_record, temperature)
        if abs(step) < temperature:
            step *= overrelaxation
        step = min(max(record_dual[i] + step, limits[0, i]), limits[1, i]) - record_dual[i]
        record_dual[i] += step
        greatest_change = max(greatest_change, abs(step))
        for group in groups_of_record:
            dual_excess[group] += step
    return greatest_change


@compiled
def run_sweeps(dual_excess, record_dual, limits, start, groups, temperature, n_sweeps):
    """Make ``n_sweeps`` passes over all duals; return the greatest change of the last pass."""
    for _ in range(n_sweeps - 1):
        ascend(dual_excess, record_dual, limits, start, groups, temperature, 1.5)
    return ascend(dual_excess, record_dual, limits, start, groups, temperature, 1.0)


@compiled
def count_corners(group, triple):
    """Return how many records of a triple a group contains, and the lowest of them, -1 if none."""
    n_inside, lowest = 0, -1
    for corner in triple:
        for record in group:
            if record == corner:
                n_inside += 1
                lowest = record if lowest < 0 else min(lowest, record)
    return n_inside, lowest


@compiled
def list_triple_groups(members, triples, start, incidence, pairs):
    """List the groups that contain two or three records of a triple; return their number.

    Rows of ``members`` end with -1. ``pairs`` is filled with (triple, group).
    """
    count = 0
    for group in range(members.shape[0]):
        for record in members[group]:
            if record < 0:
                break
            for entry in range(start[record], start[record + 1]):
                triple = incidence[entry]
                n_inside, lowest = count_corners(members[group], triples[triple])
                if n_inside >= 2 and lowest == record:
                    if count < pairs.shape[0]:
                        pairs[count, 0], pairs[count, 1] = triple, group
                    count += 1
    return count


@compiled
def list_cluster_groups(members, clusters, start, incidence, pairs, divisors):
    """List the groups that contain at least as many records of a cluster as its divisor.

    Rows of ``members`` end with -1. ``pairs`` is filled with (cluster, group), once for every
    multiple of the divisor. The result is their number.
    """
    count = 0
    n_inside = np.zeros(clusters.shape[0], np.int64)
    for group in range(members.shape[0]):
        for record in members[group]:
            if record < 0:
                break
            for entry in range(start[record], start[record + 1]):
                cluster = incidence[entry]
                n_inside[cluster] += 1
                if n_inside[cluster] % divisors[cluster] == 0:
                    if count < pairs.shape[0]:
                        pairs[count, 0], pairs[count, 1] = cluster, group
                    count += 1
        for record in members[group]:
            if record < 0:
                break
            for entry in range(start[record], start[record + 1]):
                n_inside[incidence[entry]] = 0
    return count
