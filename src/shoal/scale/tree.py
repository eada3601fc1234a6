"""Cuts that part the records of a table into blocks of near ones, found on a sample."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
Values = NDArray[np.float64]
Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Tree:
    """Halvings of a space; every record falls into one leaf by its values alone.

    Parameters
    ----------
    directions : ndarray of shape (n_cuts, n_axes)
        The direction that each cut is across.
    places : ndarray of shape (n_cuts,)
        Records whose place along it is less fall to the left.
    below : ndarray of shape (n_cuts, 2)
        The next cut on the left and on the right; a leaf with number i is ``-1 - i``.
    """

    directions: Matrix
    places: NDArray[np.float64]
    below: Rows

    @property
    def n_leaves(self) -> int:
        """Number of leaves, counted from the left."""
        return len(self.places) + 1

    def leaves(self, Z: Matrix) -> Rows:
        """Return the leaf of each record."""
        found = np.zeros(len(Z), np.int64)
        waiting = [(0, np.arange(len(Z)))] if len(self.places) else []
        while waiting:
            cut, rows = waiting.pop()
            right = along(Z[rows], self.directions[cut]) >= self.places[cut]
            for side, part in enumerate((rows[~right], rows[right])):
                following = int(self.below[cut, side])
                if following < 0:
                    found[part] = -1 - following
                elif len(part):
                    waiting.append((following, part))
        return found


def along(Z: Matrix, direction: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the place of each record in a direction, column by column.

    So the place of a record does not depend on the records beside it.
    """
    place = np.zeros(len(Z))
    for column, weight in zip(Z.T, direction, strict=True):
        place += column * weight
    return place


def grow(Z: Matrix, most: float, weights: Values | None = None) -> Tree:
    """Return cuts that part a sample into leaves that stand for at most ``most`` records.

    Parameters
    ----------
    Z : ndarray of shape (n_sampled, n_axes)
        The sample, in an order that depends on its values alone.
    most : float
        Records in a leaf; more only where all of them are equal.
    weights : ndarray of shape (n_sampled,), optional
        How many records each of the sample stands for; one by itself.

    Returns
    -------
    Tree
        The cuts, each across the widest direction at the median.
    """
    directions: list[NDArray[np.float64]] = []
    places: list[float] = []
    below: list[list[int]] = []
    leaf = 0
    weights = np.ones(len(Z)) if weights is None else weights
    waiting = [(np.arange(len(Z)), -1, 0)]
    while waiting:
        rows, parent, side = waiting.pop()
        found = _halved(Z[rows], weights[rows]) if weights[rows].sum() > most else None
        if found is None:
            number, leaf = -1 - leaf, leaf + 1
        else:
            number = len(places)
            directions.append(found[0])
            places.append(found[1])
            below.append([0, 0])
            right = along(Z[rows], found[0]) >= found[1]
            waiting += [(rows[right], number, 1), (rows[~right], number, 0)]
        if parent >= 0:
            below[parent][side] = number
    shape = (len(places), Z.shape[1])
    return Tree(
        np.array(directions).reshape(shape),
        np.array(places),
        np.array(below, np.int64).reshape(-1, 2),
    )


def _halved(Z: Matrix, weights: Values) -> tuple[Values, float] | None:
    """Return a direction and the place to cut at, or None if all records are equal."""
    for direction in _directions(Z, weights):
        at = _median(along(Z, direction), weights)
        if at is not None:
            return direction, at
    return None


def _median(places: Values, weights: Values) -> float | None:
    """Return the place with nearly half of the weight below it that parts no equal ones, if any."""
    order = np.argsort(places, kind="stable")
    places, below = places[order], np.cumsum(weights[order])
    last = np.flatnonzero(np.diff(places) > 0)  # a cut after one of these parts none
    if not len(last):
        return None
    return float(places[1 + last[np.abs(below[last] - below[-1] / 2).argmin()]])


def _directions(Z: Matrix, weights: Values) -> list[Values]:
    """Return the principal directions, the widest first, by sums that no thread reorders."""
    share = weights / weights.sum()
    centred = [column - float((column * share).sum()) for column in Z.T]
    spread = np.array([[float((a * b * share).sum()) for b in centred] for a in centred])
    return list(np.linalg.eigh(spread)[1].T[::-1])
