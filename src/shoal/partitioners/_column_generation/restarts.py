"""Restarts: further searches in the remaining time of a proof, with different seeds."""

from contextvars import copy_context

from shoal import _progress as progress
from shoal.partitioners._column_generation.column_pool import (
    divide_large_groups,
    improve_from_pool,
    record_partition,
)
from shoal.partitioners._column_generation.integrality_gap import close_gap, is_closed
from shoal.partitioners._column_generation.proof import Proof
from shoal.partitioners.mdav import MDAV
from shoal.partitioners.search import SearchResult, search

# Rounds per record: of the first search, which measures the speed, and of the longest ones.
MIN_ROUNDS, MAX_ROUNDS = 10, 500
SECOND_SEARCH = 5  # rounds per record and k squared: proofs are harder where groups are larger
SHARE = 0.2  # of the remaining time: the most that one search takes
MAX_RESTARTS = 30


class Restarts:
    """Searches that start from MDAV, not from the best partition, to reach other groups.

    Their lengths depend on the speed of the machine only if time is short, so that proofs that end
    long before the budget return the same groups everywhere.
    """

    def __init__(self, proof: Proof, seed: int):
        self.proof, self.seed = proof, seed
        self.speed = 0.0  # rounds per second; 0 before the first search
        self.start = MDAV(k=proof.k).fit_predict(proof.columns.X)

    def limit(self, rounds: int) -> int:
        """Return the number of rounds that the time allows: ``rounds``, fewer, or 0."""
        least = MIN_ROUNDS * len(self.start)
        if self.speed == 0:
            return rounds
        if self.speed * self.proof.seconds_left < least:
            return 0
        return min(max(int(self.speed * SHARE * self.proof.seconds_left), least), rounds)

    def _run_search(self, rounds: int) -> SearchResult:
        """Search; report the progress of the proof, which may interrupt the search."""
        proof, outside = self.proof, copy_context()
        with progress.reporting_to(lambda *_: outside.run(proof.check_interrupt)):
            return search(proof.columns.X, self.start, proof.k, seed=self.seed, rounds=rounds)

    def search(self, rounds_per_record: int) -> bool:
        """Search and keep the groups; return whether there was time."""
        proof, rounds = self.proof, self.limit(rounds_per_record * len(self.start))
        if rounds == 0:
            return False
        self.seed += 1
        began = proof.budget.spent
        result = self._run_search(rounds)
        self.speed = rounds / max(proof.budget.spent - began, 1e-3)
        record_partition(proof, divide_large_groups(proof.columns.X, result.labels, proof.k))
        if not result.complete:  # a search does not raise KeyboardInterrupt
            raise KeyboardInterrupt
        return True

    def begin(self) -> None:
        """Search once, after a short search that measures the speed."""
        self.search(MIN_ROUNDS)
        self.search(min(SECOND_SEARCH * self.proof.k**2, MAX_ROUNDS))

    def search_until_closed(self) -> None:
        """Search and select groups until the time is used up or the gap is closed."""
        for _ in range(MAX_RESTARTS):
            before = self.proof.sse
            if is_closed(self.proof) or not self.search(MAX_ROUNDS):
                return
            improve_from_pool(self.proof)
            if self.proof.sse < before:
                close_gap(self.proof)
