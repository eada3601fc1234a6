"""Restarts: further searches in the time that a proof has left, each with its own draws."""

from contextvars import copy_context

from shoal import _progress as progress
from shoal.partitioners._column_generation.column_pool import choose, divided, keep
from shoal.partitioners._column_generation.integrality_gap import close, is_closed
from shoal.partitioners._column_generation.proof import Proof
from shoal.partitioners.mdav import MDAV
from shoal.partitioners.search import SearchResult, search

FIRST, MOST = 10, 500  # rounds per record: of the first search, which measures the pace, and of any
SHARE = 0.2  # of the time that is left, for one search
AS_LONG = 2.0  # times what was spent on pricing: the most for a search that may be needless
TRIES = 30


class Restarts:
    """Searches that start from MDAV, so that they come to other groups than those known."""

    def __init__(self, proof: Proof, seed: int):
        self.proof, self.seed = proof, seed
        self.pace = 0.0  # rounds in a second; 0 as long as it is unknown
        self.start = MDAV(k=proof.k).fit_predict(proof.columns.X)

    def rounds(self, seconds: float) -> int:
        """Return for how many rounds there is time, 0 if for too few."""
        least, most = FIRST * len(self.start), MOST * len(self.start)
        if self.pace == 0:
            return least
        if self.pace * self.proof.left < least:
            return 0
        return min(max(int(self.pace * seconds), least), most)

    def _run_search(self, rounds: int) -> SearchResult:
        """Search, reporting the progress of the proof, which may end the search."""
        proof, outside = self.proof, copy_context()
        with progress.reporting_to(lambda *_: outside.run(proof.check_interrupt)):
            return search(proof.columns.X, self.start, proof.k, seed=self.seed, rounds=rounds)

    def search(self, seconds: float) -> bool:
        """Search for so long, and remember the groups; say if there was time."""
        proof, rounds = self.proof, self.rounds(seconds)
        if rounds == 0:
            return False
        self.seed += 1
        began = proof.budget.spent
        result = self._run_search(rounds)
        self.pace = rounds / max(proof.budget.spent - began, 1e-3)
        keep(proof, divided(proof.columns.X, result.labels, proof.k))
        if not result.whole:  # a search does not raise KeyboardInterrupt
            raise KeyboardInterrupt
        return True

    def begin(self) -> None:
        """Search once, after a short search that measures the pace."""
        longest = AS_LONG * self.proof.budget.spent
        self.search(0.0)
        self.search(min(longest, SHARE * self.proof.left))

    def search_until_closed(self) -> None:
        """Search and choose again until the time is spent or the gap is closed."""
        for _ in range(TRIES):
            before = self.proof.known
            if is_closed(self.proof) or not self.search(SHARE * self.proof.left):
                return
            choose(self.proof)
            if self.proof.known < before:
                close(self.proof)
