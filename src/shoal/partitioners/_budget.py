"""Time budgets of proofs."""

from collections.abc import Callable

OnProgress = Callable[[], None]  # called regularly by the work, which it may end by raising


class OutOfTime(Exception):
    """The time budget is used up."""


class Budget:
    """A time budget in seconds, measured by a given clock."""

    def __init__(self, seconds: float, clock: Callable[[], float]):
        self.seconds, self.clock, self.start_time = seconds, clock, clock()

    @property
    def seconds_spent(self) -> float:
        """Seconds since the budget was opened."""
        return self.clock() - self.start_time
