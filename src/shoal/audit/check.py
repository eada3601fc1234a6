"""The classes `Check` and `Verification`, and what checks of files and folders share."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, overload

from shoal._text import count
from shoal.errors import ClusterError, MissingDependency, ShoalError
from shoal.frame.roles import name_columns
from shoal.plan.definition.other_columns import unnamed_columns
from shoal.plan.verdict import Verdict

if TYPE_CHECKING:
    from shoal.plan import Plan

# Sentences of errors on the outcome of a run, which verification leaves out.
OUTCOME_SENTENCES = (" No data were released. Please report this.", " Nothing was released.")


class Check(NamedTuple):
    """The result of one check; ``passed`` is None if the check could not be made."""

    name: str
    passed: bool | None
    message: str


@dataclass(frozen=True)
class Verification(Sequence[Check]):
    """The checks of a release, in order, and the verdict on it.

    Parameters
    ----------
    checks : tuple of Check
        The checks; iterating and indexing give these.
    verdict : Verdict or None
        Verdict on the release, or None if the release could not be read.
    """

    checks: tuple[Check, ...]
    verdict: Verdict | None = None

    @property
    def passed(self) -> bool:
        """Whether no check failed and the guarantee is kept."""
        kept = self.verdict is None or self.verdict.status != "not kept"
        return kept and all(check.passed is not False for check in self.checks)

    @property
    def failed(self) -> list[str]:
        """The names of the checks that failed."""
        return [check.name for check in self.checks if check.passed is False]

    @overload
    def __getitem__(self, index: int) -> Check: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Check]: ...

    def __getitem__(self, index: int | slice) -> Check | Sequence[Check]:
        return self.checks[index]

    def __len__(self) -> int:
        return len(self.checks)


def run_check(name: str, check: Callable[[], tuple[bool | None, str]]) -> Check:
    """Run one check; a `ShoalError` makes it fail.

    A missing cluster or package says nothing about the release, so its error is raised.
    """
    try:
        return Check(name, *check())
    except (ClusterError, MissingDependency):
        raise
    except ShoalError as error:
        return Check(name, False, message_without_outcome(error))


def message_without_outcome(error: ShoalError) -> str:
    """Return the message of an error without sentences on the outcome of a run."""
    message = str(error)
    for sentence in OUTCOME_SENTENCES:
        message = message.replace(sentence, "")
    return message


def compare_numbers(counted: int, stated: int, unit: str = "") -> tuple[bool, str]:
    """Compare a number, in a ``unit`` if one is given, with the number in the manifest."""
    number = f"{counted:,} {unit}".rstrip()
    if counted == stated:
        return True, f"{number}, as in the manifest"
    return False, f"{number}; the manifest states {stated:,}"


def kept_result(plan: "Plan", *, units_counted: bool) -> tuple[bool | None, str]:
    """Return the result of the check of a k that is kept, undecided if units were not counted."""
    kept = f"k={plan.k} is kept"
    if plan.unit_column is None:
        return True, f"{kept}, counted on the released values"
    if units_counted:
        return True, f"{kept}, counted on the released values in units of {plan.unit_column!r}"
    return None, (
        f"not checked in units of {plan.unit_column!r}, because their column was dropped; in"
        f" records, {kept}"
    )


def with_units_counted(
    checks: Sequence[Check], plan: "Plan", verdict: Verdict | None
) -> list[Check]:
    """Return the checks, with the guarantee checked in units if the verdict counts units."""
    if verdict is None or plan.k is None or verdict.unit != plan.unit_column:
        return list(checks)
    result: tuple[bool | None, str] = kept_result(plan, units_counted=True)
    if verdict.status == "not kept":
        result = False, " ".join(finding.sentence for finding in verdict.of("breaks"))
    return [
        Check(check.name, *result) if check.name == "guarantee" and check.passed is None else check
        for check in checks
    ]


def check_dropped_columns(plan: "Plan", columns: Sequence[str]) -> tuple[bool, str]:
    """Check that a release has no column that the plan drops or does not name."""
    dropped = plan.dropped
    unnamed = unnamed_columns(plan, columns) if plan.other_columns != "release" else []
    not_to_release = [*(name for name in dropped if name in columns), *unnamed]
    if not_to_release:
        return False, f"{name_columns(not_to_release)} should not have been released"
    if not dropped:
        return True, "the plan drops no column"
    verb = "is" if len(dropped) == 1 else "are"
    return True, f"{count(len(dropped), 'dropped column')} {verb} absent from the release"
