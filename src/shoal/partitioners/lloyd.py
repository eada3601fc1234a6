"""The probability-constrained Lloyd algorithm."""

from typing import Literal

import numpy as np

from shoal import _progress as progress
from shoal._kernels.lloyd import assign_nearest, open_auction, open_cells, run_auction
from shoal._kernels.mdav import mdav1
from shoal._kernels.spatial.box_tree import BoxTree, build_tree
from shoal._params import K
from shoal.partitioners._base import (
    Facts,
    Labels,
    Matrix,
    Partitioner,
    centroids_and_sse,
    in_order,
)
from shoal.partitioners._second_phase import divide_large
from shoal.partitioners.dba2 import DBA2
from shoal.partitioners.mdav2 import MDAV2
from shoal.partitioners.tfrp import TFRP

STRIDE = 1000  # records or bids between two reports of progress: a fraction of a second
STEP_SHARE = 1 / 16  # minimum increase of a subsidy, as a share of the mean squared distance
# The step of an auction becomes STEP_FACTOR times as large after so many bids: a number per cell
# and a constant.
BIDS_PER_CELL, FURTHER_BIDS = 4, 1000
STEP_FACTOR = 8
MIN_GAIN = 1e-4  # share of the SSE that a round must save for another to follow
ROUNDING = 1e-12

STARTS: dict[str, type[Partitioner]] = {"dba2": DBA2, "mdav2": MDAV2, "tfrp": TFRP}


class Lloyd(Partitioner):
    """Group records by the probability-constrained Lloyd algorithm of [RFS11]_.

    Centres move as in Lloyd's algorithm, but a cell with fewer than k records pays a
    subsidy that attracts further records. Centres of two records hardly move, so at k = 2
    little is gained over the initial partition.

    Parameters
    ----------
    k : int
        Minimum number of records in a group.
    start : {"best", "dba2", "mdav2", "tfrp"}, default="best"
        Method that makes the first partition. With ``"best"`` the algorithm runs from
        each of the three methods, and the result with the lowest SSE is kept.

    Attributes
    ----------
    labels_ : ndarray of shape (n_records,)
        Group of each record.
    partition_ : Partition
        The same, with its sizes.

    Notes
    -----
    **Steps**

    1. Every group of a first partition becomes a cell with its centroid as centre.
    2. A record belongs to the cell for which the squared distance to the centre, less
       a subsidy that the cell pays, is smallest; subsidies are raised until every cell
       has at least k records.
    3. The centres move to the centroids of their cells.
    4. Steps 2 and 3 are repeated while the SSE falls by a ten-thousandth.

    **Guarantee.** All groups have k to 2k - 1 records. The loss is never above that
    of the first partition.

    **Cost.** Time grows as n²/k at worst for each of the few rounds, and far less
    on tables of few or related columns. Memory grows as n k. Ties, which are equal
    float64 distances, go to the record that comes first, and between cells to the
    one whose first record comes first.

    **Interpretation.** The subsidies, in the paper additive costs of cells, result from
    an auction, where the paper uses a Levenberg-Marquardt search: only cells that lack
    records raise their subsidy, so cells may have more than k records. :class:`MDAV1`
    divides the cells of 2k records or more before the centres move. The first partition
    is not drawn at random, so the result depends only on the table.

    References
    ----------
    .. [RFS11] Rebollo-Monedero, D., Forné, J. and Soriano, M. (2011). An algorithm
       for k-anonymous microaggregation and clustering inspired by the design of
       distortion-optimized quantizers. Data & Knowledge Engineering 70(10),
       892-921.

    Examples
    --------
    >>> Lloyd(k=2).fit_predict([[0], [9], [1], [8], [2]])
    array([0, 1, 0, 1, 0])
    """

    facts = Facts(groups="variable", cost="n²", paper="RFS11")

    def __init__(self, k: K, start: Literal["best", "dba2", "mdav2", "tfrp"] = "best"):
        self.k = k
        self.start = start

    def _split(self, X: Matrix) -> Labels:
        tree = build_tree(X)
        names = list(STARTS) if self.start == "best" else [self.start]
        runs = [_move_centres(X, tree, STARTS[name](k=self.k)._split(X), self.k) for name in names]
        best, best_sse = runs[0]
        for labels, sse in runs[1:]:
            if sse < best_sse * (1 - ROUNDING):
                best, best_sse = labels, sse
        return best


def _move_centres(X: Matrix, tree: BoxTree, labels: Labels, k: int) -> tuple[Labels, float]:
    """Fill cells and move centres while the SSE falls; return the groups and their SSE."""
    labels = in_order(labels)
    centres, sse = centroids_and_sse(X, labels)
    is_falling = True
    while is_falling and sse > 0:
        new_labels = _fill_cells(X, tree, centres, k, _first_step(sse / len(X)))
        divide_large(X, new_labels, k, mdav1)
        new_labels = in_order(new_labels)
        new_centres, new_sse = centroids_and_sse(X, new_labels)
        is_falling = new_sse < sse * (1 - MIN_GAIN)
        if new_sse < sse * (1 - ROUNDING):
            labels, centres, sse = new_labels, new_centres, new_sse
    return labels, sse


def _first_step(distance: float) -> float:
    """Return the step of an auction: a power of two, so that sums with it are exact."""
    step = 2.0 ** np.floor(np.log2(STEP_SHARE * distance * (1 + ROUNDING)))
    return max(float(step), float(np.finfo(float).tiny))


def _fill_cells(X: Matrix, tree: BoxTree, centres: Matrix, k: int, step: float) -> Labels:
    """Return cells of at least k records around ``centres``, at nearly minimal distances.

    If many cells compete for a few records, small steps take long; larger steps end the auction
    sooner, slightly farther from the optimum.
    """
    n, n_cells = len(X), len(centres)
    while True:
        cells, centre_tree = open_cells(tree, centres)
        for start in range(0, n, STRIDE):
            assign_nearest(X, cells, centre_tree, start, min(start + STRIDE, n))
            progress.report("moving centres", min(start + STRIDE, n), n)
        open_auction(cells, k)
        n_bids_left = BIDS_PER_CELL * n_cells + FURTHER_BIDS
        while n_bids_left > 0:
            if not run_auction(X, cells, k, step, min(STRIDE, n_bids_left)):
                return cells.labels
            progress.report("filling cells", int((cells.sizes >= k).sum()), n_cells)
            n_bids_left -= STRIDE
        step *= STEP_FACTOR
