"""Estimates of how much of a computation is done, and phases named in plain words."""

import time
from collections.abc import Callable

DELAY = 0.5  # seconds before progress is shown
MIN_ELAPSED = 3.0  # seconds before a remaining time is estimated
# The phases of a release as users see them, with the share of the time that each usually takes.
PHASES = {
    "Reading": 5,
    "Grouping": 45,
    "Improving the groups": 40,
    "Writing": 5,
    "Checking the file": 5,
}
PHASE_OF_STAGE = {
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
# Stages that take as long as the user allows, after others of their phase.
SEARCH_STAGES = ("searching", "proving")
SEARCH_AHEAD = "a search follows"  # reported before the stages that precede a search
SHARE_BEFORE_SEARCH = 0.5  # share of a phase that the stages before a search take
# The shares of the phases if a search is announced, which then takes most of the time.
PHASES_WITH_SEARCH = {
    "Reading": 2,
    "Grouping": 3,
    "Improving the groups": 90,
    "Writing": 2,
    "Checking the file": 3,
}
SHARE_BEFORE_ANNOUNCED_SEARCH = 0.05  # the same share if the search was announced
STAGES_WITHOUT_RELEASE = (  # stages of commands that make no release
    "analyses", "attacks", "comparing", "counting", "hashing", "inspecting the columns",
    "minimal sample uniques", "trying plans",
)  # fmt: skip
# Stages for one of several attacks or analyses; the stages "attacks" and "analyses" report how many
# are done.
ONE_OF_SEVERAL = ("attacks:", "prediction", "propensity score", "regression")
# Shown instead of the phase, whose name would mislead.
STAGE_NAMES = {"linking records": "Linking records"}


class Estimate:
    """The share of a command that is done, by the reports of its stages; it never decreases.

    Parameters
    ----------
    clock : callable
        Returns the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self.clock = clock
        self.start = clock()
        self.share = 0.0
        self.stage = ""
        self.stage_start = self.start
        self.share_of_stage = 0.0
        self.words = "Grouping"
        self.is_search_ahead = False
        self.phases = PHASES
        self.share_before_search = SHARE_BEFORE_SEARCH

    def update(self, stage: str, done: int, total: int) -> str:
        """Take a report of a stage into account; return what is being done, in words."""
        name, _, result = stage.partition(",")
        if name == SEARCH_AHEAD:
            self.is_search_ahead = True
            self.phases = PHASES_WITH_SEARCH
            self.share_before_search = SHARE_BEFORE_ANNOUNCED_SEARCH
            return self.words
        self.is_search_ahead = self.is_search_ahead and name not in SEARCH_STAGES
        self.share_of_stage = min(done / total, 1.0) if total > 0 else 0.0
        if name != self.stage:
            self.stage, self.stage_start = name, self.clock()
        if name in STAGES_WITHOUT_RELEASE:
            self.share = max(self.share, self.share_of_stage)
            self.words = name.capitalize()
        elif name.startswith(ONE_OF_SEVERAL):
            self.words = name.capitalize()
        else:
            phase = PHASE_OF_STAGE.get(name, "Grouping")
            self.share = max(self.share, self._share_of_release(name, phase))
            self.words = STAGE_NAMES.get(name, phase)
        return f"{self.words}:{result}" if result else self.words

    def _share_of_release(self, stage: str, phase: str) -> float:
        """Return the share of a release that is done, in a stage of a phase."""
        share_of_phase = self.share_of_stage
        if stage in SEARCH_STAGES:
            before = self.share_before_search
            share_of_phase = before + (1 - before) * share_of_phase
        elif phase == PHASE_OF_STAGE[SEARCH_STAGES[0]]:
            share_of_phase *= self.share_before_search
        earlier = sum(list(self.phases.values())[: list(self.phases).index(phase)])
        return (earlier + self.phases[phase] * share_of_phase) / sum(self.phases.values())

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return self.clock() - self.start

    def describe_time(self) -> str:
        """Return the elapsed time and, once it can be estimated, what may remain."""
        elapsed = self.elapsed
        text = f"{_minutes(elapsed)} elapsed"
        if self.is_search_ahead:
            return text  # the elapsed time does not predict a search that has not begun
        if self.stage in SEARCH_STAGES:  # these have a pace of their own
            elapsed, share = self.clock() - self.stage_start, self.share_of_stage
            can_estimate = share > 0.01
        else:
            share = self.share
            can_estimate = share > 0.1
        if elapsed > MIN_ELAPSED and can_estimate:
            text += f", about {_minutes(elapsed / share - elapsed)} left"
        return text


def _minutes(seconds: float) -> str:
    """Return a time as ``minutes:seconds``, or ``hours:minutes:seconds`` from one hour on."""
    minutes, whole_seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{whole_seconds:02}" if hours else f"{minutes}:{whole_seconds:02}"
