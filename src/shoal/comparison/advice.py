"""The function `advise`: the plan of least loss whose release meets given limits."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from shoal._params import check_at_least, hint
from shoal._progress import shows_progress
from shoal._text import format_percentage
from shoal.comparison.candidates import STEPS_TO_TRY, Family, families
from shoal.comparison.parallel import run_parallel
from shoal.errors import InputError, ParameterError, ShoalError, ShoalWarning
from shoal.frame import tables
from shoal.frame.roles import as_list
from shoal.frame.tables import IntoDataFrame
from shoal.metrics.limit_results import LimitResult, LimitResults
from shoal.metrics.limits import Limits
from shoal.plan import Plan
from shoal.plan.findings.limits import limits_of
from shoal.plan.release import Release

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
        Whether the verdict keeps everything else that the plan guarantees.
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
        """How far the plan is from the limits: not kept, not computed, excess, loss."""
        failed = self.results.failed
        missing = sum(result.value is None for result in failed)
        excess = sum(result.excess for result in failed if result.value is not None)
        return float(self.error is not None or not self.kept), float(missing), excess, self.loss

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
        loss = format_percentage(self.loss)
        return f"{self.family}, {_describe_strength(self)}: information loss {loss}"


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
        """The trial of least loss that meets all limits, or None; of several, the strongest."""
        passed = [trial for trial in self.trials if trial.passed]
        return min(
            passed, key=lambda candidate: (candidate.loss, -candidate.strength), default=None
        )

    @cached_property
    def closest(self) -> AdvisedTrial:
        """The best trial, or else the one that exceeds the limits least."""
        return self.best or min(self.trials, key=lambda trial: trial.distance)

    @property
    def plan(self) -> Plan | None:
        """The plan of least loss that meets all limits; None if none does."""
        return None if self.best is None else self.best.plan

    @property
    def binding(self) -> tuple[LimitResult, ...]:
        """The limits that bind: those that the closest plan does not meet.

        If a plan meets all limits, every plan with less loss fails at least one of the limits that
        bind: those that the plan with the next smaller loss fails and, where another plan of less
        loss meets all of these, those that this plan fails.
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
        """The limits that conflict with those that the closest plan fails.

        A plan that meets the limits that the closest plan fails does not meet these.
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
        heading = f"plans tried: {len(self.trials)}; within the limits: {n_passed}"
        names = " and ".join(result.limit.name for result in self.binding)
        if self.best is not None:
            lines = [heading, f"least loss: {self.best}", str(self.best.results)]
            return "\n".join([*lines, *([f"less loss is ruled out by {names}"] if names else [])])
        lines = [
            heading,
            f"none meets all limits; closest: {self.closest}",
            str(self.closest.results),
        ]
        if self.conflict:
            others = " and ".join(self.conflict)
            return "\n".join([*lines, f"what binds: {names}; plans that meet it fail {others}"])
        return "\n".join([*lines, f"what binds: {names or 'the guarantee of the plan'}"])


@shows_progress
def advise(
    data: IntoDataFrame,
    columns: Sequence[str],
    *,
    limits: Limits | Mapping[str, Any] | str | Path,
    k: int | Sequence[int] | None = None,
    method: str | Sequence[str] | None = None,
    steps: str | Sequence[str] = "microaggregate",
    confidential: Sequence[str] = (),
    identifiers: Sequence[str] = (),
    n_plans: int = 30,
    random_state: int = 0,
    n_jobs: int | None = 1,
    **options: Any,
) -> Advice:
    """Search for the plan of least information loss whose release meets limits.

    Nothing is released. Values of k are tried on a coarse scale, then between the greatest that
    fails and the smallest that succeeds; other methods are tried near the best k so far.

    Parameters
    ----------
    data : pandas, polars or pyarrow table
        The table; it is not modified.
    columns : list of str
        Quasi-identifiers to mask.
    limits : Limits, mapping or path
        What the release must keep; see `shoal.Limits`.
    k : int or list of int, optional
        Values of k to try; by default from 3, or from a limit on the smallest class, to half the
        number of records.
    method : str or list of str, optional
        Methods to try, names in `shoal.METHODS`; by default ``auto``, ``mdav`` and ``vmdav``.
    steps : str or list of str
        Steps to try: ``"microaggregate"``, ``"rank-swap"``, ``"add-noise"``. The last two
        guarantee no k.
    confidential : list of str
        Confidential columns.
    identifiers : list of str
        Columns that identify a person; the plans drop them.
    n_plans : int
        Greatest number of plans to try.
    random_state : int
        Seed of methods that draw.
    n_jobs : int or None
        Number of parallel runs; None and -1 mean all cores. The advice does not depend on it.
    **options
        Further parameters of the plans, as in `shoal.compare`: ``types``, ``missing_codes``,
        ``unit``, ``household`` and others of the step or the method.

    Returns
    -------
    Advice
        ``plan`` is the plan to run, with the limits in it, or None if none meets them; ``binding``
        names the limits that bind.

    Examples
    --------
    >>> from shoal import datasets
    >>> advice = advise(
    ...     datasets.sme(), ["surface", "employees"], limits={"max_linkage": 0.2}, method="mdav"
    ... )
    >>> advice.plan.k, [result.limit.name for result in advice.binding]
    (5, ['max_linkage'])
    """
    table = tables.open_frame(data)
    checked_limits = Limits.of(limits)
    if not checked_limits:
        raise ParameterError(
            "Advice needs at least one limit. Set one, such as max_linkage = 0.1.",
            code="limits-empty",
        )
    return search(
        tables.to_native(table),
        families(
            columns,
            len(table),
            limits=checked_limits,
            k=k,
            method=method,
            steps=check_steps(steps),
            confidential=as_list(confidential),
            identifiers=as_list(identifiers),
            random_state=random_state,
            **options,
        ),
        n_plans=n_plans,
        n_jobs=n_jobs,
    )


def check_steps(steps: str | Sequence[str]) -> list[str]:
    """Return the names of steps to try; refuse others."""
    names = as_list(steps)
    for name in names:
        if name not in STEPS_TO_TRY:
            raise ParameterError(
                f"The step {name!r} cannot be advised.{hint(name, STEPS_TO_TRY)} Choose among:"
                f" {', '.join(STEPS_TO_TRY)}.",
                code="unknown-step",
                given=name,
            )
    return names


def search(
    data: Any,
    candidates: Sequence[Family],
    *,
    n_plans: int,
    n_jobs: int | None,
    run: Callable[[Plan, Any], Release] = Plan.run,
) -> Advice:
    """Try plans of several families; ``run`` runs a plan on the table."""
    check_at_least(1, n_plans=n_plans)
    search_state = _Search(data, n_plans, n_jobs, run)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)  # issued when a plan is chosen and run
        for family in candidates:
            search_state.explore(family)
    if all(trial.error is not None for trial in search_state.trials):
        raise next(trial.error for trial in search_state.trials if trial.error is not None)
    return Advice(tuple(search_state.trials))


@dataclass(eq=False)
class _Search:
    """The trials so far, and how many plans may still be tried."""

    data: Any
    n_plans: int
    n_jobs: int | None
    run: Callable[[Plan, Any], Release]
    trials: list[AdvisedTrial] = field(default_factory=list)

    def explore(self, family: Family) -> None:
        """Try the scale of a family, then the values before the smallest that succeeds."""
        scale = family.first_strengths(self._best_strength(family.kind))
        self._try_strengths(family, scale)
        trials_by_strength = {
            trial.strength: trial for trial in self.trials if trial.family == family.name
        }
        passing = [strength for strength, trial in trials_by_strength.items() if trial.passed]
        if not passing:
            return
        high = min(passing)
        low = max(
            (value for value in trials_by_strength if value < high), default=family.lower_limit
        )
        while (middle := family.between(low, high)) is not None and self._n_remaining():
            self._try_strengths(family, [middle])
            if self.trials[-1].passed:
                high = middle
            else:
                low = middle

    def _best_strength(self, kind: str) -> float | None:
        """Return the strength of the best trial so far of a kind of step; None without any."""
        passed_trials = [
            trial for trial in self.trials if trial.plan.steps[0].name == kind and trial.passed
        ]
        return min(passed_trials, key=lambda trial: trial.loss).strength if passed_trials else None

    def _n_remaining(self) -> int:
        return self.n_plans - len(self.trials)

    def _try_strengths(self, family: Family, strengths: Sequence[float]) -> None:
        chosen = list(strengths)[: self._n_remaining()]
        trials = run_parallel(
            lambda strength: self._try_plan(family, strength), chosen, self.n_jobs, "trying plans"
        )
        self.trials += trials

    def _try_plan(self, family: Family, strength: float) -> AdvisedTrial:
        plan = family.make_plan(strength)
        try:
            release = self.run(plan, self.data)
            if LOSS not in release.measures:
                raise InputError(
                    "Advice needs a masked column whose information loss can be measured.",
                    code="comparison-without-numbers",
                )
        except ShoalError as error:
            return AdvisedTrial(family.name, strength, plan, error=error)
        entries = zip(plan.limits, limits_of(release.verdict), strict=True)
        results = [
            LimitResult(limit, entry["figure"], entry["value"], entry["reason"])
            for limit, entry in entries
        ]
        broken_guarantees = [
            finding for finding in release.verdict.of("breaks") if finding.code != "limit-broken"
        ]
        return AdvisedTrial(
            family.name,
            strength,
            family.without_seeds(release.plan),
            release.measures[LOSS],
            LimitResults(tuple(results)),
            not broken_guarantees,
        )


def _describe_strength(trial: AdvisedTrial) -> str:
    names = {"rank-swap": "percent", "add-noise": "amount"}
    return f"{names.get(trial.family, 'k')} = {trial.strength:g}"
