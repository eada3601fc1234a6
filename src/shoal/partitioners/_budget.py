"""Time budgets of proofs."""

from collections.abc import Callable

OnProgress = Callable[[], None]  # called regularly; may raise to end the work


class OutOfTime(Exception):
    """The time budget is used up."""


class Budget:
    """A time budget in seconds, measured by some clock."""

    def __init__(self, seconds: float, clock: Callable[[], float]):
        self.seconds, self.clock, self.start_time = seconds, clock, clock()

    @property
    def seconds_spent(self) -> float:
        """Seconds since the budget was opened."""
        return self.clock() - self.start_time
