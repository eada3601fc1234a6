"""The two living records that lie farthest apart, asked for again and again.

Each record keeps a bound: no living record with a higher number is farther from
it. Records only leave, so a bound once true stays true. The record with the
greatest bound is looked at first; if the partner that attains its bound still
lives, no pair lies farther apart. If not, its bound is lowered: first by the
ball around the centre of the table that holds all the living, which costs
nothing, then by measuring all the living. Few records are measured more than a
few times, so that all pairs together cost about as much as a few passes over
all distances, in memory linear in the number of records.
"""

from typing import NamedTuple

import numpy as np

from shoal.kernels._compile import compiled
from shoal.kernels.growth import centre_distances
from shoal.kernels.pool import measure

SLACK = 1e-9  # rounding errors of a ball's bound are far smaller
SMALLEST = 1e-300  # squares below it lose their digits


class Ends(NamedTuple):
    """What is known about the distances of the living.

    ``bound[i]`` is a squared distance, attained by ``partner[i]`` unless that is
    -1. ``winner`` is a tournament of the bounds: at 1 the record with the
    greatest, at 2 and 3 the winners of both halves, and so on. ``radius`` are the
    distances to the centre and ``outward`` the records by falling radius, the
    first of them that may live at ``outermost``.
    """

    bound: np.ndarray
    partner: np.ndarray
    winner: np.ndarray
    radius: np.ndarray
    outward: np.ndarray
    outermost: np.ndarray


@compiled
def ball(a, b):
    """Return the greatest squared distance of two records with these radii, rounded up."""
    return (a + b) * (a + b) * (1.0 + SLACK) + SMALLEST


@compiled
def play(ends, match):
    """Let the greater bound win; ties go to the lower record, which plays on the left."""
    left, right = ends.winner[2 * match], ends.winner[2 * match + 1]
    ends.winner[match] = right if ends.bound[right] > ends.bound[left] else left


@compiled
def replay(ends, record):
    """Play the matches of a record again after its bound has changed."""
    match = (record + ends.bound.shape[0]) // 2
    while match >= 1:
        play(ends, match)
        match //= 2


@compiled
def open_ends(X):
    """Return what the distances of all records to their mean tell."""
    n = X.shape[0]
    players = 1
    while players < n:
        players *= 2
    radius = np.sqrt(centre_distances(X))
    ends = Ends(
        np.full(players, -1.0),
        np.full(n, -1),
        np.concatenate((np.zeros(players, np.int64), np.arange(players))),
        radius,
        np.argsort(-radius),
        np.zeros(1, np.int64),
    )
    for i in range(n):
        ends.bound[i] = ball(radius[i], radius[ends.outward[0]])
    for match in range(players - 1, 0, -1):
        play(ends, match)
    return ends


@compiled
def look_ahead(pool, ends, record, point):
    """Find the farthest living record with a higher number; ties go to the lowest."""
    measure(pool, point)
    partner, greatest = -1, -1.0
    for i in range(pool.size[0]):
        if pool.distance[i] >= greatest:
            other = pool.records[i]
            if other > record and (pool.distance[i] > greatest or other < partner):
                partner, greatest = other, pool.distance[i]
    ends.partner[record] = partner
    ends.bound[record] = greatest


@compiled
def farthest_pair(pool, ends, X, work):
    """Return the two living records farthest apart and the work left.

    Ties go to the pair whose lower record is lowest, then to the lowest partner.
    If about ``work`` distances do not suffice, the first record is -1: ask again.
    """
    while pool.labels[ends.outward[ends.outermost[0]]] >= 0:
        ends.outermost[0] += 1
    reach = ends.radius[ends.outward[ends.outermost[0]]]

    while work > 0:
        record = ends.winner[1]
        partner = ends.partner[record]
        if pool.labels[record] >= 0:
            ends.bound[record] = -1.0
        elif partner >= 0 and pool.labels[partner] < 0:
            return record, partner, work
        elif ball(ends.radius[record], reach) < ends.bound[record]:
            ends.bound[record] = ball(ends.radius[record], reach)
        else:
            look_ahead(pool, ends, record, X[record])
            work -= pool.size[0]
        replay(ends, record)
    return -1, -1, work
