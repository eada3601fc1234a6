"""Probability-constrained Lloyd, slow and readable: all distances, lists, exact sums of squares."""

from collections import deque
from fractions import Fraction

import numpy as np

from twins.dba1 import exact_sse
from twins.mdav import mean, squared
from twins.mdav1 import mdav1
from twins.second_phase import divide_large


def by_first_record(labels):
    groups = [[int(i) for i in np.flatnonzero(labels == g)] for g in np.unique(labels)]
    return sorted(groups)


def lloyd(X, k, labels):
    groups = by_first_record(labels)
    sse = sum(exact_sse(X, group) for group in groups)
    while sse > 0:
        centres = [mean(X, group) for group in groups]
        cells = fill(X, centres, k, first_step(sse / 16 / len(X)))
        trial = by_first_record(divide_large(X, cells, k, mdav1))
        trial_sse = sum(exact_sse(X, group) for group in trial)
        falls_enough = trial_sse < sse * (1 - Fraction(1, 10_000))
        if trial_sse < sse:
            groups, sse = trial, trial_sse
        if not falls_enough:
            break
    return groups


def first_step(most):
    step = Fraction(1)
    while step > most:
        step /= 2
    while step * 2 <= most:
        step *= 2
    return float(step)


def fill(X, centres, k, step):
    cells = None
    while cells is None:
        cells = auction(X, centres, k, step, 4 * len(centres) + 1000)
        step *= 8
    return cells


def auction(X, centres, k, step, bids):
    distance = [[squared(x, centre) for centre in centres] for x in X]
    cell_of = [min(range(len(centres)), key=lambda cell: (row[cell], cell)) for row in distance]
    subsidy = [0.0] * len(centres)

    def members(cell):
        return [i for i in range(len(X)) if cell_of[i] == cell]

    queue = deque(cell for cell in range(len(centres)) if len(members(cell)) < k)
    for _ in range(bids):
        if not queue:
            break
        cell = queue.popleft()
        n_lacking = k - len(members(cell))

        def cost(i, cell=cell):
            return distance[i][cell] - (distance[i][cell_of[i]] - subsidy[cell_of[i]])

        outside = [i for i in range(len(X)) if cell_of[i] != cell]
        cheapest = sorted((cost(i), i) for i in outside)
        subsidy[cell] = max(cheapest[n_lacking][0], subsidy[cell]) + step
        for _, i in cheapest[:n_lacking]:
            previous, cell_of[i] = cell_of[i], cell
            if len(members(previous)) < k and previous not in queue:
                queue.append(previous)
    return None if queue else [members(cell) for cell in range(len(centres)) if members(cell)]
