"""Coordinate ascent of the duals of the master problem, smoothed by a temperature T.

The dual of the master problem maximises the sum of the duals of all records; its constraints are
that the *dual excess* of no group is positive: the sum of the duals of its records minus its cost.
Here a penalty takes the place of the constraints:

    maximise  sum of duals - T * sum over known groups of exp(dual excess / T).

The maximum over the dual of one record is where the weights exp(dual excess / T) of its groups add
up to 1, as the weights of a fractional partition do. As T falls, the duals converge to the optimal
duals of the master problem, without jumping from vertex to vertex as in the simplex method.
"""

import numpy as np

from shoal._kernels._compile import compiled

MIN_EXPONENT = -30.0  # terms with a lower exponent are negligible


@compiled
def smoothed_maximum(dual_excess, groups, temperature):
    """Return the smoothed maximum of the dual excess: T * log(sum of exp(dual excess / T)).

    T is the temperature, and the sum is over ``groups``, the groups of one record. If its dual
    falls by the result, the weights of these groups add up to 1.
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

    ``dual_excess`` is by how much the duals of each group exceed its cost. The groups of a record
    are ``groups[start[record] : start[record + 1]]``. The duals of records after the last of
    ``start`` are fixed. A step goes ``overrelaxation`` times as far as the optimum of the dual; a
    value between 1 and 2 converges sooner. Each dual stays between its least and its greatest value
    in ``limits``, since duals would diverge while few groups are known.
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
