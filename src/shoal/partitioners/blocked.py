"""Group a long table block by block, by any method."""

from collections.abc import Callable
from typing import Annotated, Literal, Self

import numpy as np
from sklearn.base import clone

from shoal import _progress as progress
from shoal._jobs import effective_n_jobs
from shoal._params import AtLeast, K, NJobs
from shoal.partitioners._base import Facts, Labels, Matrix, Partitioner
from shoal.partitioners._local_search.refine import refine
from shoal.partitioners._record_blocks import Rows, split_into_blocks
from shoal.partitioners.mdav import MDAV

LabelRows = Callable[[Matrix, Rows], Labels]

SHIFTED_SHARE = 1 / 3  # share on one side of the first split of the new blocks: moves all borders


class Blocked(Partitioner):
    """Split a long table into blocks of near records and group each by a method.

    Time grows linearly with the number of records. A group cannot cross the border of its
    block, which raises the loss; refining the groups at the borders lowers it by more.

    Parameters
    ----------
    k : int
        Minimum number of records in a group. It has no default: it is the
        guarantee.
    method : Partitioner, optional
        Groups the records of a block, with the same k; :class:`MDAV` if None.
    block_size : int
        Maximum number of records in a block; exceeded only where equal records stay
        together.
    seams : {"refine", "keep"}, default="refine"
        What to do with groups at the borders.
    n_jobs : int, optional
        Number of blocks that are grouped at the same time; one for each core if None or -1.

    Attributes
    ----------
    labels_ : ndarray of shape (n_records,)
        Group of each record.
    partition_ : Partition
        The same, with its sizes.
    n_blocks_ : int
        Number of blocks.
    method_ : Partitioner
        The method, fitted to the first block.

    Notes
    -----
    **Steps**

    1. The records are split at the median across the direction of greatest variance
       until no block has more than ``block_size`` records; equal records stay together.
    2. Blocks are grouped in parallel, each by the method.
    3. With ``seams="refine"`` the groups are divided into new blocks with other borders,
       and refined within these.

    **Guarantee.** No group has fewer than k records. The result does not depend on
    ``n_jobs``.

    **Cost.** Time grows about as n, and so does memory.

    Examples
    --------
    >>> Blocked(k=2, block_size=4).fit_predict([[0], [9], [1], [8]])
    array([0, 1, 0, 1])
    """

    facts = Facts(groups="variable", cost="n", paper="")

    def __init__(
        self,
        k: K,
        method: Partitioner | None = None,
        block_size: Annotated[int, AtLeast(2)] = 5000,
        seams: Literal["refine", "keep"] = "refine",
        n_jobs: NJobs = None,
    ):
        self.k = k
        self.method = method
        self.block_size = block_size
        self.seams = seams
        self.n_jobs = n_jobs

    def with_budget_share(self, share: float) -> Self:
        """Return an unfitted copy whose method has ``share`` of the time budget."""
        return self._copy(method=self.method and self.method.with_budget_share(share))

    def reproducible_copy(self) -> Self:
        """Return an unfitted copy that makes the same groups again, without a time budget."""
        return self._copy(method=self.method and self.method_.reproducible_copy())

    def _split(self, X: Matrix) -> Labels:
        blocks = split_into_blocks(X, int(self.block_size), int(self.k))
        self.n_blocks_ = len(blocks)
        start = MDAV(k=self.k) if self.method is None else self.method
        # The number of rounds that the first block had time for is used for the others too.
        self.method_ = start.with_budget_share(len(blocks[0]) / len(X)).fit(X[blocks[0]])
        method = self.method_.reproducible_copy()

        def label_block(X: Matrix, rows: Rows) -> Labels:
            return self.method_.labels_ if rows is blocks[0] else clone(method).fit_predict(X[rows])

        labels = self._label_in_parallel("grouping blocks", label_block, X, blocks)
        if self.seams == "keep" or len(blocks) == 1:
            return labels
        return self._refine_borders(X, labels)

    def _refine_borders(self, X: Matrix, labels: Labels) -> Labels:
        """Refine the groups in blocks of whole groups, with other borders than before."""
        sizes = np.bincount(labels)
        centroids = np.column_stack([np.bincount(labels, column) / sizes for column in X.T])
        max_groups = max(1, int(self.block_size) * len(sizes) // len(X))
        block_of_group = np.full(len(sizes), -1)
        group_blocks = split_into_blocks(centroids, max_groups, 1, SHIFTED_SHARE)
        for number, groups in enumerate(group_blocks):
            block_of_group[groups] = number
        block = block_of_group[labels]
        blocks = np.split(np.argsort(block, kind="stable"), np.cumsum(np.bincount(block))[:-1])

        def refine_block(X: Matrix, rows: Rows) -> Labels:
            start_labels = np.unique(labels[rows], return_inverse=True)[1]
            return refine(X[rows], start_labels, int(self.k))

        return self._label_in_parallel("refining borders", refine_block, X, blocks)

    def _label_in_parallel(
        self, stage: str, label_rows: LabelRows, X: Matrix, blocks: list[Rows]
    ) -> Labels:
        """Label the rows of each block by ``label_rows``; labels of different blocks differ."""
        from joblib import Parallel, delayed

        labels = np.full(len(X), -1)
        offset, n_done = 0, 0
        results = Parallel(effective_n_jobs(self.n_jobs), prefer="threads", return_as="generator")(
            delayed(label_rows)(X, rows) for rows in blocks
        )
        for rows, block_labels in zip(blocks, results, strict=True):
            labels[rows] = block_labels + offset
            offset += int(block_labels.max()) + 1
            n_done += len(rows)
            progress.report(stage, n_done, len(X))
        return labels
