"""One thing that was looked at, and how that is told."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from shoal.errors import ClusterError, MissingDependency, ShoalError
from shoal.frame.roles import listed
from shoal.plan.verdict import Verdict

OUT_OF_PLACE = (" Please report this: no data were released.", " Nothing was released.")


class Check(NamedTuple):
    """One thing that was looked at; ``passed`` is None where it could not be."""

    name: str
    passed: bool | None
    told: str


class Verification(list[Check]):
    """What was looked at, in order, and what may be said about the release.

    Parameters
    ----------
    checks : iterable of Check
        What was looked at.
    verdict : Verdict or None
        The verdict on the released values; None where they cannot be read.
    """

    def __init__(self, checks: Iterable[Check] = (), verdict: Verdict | None = None):
        super().__init__(checks)
        self.verdict = verdict

    @property
    def failed(self) -> list[str]:
        """The names of the checks that failed."""
        return [check.name for check in self if check.passed is False]


def tried(name: str, look: Callable[[], tuple[bool | None, str]]) -> Check:
    """Look at one thing; an error is a reason to fail, unless nobody could look."""
    try:
        return Check(name, *look())
    except (ClusterError, MissingDependency):
        raise
    except ShoalError as error:
        return Check(name, False, said(error))


def said(error: ShoalError) -> str:
    """Return the words of an error without what is true only of a run."""
    told = str(error)
    for words in OUT_OF_PLACE:
        told = told.replace(words, "")
    return told


def gone(dropped: Sequence[str], columns: Collection[str]) -> tuple[bool, str]:
    """Say whether no column that the plan drops is among those of a release."""
    left = [name for name in dropped if name in columns]
    if left:
        return False, f"{listed(left)} should not have left"
    if not dropped:
        return True, "the plan drops no column"
    return True, f"none of {len(dropped)} identifiers and households is there"
