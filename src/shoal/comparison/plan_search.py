"""The function `advise`: search for the plan of least loss whose release meets limits."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shoal._params import check_at_least, hint
from shoal._progress import shows_progress
from shoal.comparison.advice import LOSS, Advice, AdvisedTrial
from shoal.comparison.parallel import run_parallel
from shoal.comparison.plan_families import STEPS_TO_TRY, PlanFamily, plan_families
from shoal.errors import InputError, ParameterError, ShoalError, ShoalWarning
from shoal.frame import tables
from shoal.frame.roles import as_list
from shoal.frame.tables import IntoDataFrame
from shoal.metrics.limits import LimitResult, LimitResults, Limits
from shoal.plan import Plan
from shoal.plan.findings.limits import limits_of
from shoal.plan.release import Release


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
    """Search for the plan with the lowest information loss whose release meets limits.

    Nothing is released. Values of k are tried on a coarse scale, then between the largest that
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
        Maximum number of plans to try.
    random_state : int
        Seed of methods that draw.
    n_jobs : int or None
        Number of parallel runs; None and -1 mean all cores. The advice does not depend on it.
    **options
        Further parameters of the plans, as in `shoal.compare`: ``types``, ``missing_codes``,
        ``unit``, ``household`` and other parameters of the step or the method.

    Returns
    -------
    Advice
        ``plan`` is the plan to run, with the limits in it, or None if no plan meets them;
        ``binding`` names the limits that bind.

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
    required_limits = Limits.of(limits)
    if not required_limits:
        raise ParameterError(
            "Advice needs at least one limit. Set one, such as max_linkage = 0.1.",
            code="limits-empty",
        )
    return search_plans(
        tables.to_native(table),
        plan_families(
            columns,
            len(table),
            limits=required_limits,
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
    """Return the names of steps to try; refuse a step on which no advice can be given."""
    names = as_list(steps)
    for name in names:
        if name not in STEPS_TO_TRY:
            raise ParameterError(
                f"Advice cannot be given on the step {name!r}.{hint(name, STEPS_TO_TRY)} Choose"
                f" from: {', '.join(STEPS_TO_TRY)}.",
                code="unknown-step",
                given=name,
            )
    return names


def search_plans(
    data: Any,
    families: Sequence[PlanFamily],
    *,
    n_plans: int,
    n_jobs: int | None,
    run: Callable[[Plan, Any], Release] = Plan.run,
) -> Advice:
    """Try plans of several families; ``run`` runs a plan on the table."""
    check_at_least(1, n_plans=n_plans)
    search = _PlanSearch(data, n_plans, n_jobs, run)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)  # issued when a plan is chosen and run
        for family in families:
            search.explore(family)
    if all(trial.error is not None for trial in search.trials):
        raise next(trial.error for trial in search.trials if trial.error is not None)
    return Advice(tuple(search.trials))


@dataclass(eq=False)
class _PlanSearch:
    """The trials so far, and how many plans may still be tried."""

    data: Any
    n_plans: int
    n_jobs: int | None
    run: Callable[[Plan, Any], Release]
    trials: list[AdvisedTrial] = field(default_factory=list)

    def explore(self, family: PlanFamily) -> None:
        """Try first strengths of a family, then lower ones than the smallest that succeeds."""
        self._try_strengths(family, family.strengths_near(self._best_strength(family.step)))
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

    def _best_strength(self, step: str) -> float | None:
        """Return the strength of the best trial so far with a step, or None if there is none."""
        passed_trials = [
            trial for trial in self.trials if trial.plan.steps[0].name == step and trial.passed
        ]
        return min(passed_trials, key=lambda trial: trial.loss).strength if passed_trials else None

    def _n_remaining(self) -> int:
        return self.n_plans - len(self.trials)

    def _try_strengths(self, family: PlanFamily, strengths: Sequence[float]) -> None:
        chosen = list(strengths)[: self._n_remaining()]
        trials = run_parallel(
            lambda strength: self._try_plan(family, strength), chosen, self.n_jobs, "trying plans"
        )
        self.trials += trials

    def _try_plan(self, family: PlanFamily, strength: float) -> AdvisedTrial:
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
