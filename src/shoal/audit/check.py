"""One thing that was looked at, and how that is told."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, overload

from shoal.errors import ClusterError, MissingDependency, ShoalError
from shoal.frame.roles import name_columns
from shoal.plan.other_columns import unnamed_columns
from shoal.plan.verdict import Verdict

if TYPE_CHECKING:
    from shoal.plan import Plan

OUT_OF_PLACE = (" Please report this: no data were released.", " Nothing was released.")


class Check(NamedTuple):
    """One thing that was looked at; ``passed`` is None where it could not be."""

    name: str
    passed: bool | None
    message: str


@dataclass(frozen=True)
class Verification(Sequence[Check]):
    """What was looked at, in order, and what may be said about the release.

    Parameters
    ----------
    checks : tuple of Check
        What was looked at; iterating and indexing give these.
    verdict : Verdict or None
        What may be said about the release; None where it could not be read.
    """

    checks: tuple[Check, ...]
    verdict: Verdict | None = None

    @property
    def passed(self) -> bool:
        """Whether no check failed and the promise is kept."""
        kept = self.verdict is None or self.verdict.status != "not kept"
        return kept and all(check.passed is not False for check in self.checks)

    @property
    def failed(self) -> list[str]:
        """The names of the checks that failed."""
        return [check.name for check in self.checks if check.passed is False]

    @overload
    def __getitem__(self, at: int) -> Check: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[Check]: ...

    def __getitem__(self, at: int | slice) -> Check | Sequence[Check]:
        return self.checks[at]

    def __len__(self) -> int:
        return len(self.checks)


def run_check(name: str, look: Callable[[], tuple[bool | None, str]]) -> Check:
    """Look at one thing; an error is a reason to fail, unless nobody could look."""
    try:
        return Check(name, *look())
    except (ClusterError, MissingDependency):
        raise
    except ShoalError as error:
        return Check(name, False, message_without_outcome(error))


def message_without_outcome(error: ShoalError) -> str:
    """Return the words of an error without what is true only of a run."""
    told = str(error)
    for words in OUT_OF_PLACE:
        told = told.replace(words, "")
    return told


def check_dropped_columns(plan: "Plan", columns: Sequence[str]) -> tuple[bool, str]:
    """Say whether no column that the plan drops, or does not name, is among those of a release."""
    dropped = plan.dropped
    others = unnamed_columns(plan, columns) if plan.other_columns != "release" else []
    left = [*(name for name in dropped if name in columns), *others]
    if left:
        return False, f"{name_columns(left)} should not have left"
    if not dropped:
        return True, "the plan drops no column"
    return True, f"none of {len(dropped)} identifiers and households is there"
