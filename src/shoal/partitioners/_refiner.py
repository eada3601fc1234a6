"""Base class of refiners, which improve the groups of another method."""

from typing import Self

from sklearn.base import clone

from shoal import _progress as progress
from shoal._progress_estimate import SEARCH_AHEAD
from shoal.errors import ParameterError
from shoal.partitioners._base import Labels, Matrix, Partitioner, sse
from shoal.partitioners._local_search.refine import CutShort
from shoal.partitioners.mdav import MDAV


class Refiner(Partitioner):
    """Base of refiners: the loss never exceeds that of the method they start from.

    A subclass declares ``k`` and ``method`` among its parameters and implements ``_improve``,
    which returns better labels. Ctrl-C ends the work early with the best groups so far, and sets
    ``cut_short_``.
    """

    method: Partitioner | None

    def with_budget_share(self, share: float) -> Self:
        """Return an unfitted copy with ``share`` of the time budget, if there is one."""
        budget = getattr(self, "budget", None)
        return self._copy() if budget is None else self._copy(budget=share * budget)

    def _split(self, X: Matrix) -> Labels:
        if hasattr(self, "budget"):
            progress.report(SEARCH_AHEAD, 0, 0)
        self.cut_short_ = False
        self.method_ = self._start_method().fit(X)
        start_labels = self.method_.labels_
        try:
            improved_labels = self._improve(X, start_labels.copy())
        except CutShort as end:
            improved_labels, self.cut_short_ = end.labels, True
        return improved_labels if sse(X, improved_labels) <= sse(X, start_labels) else start_labels

    def _start_method(self) -> Partitioner:
        """Return the method to start from, with the seed of this refiner if that is set."""
        if self.method is None:
            return MDAV(k=self.k)
        if self.method.k != self.k:
            raise ParameterError(
                f"{type(self).__name__} guarantees k={self.k} and its method k={self.method.k}."
                " Give both the same k.",
                code="different-k",
                k=self.k,
            )
        start: Partitioner = clone(self.method)
        seed = getattr(self, "random_state", None)
        if seed is None or "random_state" not in start.get_params():
            return start
        method_seed = self.method.random_state
        if method_seed is not None and method_seed is not seed and method_seed != seed:
            raise ParameterError(
                f"{type(self).__name__} and its method have different seeds. Give both the same"
                " `random_state`, or leave out the seed of the method.",
                code="different-seeds",
            )
        start.set_params(random_state=seed)
        return start

    def _improve(self, X: Matrix, labels: Labels) -> Labels:
        raise NotImplementedError
