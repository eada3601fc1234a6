"""The result of `advise`: the plans that were tried, and the one of least loss within limits."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from shoal._text import format_percentage
from shoal.errors import ShoalError
from shoal.metrics.limits import LimitResult, LimitResults
from shoal.plan import Plan

LOSS = "information_loss"


@dataclass(frozen=True, eq=False)
class AdvisedTrial:
    """One plan that was tried, and whether its release meets the limits.

    Parameters
    ----------
    family : str
        The method or step of the plan.
    strength : float
        Its k, or its percentage or amount of noise.
    plan : Plan
        The plan, with the limits.
    loss : float
        Information loss in per cent.
    results : LimitResults
        Whether each limit is met.
    kept : bool
        Whether the release keeps everything else that the plan guarantees.
    error : ShoalError, optional
        Why the plan could not be run.
    """

    family: str
    strength: float
    plan: Plan
    loss: float = float("inf")
    results: LimitResults = LimitResults(())
    kept: bool = False
    error: ShoalError | None = None

    @property
    def passed(self) -> bool:
        """Whether the release may be published and meets all limits."""
        return self.error is None and self.kept and self.results.passed

    @property
    def distance(self) -> tuple[float, ...]:
        """How far the plan is from meeting the limits, to compare plans by.

        A plan that could not be run is farthest. Otherwise a guarantee that is not kept counts
        first, then the number of figures that could not be computed, then the excess over the
        limits, then the loss.
        """
        failed = self.results.failed
        missing = sum(result.value is None for result in failed)
        excess = sum(result.excess for result in failed if result.value is not None)
        return (
            float(self.error is not None),
            float(not self.kept),
            float(missing),
            excess,
            self.loss,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the trial as plain data."""
        return {
            "method": self.family,
            "strength": self.strength,
            LOSS: None if self.error is not None else self.loss,
            "passed": self.passed,
            "limits": self.results.to_list(),
            "error": None if self.error is None else str(self.error),
        }

    def __str__(self) -> str:
        text = f"{self.family}, {_describe_strength(self)}"
        if self.error is not None:
            return f"{text}: could not be run"
        return f"{text}: information loss {format_percentage(self.loss)}"


@dataclass(frozen=True, eq=False)
class Advice:
    """The plans that were tried, and the one to prefer.

    Parameters
    ----------
    trials : tuple of AdvisedTrial
        All trials, in the order in which they were made.
    """

    trials: tuple[AdvisedTrial, ...]

    @cached_property
    def best(self) -> AdvisedTrial | None:
        """The trial of least loss that meets all limits, or None; ties go to the strongest."""
        passed = [trial for trial in self.trials if trial.passed]
        return min(
            passed, key=lambda candidate: (candidate.loss, -candidate.strength), default=None
        )

    @cached_property
    def closest(self) -> AdvisedTrial:
        """The best trial, or else the trial that is closest to meeting the limits."""
        return self.best or min(self.trials, key=lambda trial: trial.distance)

    @property
    def plan(self) -> Plan | None:
        """The plan of least loss that meets all limits, or None if none does."""
        return None if self.best is None else self.best.plan

    @property
    def binding(self) -> tuple[LimitResult, ...]:
        """The limits that bind: those that the closest plan does not meet.

        If a plan meets all limits, the binding limits explain why no tried plan with less loss was
        chosen. They are the limits that the plan with the next lower loss fails; if another plan of
        lower loss meets all of these, the limits that it fails are added, and so on.
        """
        if self.best is None:
            return self.closest.results.failed
        cheaper = [
            trial for trial in self.trials if trial.error is None and trial.loss < self.best.loss
        ]
        binding: dict[str, LimitResult] = {}
        for trial in sorted(cheaper, key=lambda trial: -trial.loss):
            failed = {result.limit.name: result for result in trial.results.failed}
            if not binding.keys() & failed.keys():
                binding |= failed
        return tuple(binding.values())

    @property
    def conflict(self) -> tuple[str, ...]:
        """The limits that conflict with the limits that the closest plan fails.

        They are the limits that a tried plan fails although it meets those that the closest plan
        fails; if there are several such plans, the plan that fails the fewest limits counts.
        """
        if self.best is not None:
            return ()
        failed_limits = {result.limit.name for result in self.closest.results.failed}
        failed = [
            {result.limit.name for result in trial.results.failed}
            for trial in self.trials
            if trial.kept
        ]
        others = [sorted(names) for names in failed if names and not names & failed_limits]
        others.sort(key=len)
        return tuple(others[0]) if others else ()

    def to_dict(self) -> dict[str, Any]:
        """Return the advice as plain data."""
        return {
            "best": None if self.best is None else self.best.to_dict(),
            "closest": self.closest.to_dict(),
            "binding": [result.to_dict() for result in self.binding],
            "conflict": list(self.conflict),
            "trials": [trial.to_dict() for trial in self.trials],
        }

    def __str__(self) -> str:
        n_passed = sum(trial.passed for trial in self.trials)
        heading = f"plans tried: {len(self.trials):,}; within the limits: {n_passed:,}"
        names = " and ".join(result.limit.name for result in self.binding)
        if self.best is not None:
            lines = [heading, f"least loss: {self.best}", str(self.best.results)]
            return "\n".join([*lines, *([f"less loss is ruled out by {names}"] if names else [])])
        lines = [
            heading,
            f"no plan meets all limits; the closest: {self.closest}",
            str(self.closest.results),
        ]
        binding = f"binding: {names or 'the guarantee of the plan'}"
        if self.conflict:
            met = "this limit" if len(self.binding) == 1 else "these limits"
            binding += f"; plans that meet {met} fail {' and '.join(self.conflict)}"
        return "\n".join([*lines, binding])


def _describe_strength(trial: AdvisedTrial) -> str:
    names = {"rank-swap": "percent", "add-noise": "amount"}
    return f"{names.get(trial.family, 'k')} = {trial.strength:g}"
