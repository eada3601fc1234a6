"""Estimates of how much of a computation is done, in terms that users know."""

import time
from collections.abc import Callable

DELAY = 0.5  # seconds before progress is shown
EARLIEST = 3.0  # seconds before a remaining time is estimated
# What users see of a release, in order, with the usual share of the time that each part takes.
PARTS = {
    "Reading": 5,
    "Grouping": 45,
    "Improving the groups": 40,
    "Writing": 5,
    "Checking the file": 5,
}
PART_OF = {
    "reading": "Reading",
    "compiling": "Improving the groups",  # the kernel of the local search
    "moving records": "Improving the groups",
    "dissolving groups": "Improving the groups",
    "gathering groups": "Improving the groups",
    "exchanging records": "Improving the groups",
    "repairing groups": "Improving the groups",
    "merging groups": "Improving the groups",
    "second phase": "Improving the groups",
    "searching": "Improving the groups",
    "proving": "Improving the groups",
    "choosing groups": "Improving the groups",
    "linking records": "Improving the groups",
    "writing": "Writing",
    "reading back": "Checking the file",
    "publishing": "Checking the file",
}
# Stages that take as long as the user allows, after others of their part.
LONG = ("searching", "proving")
LONG_AHEAD = "a search follows"  # reported before the stages that such a stage starts from
BEFORE_LONG = 0.5  # share of its part that the stages before it take
# The shares of the parts if such a stage is announced, which then takes most of the time.
PARTS_WITH_LONG = {
    "Reading": 2,
    "Grouping": 3,
    "Improving the groups": 90,
    "Writing": 2,
    "Checking the file": 3,
}
BEFORE_ANNOUNCED = 0.05  # share of its part that the stages before it take then
NOT_A_RELEASE = (  # stages of commands that make no release
    "analyses", "attacks", "comparing", "counting", "hashing", "inspecting the columns",
    "minimal sample uniques", "trying plans",
)  # fmt: skip
# Each is one of several attacks or analyses; "attacks" and "analyses" report how many are done.
ONE_OF_SEVERAL = ("attacks:", "prediction", "propensity score", "regression")
NAMES = {"linking records": "Linking records"}  # for which the name of the part would mislead


class Estimate:
    """How much of a command is done, from the reports of its stages; it never decreases.

    Parameters
    ----------
    clock : callable
        Returns the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self.clock = clock
        self.start = clock()
        self.share = 0.0
        self.stage, self.stage_start, self.within = "", self.start, 0.0
        self.long_ahead, self.words = False, "Grouping"
        self.parts, self.before_long = PARTS, BEFORE_LONG

    def update(self, stage: str, done: int, total: int) -> str:
        """Take a report into account and return what is being done, in words."""
        name, _, result = stage.partition(",")
        if name == LONG_AHEAD:
            self.long_ahead = True
            self.parts, self.before_long = PARTS_WITH_LONG, BEFORE_ANNOUNCED
            return self.words
        self.long_ahead = self.long_ahead and name not in LONG
        within = min(done / total, 1.0) if total > 0 else 0.0
        if name != self.stage:
            self.stage, self.stage_start = name, self.clock()
        self.within = within
        if name in NOT_A_RELEASE:
            self.share = max(self.share, within)
            words = name.capitalize()
        elif name.startswith(ONE_OF_SEVERAL):
            words = name.capitalize()
        else:
            words = PART_OF.get(name, "Grouping")
            parts = self.parts
            earlier_parts = sum(list(parts.values())[: list(parts).index(words)])
            if name in LONG:
                within = self.before_long + (1 - self.before_long) * within
            elif words == PART_OF[LONG[0]]:
                within *= self.before_long
            share = (earlier_parts + parts[words] * within) / sum(parts.values())
            self.share = max(self.share, share)
            words = NAMES.get(name, words)
        self.words = words
        return f"{words}:{result}" if result else words

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return self.clock() - self.start

    def describe_time(self) -> str:
        """Return the elapsed time and, once it can be estimated, what may remain."""
        elapsed = self.elapsed
        text = f"{_minutes(elapsed)} elapsed"
        if self.long_ahead:
            return text  # the elapsed time does not predict a search that has not begun
        if self.stage in LONG:  # which has a pace of its own
            elapsed, share = self.clock() - self.stage_start, self.within
            can_estimate = share > 0.01
        else:
            share = self.share
            can_estimate = share > 0.1
        if elapsed > EARLIEST and can_estimate:
            text += f", about {_minutes(elapsed / share - elapsed)} left"
        return text


def _minutes(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
