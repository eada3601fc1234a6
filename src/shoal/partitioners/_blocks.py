"""Records cut into blocks of near ones, of a size that a method takes in its stride."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from shoal.partitioners._base import Matrix

Rows = NDArray[np.int64]


def blocks(X: Matrix, size: int, least: int, first: float = 0.5) -> list[Rows]:
    """Cut the rows of ``X`` into blocks of about ``size`` by halving across the widest direction.

    Records with the same values stay together, so the blocks do not depend on the
    order of the rows.

    Parameters
    ----------
    X : ndarray of shape (n_records, n_columns)
        Records in comparable units.
    size : int
        Blocks of up to so many records are not cut.
    least : int
        No block is smaller.
    first : float
        Share of the records on one side of the first cut; another share moves all
        borders.

    Returns
    -------
    list of ndarray
        The rows of each block, in ascending order.

    Examples
    --------
    >>> blocks(np.array([[0.0], [9.0], [1.0], [8.0]]), size=2, least=1)
    [array([0, 2]), array([1, 3])]
    """
    waiting, done = [(np.arange(len(X)), first)], []
    while waiting:
        rows, share = waiting.pop()
        halves = _halves(X[rows], share, least) if len(rows) > size else None
        if halves is None:
            done.append(rows)
        else:
            waiting += [(rows[half], 0.5) for half in reversed(halves)]
    return done


def _halves(X: Matrix, share: float, least: int) -> tuple[Rows, Rows] | None:
    """Return the rows on both sides of a cut, or None if every cut would part equal records."""
    for along in _directions(X):
        # Column by column, so that equal records get equal numbers.
        place = sum(column * weight for column, weight in zip(X.T, along, strict=True))
        at = cut_place(np.sort(place), share, least)
        if at is not None:
            return np.flatnonzero(place < at), np.flatnonzero(place >= at)
    return None


def _directions(X: Matrix) -> Iterator[NDArray[np.float64]]:
    """Yield the principal directions, the widest first."""
    centred = X - X.mean(axis=0)
    yield from np.linalg.eigh(centred.T @ centred)[1].T[::-1]


def cut_place(places: NDArray[np.float64], share: float, least: int) -> float | None:
    """Return the value nearest to the wanted share that parts no equal ones, if any."""
    n = len(places)
    wanted = round(share * n)
    starts = np.flatnonzero(np.diff(places) > 0) + 1  # a cut before one of these parts none
    starts = starts[(starts >= least) & (starts <= n - least)]
    if not len(starts):
        return None
    return float(places[starts[np.abs(starts - wanted).argmin()]])
