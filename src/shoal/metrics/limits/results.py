"""A limit on one figure, and the results of checking limits."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isclose
from typing import Any, Literal, overload

from shoal.metrics import MEASURE_INFO
from shoal.metrics.limits.figure_names import (
    FUNCTION_OF_COMMAND,
    WORST_GROUP_SUFFIX,
    HasFigures,
    base_name,
    command_by_figure,
    is_figure_of,
    is_finite_number,
)

TOLERANCE = 1e-9  # a figure that exceeds a limit by a smaller share equals it up to rounding


@dataclass(frozen=True)
class Limit:
    """A maximum or minimum of a figure.

    Parameters
    ----------
    direction : str
        ``"max"`` or ``"min"``.
    figure : str
        Name of the figure; the name of a column or part follows a colon.
    value : float
        The maximum or minimum that is allowed.
    """

    direction: Literal["max", "min"]
    figure: str
    value: float

    @property
    def name(self) -> str:
        """The name of the limit, such as ``"max_linkage"``."""
        return f"{self.direction}_{self.figure}"

    @property
    def command(self) -> str:
        """The command that computes the figure, such as ``"attack"``."""
        return command_by_figure()[base_name(self.figure)]

    @property
    def kind(self) -> str:
        """``"utility"`` if the figure measures what analysts lose, otherwise ``"risk"``."""
        measure = base_name(self.figure).removesuffix(WORST_GROUP_SUFFIX)
        if measure in MEASURE_INFO:
            return MEASURE_INFO[measure].kind
        return "utility" if self.command == "utility" else "risk"

    def check(self, results: Sequence[HasFigures]) -> "LimitResult":
        """Compare the worst figure of this name with the limit, which fails if there is none."""
        figures = {
            name: value
            for result in results
            for name, value in result.figures().items()
            if is_figure_of(name, self.figure)
        }
        if not figures:
            return LimitResult(self, reason=self._reason_not_computed(results))
        unusable = [name for name, value in figures.items() if not is_finite_number(value)]
        if unusable:
            return LimitResult(self, unusable[0], reason="The figure is not a finite number.")
        worst = (max if self.direction == "max" else min)(figures, key=figures.__getitem__)
        return LimitResult(self, worst, figures[worst])

    def _reason_not_computed(self, results: Sequence[HasFigures]) -> str:
        """Return why no result has the figure."""
        figure_name = base_name(self.figure)
        for result in results:
            for name, reason in result.reasons().items():
                if is_figure_of(self.figure, name) or name == figure_name:
                    return reason
            if any(is_figure_of(name, figure_name) for name in result.figures()):
                return "There is no such column or part."
        return f"Not computed: this is a figure of {FUNCTION_OF_COMMAND[self.command]}."


@dataclass(frozen=True)
class LimitResult:
    """Whether one limit is met.

    Parameters
    ----------
    limit : Limit
        The limit.
    figure : str
        The figure that was compared. If there are several columns, the worst column.
    value : float or None
        Value of the figure, or None if it could not be computed.
    reason : str
        Why the figure could not be computed, or an empty string if it was.
    """

    limit: Limit
    figure: str = ""
    value: float | None = None
    reason: str = ""

    @property
    def passed(self) -> bool:
        """Whether the figure was computed and is within the limit."""
        if self.value is None:
            return False
        allowed = self.limit.value
        if isclose(self.value, allowed, rel_tol=TOLERANCE):
            return True
        return self.value < allowed if self.limit.direction == "max" else self.value > allowed

    @property
    def excess(self) -> float:
        """How far the figure is beyond the limit, as a multiple of the limit; 0 if it is met."""
        if self.passed:
            return 0.0
        if self.value is None:
            return float("inf")
        return abs(self.value - self.limit.value) / (abs(self.limit.value) or 1.0)

    @property
    def message(self) -> str:
        """The value, with its column if it has one, or the reason why there is none."""
        if self.value is None:
            return self.reason
        _, _, column = self.figure.removeprefix(self.limit.figure).partition(":")
        return f"{self.value:.4g}" + (f" ({column})" if column else "")

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data."""
        return {
            "limit": self.limit.name,
            "bound": self.limit.value,
            "figure": self.figure or self.limit.figure,
            "value": self.value,
            "passed": self.passed,
            "reason": self.reason,
        }

    def __str__(self) -> str:
        outcome = "pass" if self.passed else "FAIL"
        return f"{outcome} {self.limit.name} = {self.limit.value:g}: {self.message}"


@dataclass(frozen=True)
class LimitResults(Sequence[LimitResult]):
    """Whether limits are met, in their order.

    Parameters
    ----------
    results : tuple of LimitResult
        One result per limit, also returned by iteration and indexing.
    """

    results: tuple[LimitResult, ...]

    @property
    def passed(self) -> bool:
        """Whether every limit is met."""
        return not self.failed

    @property
    def failed(self) -> tuple[LimitResult, ...]:
        """The limits that are not met, or whose figure could not be computed."""
        return tuple(result for result in self.results if not result.passed)

    def to_list(self) -> list[dict[str, Any]]:
        """Return the results as plain data."""
        return [result.to_dict() for result in self.results]

    @overload
    def __getitem__(self, index: int) -> LimitResult: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[LimitResult]: ...

    def __getitem__(self, index: int | slice) -> LimitResult | Sequence[LimitResult]:
        return self.results[index]

    def __len__(self) -> int:
        return len(self.results)

    def __str__(self) -> str:
        return "\n".join(map(str, self.results))
