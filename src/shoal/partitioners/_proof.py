"""The least SSE of a small table, proven by column generation.

The linear programme of all groups has too many columns to write down, so it
starts with a few. Its dual values are prices of the records; a group that costs
less than its records pay is added, until there is none. Then the programme
bounds every partition from below. Inequalities lift the bound, and what gap is
left is closed by choosing among all groups that a better partition than the
best one known could hold.
"""

import numpy as np

from shoal import progress
from shoal.kernels.distances import nearest_sums, squared_distances
from shoal.kernels.pricing import cheap_groups
from shoal.partitioners._base import Labels, Matrix
from shoal.partitioners._columns import Columns, Group, Relaxation
from shoal.partitioners.mdav import MDAV

TOLERANCE = 1e-9  # of the mean price of a record: the least SSE is so to eight digits
WORK = 2_000_000_000  # candidates looked at before the proof is given up: about a minute
MOST_GROUPS = 50_000  # that are chosen among at the end


class NotProven(Exception):
    """The work did not suffice."""


class Proof:
    """A search for the partition of the least SSE, and the work it has left.

    Distances are scaled so that the mean price of a record is near 1.
    """

    def __init__(self, distance: Matrix, k: int, start: list[Group]):
        self.k, self.work = k, WORK
        columns = Columns(distance, k)
        known = sum(columns.cost(group) for group in start)
        self.distance = distance * (len(distance) / known)
        self.sums = nearest_sums(self.distance, 2 * k - 2)
        self.columns = Columns(self.distance, k)
        for group in start:
            self.columns.add(group)
        for row in np.argsort(distance, axis=1, kind="stable")[:, : 2 * k - 1]:
            for size in range(k, len(row) + 1):
                self.columns.add(tuple(row[:size].tolist()))

    def search(self, relaxed: Relaxation, gap: float, best: bool) -> int:
        """Add the groups that cost less than they pay plus ``gap``; return how many are new."""
        n, new = len(self.distance), 0
        found = np.empty((1 if best else MOST_GROUPS, 2 * self.k - 1), np.int64)
        for first in range(n):
            for size in range(self.k, 2 * self.k):
                count, self.work = cheap_groups(
                    self.distance,
                    self.sums,
                    relaxed.prices,
                    first,
                    size,
                    relaxed.entry + gap,
                    best,
                    found,
                    self.work,
                )
                if count < 0 or new > MOST_GROUPS:
                    raise NotProven
                new += sum(self.columns.add(tuple(row)) for row in found[:count, :size].tolist())
            progress.report("pricing groups", first + 1, n)
        return new

    def bound(self) -> Relaxation:
        """Add groups and inequalities until neither improves the programme."""
        while True:
            relaxed = self.columns.relax()
            if self.search(relaxed, -TOLERANCE, best=True):
                continue
            triples = self.columns.split_triples(relaxed.weights)
            if not triples:
                return relaxed
            self.columns.triples += triples

    def run(self) -> list[Group]:
        """Return the groups of the best partition, or raise `NotProven`."""
        relaxed = self.bound()
        known, groups, _ = self.columns.choose()
        gap = known - relaxed.bound + len(self.distance) * TOLERANCE
        if self.search(relaxed, gap, best=False):
            _, groups, proven = self.columns.choose()
            if not proven:
                raise NotProven
        return groups


def prove(X: Matrix, k: int) -> Labels:
    """Return the partition with the least SSE, or raise `NotProven`."""
    labels = MDAV(k=k).fit_predict(X)
    start = [tuple(np.flatnonzero(labels == g).tolist()) for g in range(labels.max() + 1)]
    distance = squared_distances(X)
    if all(distance[np.ix_(group, group)].max() == 0 for group in start):
        return labels
    best = np.empty(len(X), np.int64)
    for label, group in enumerate(Proof(distance, k, start).run()):
        best[list(group)] = label
    return best
