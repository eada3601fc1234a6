"""Restarts: further searches in the remaining time of a proof, with different seeds."""

from contextvars import copy_context

from shoal import _progress as progress
from shoal.partitioners._budget import OutOfTime
from shoal.partitioners._column_generation.column_pool import (
    divide_large_groups,
    improve_from_pool,
    store_partition,
)
from shoal.partitioners._column_generation.integrality_gap import close_gap, is_closed
from shoal.partitioners._column_generation.proof import Proof
from shoal.partitioners._local_search.search import SearchResult, search
from shoal.partitioners.mdav import MDAV

MIN_ROUNDS, MAX_ROUNDS = 10, 500  # rounds per record of the shortest and of the longest searches
FIRST_SEARCH = 5  # rounds per record and k squared: proofs are harder if groups are larger
# Rounds per CPU second, divided by k: an estimate, since a measured speed is not reproducible.
ROUNDS_PER_SECOND = 60_000
SEARCH_SHARE = 0.2  # about the largest share of the budget that one search takes
MAX_RESTARTS = 30  # searches after which a proof ends, even if its gap is not closed


class Restarts:
    """Searches that start from MDAV, not from the best partition, to find other groups.

    Their lengths depend on the table and the budget, not on the speed of the machine, so proofs
    that end before the budget return the same groups everywhere.
    """

    def __init__(self, proof: Proof, seed: int):
        self.proof, self.seed = proof, seed
        self.start_labels = MDAV(k=proof.k).fit_predict(proof.columns.X)

    def affordable_rounds(self, rounds: int) -> int:
        """Return the number of rounds that fit into the budget: ``rounds``, or fewer."""
        max_rounds = SEARCH_SHARE * self.proof.budget.seconds * ROUNDS_PER_SECOND / self.proof.k
        return int(min(rounds, max(max_rounds, MIN_ROUNDS * len(self.start_labels))))

    def _run_search(self, rounds: int) -> SearchResult:
        """Search, and report the progress of the proof, which may interrupt the search."""
        proof, outer_context = self.proof, copy_context()

        def report(*_: object) -> None:
            try:
                outer_context.run(proof.report_progress)
            except OutOfTime:  # a search that is interrupted returns its best groups
                raise KeyboardInterrupt from None

        with progress.reporting_to(report):
            return search(
                proof.columns.X, self.start_labels, proof.k, seed=self.seed, rounds=rounds
            )

    def search(self, rounds_per_record: int) -> None:
        """Search, and add the groups that were found to the proof."""
        proof = self.proof
        rounds = self.affordable_rounds(rounds_per_record * len(self.start_labels))
        self.seed += 1
        result = self._run_search(rounds)
        store_partition(proof, divide_large_groups(proof.columns.X, result.labels, proof.k))
        if not result.complete:  # a search does not raise what interrupted it
            raise OutOfTime if proof.seconds_left <= 0 else KeyboardInterrupt

    def search_first(self) -> None:
        """Search once, before the linear programme."""
        self.search(min(FIRST_SEARCH * self.proof.k**2, MAX_ROUNDS))

    def search_until_closed(self) -> None:
        """Search and select groups until the time is used up or the gap is closed."""
        for _ in range(MAX_RESTARTS):
            if is_closed(self.proof):
                return
            previous_sse = self.proof.sse
            self.search(MAX_ROUNDS)
            improve_from_pool(self.proof)
            if self.proof.sse < previous_sse:
                close_gap(self.proof)
