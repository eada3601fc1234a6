"""Many plans on one table: what each loses, what each risks, and which are worth a choice."""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from numbers import Integral, Real
from pathlib import Path
from threading import Event
from typing import Any

from shoal import _params as parameters
from shoal import _progress as progress
from shoal._params import format_argument, hint
from shoal.comparison.cache import Cache, key
from shoal.errors import InputError, ParameterError, ShoalError, ShoalWarning
from shoal.frame import tables
from shoal.frame.describe import digest
from shoal.frame.roles import columns_with
from shoal.frame.tables import Frame
from shoal.metrics import ABOUT, MEASURES
from shoal.metrics.assessment import assess_frames
from shoal.partitioners import METHODS, partitioner
from shoal.plan import Plan
from shoal.plan.other_columns import columns_to_drop, name_all_columns
from shoal.steps import Microaggregate

RISKS = ("linkage", "linkage_top2", "smallest_class")
SETTLED = ("partition", "random_state")  # what a run may add to the entry of a step: its seeds
GLANCE = 0.2  # seconds between two looks at whether somebody wants an end


@dataclass(frozen=True, eq=False)
class Trial:
    """One plan of a comparison and what came of it.

    Parameters
    ----------
    plan : Plan
        What was done, seeds included: running it repeats the result.
    method : str
        What the plan's methods did, in names of `shoal.METHODS`.
    measures : dict
        Measures that give one number, by name.
    error : ShoalError, optional
        Why the plan could not be run; then there are no measures.
    """

    plan: Plan
    method: str = ""
    measures: dict[str, float] = field(default_factory=dict)
    error: ShoalError | None = None

    @property
    def dependence(self) -> float:
        """The greatest share of the confidential columns in the distances."""
        return max(float(getattr(step, "dependence", 0.0)) for step in self.plan.steps)


@dataclass(frozen=True, eq=False)
class Comparison:
    """Trials on one table.

    Parameters
    ----------
    trials : tuple of Trial
        In the order of the plans.
    risk : str
        The measure that stands for the risk.
    """

    trials: tuple[Trial, ...]
    risk: str

    @property
    def done(self) -> list[Trial]:
        """The trials that could be run."""
        return [trial for trial in self.trials if trial.error is None]

    @property
    def front(self) -> list[Trial]:
        """The trials that no other one beats in loss and risk, from the least loss on."""
        points = {id(trial): self._point(trial) for trial in self.done}
        best = [
            trial
            for trial in self.done
            if not any(_beats(other, points[id(trial)]) for other in points.values())
        ]
        return sorted(best, key=lambda trial: points[id(trial)])

    def save(self, folder: str | Path, *, force: bool = False) -> None:
        """Write page, map, tables and the plan behind each trial into ``folder``."""
        from shoal.report.comparison import write_comparison  # see docs/architecture.md

        write_comparison(self, Path(folder), force=force)

    def _point(self, trial: Trial) -> tuple[float, float]:
        """Return loss and risk, less of both being better."""
        sign = -1 if ABOUT[self.risk].better == "higher" else 1
        return trial.measures["information_loss"], sign * trial.measures[self.risk]


def compare(
    data: Any,
    columns: Sequence[str],
    *,
    k: int | Sequence[int],
    method: str | Sequence[str] = "auto",
    dependence: float | Sequence[float] = 0.0,
    confidential: Sequence[str] = (),
    identifiers: Sequence[str] = (),
    types: Mapping[str, Any] | None = None,
    risk: str = "linkage",
    n_jobs: int = 1,
    cache: str | Path | None = None,
    **options: Any,
) -> Comparison:
    """Run every combination of k, method and dependence on a table; release nothing.

    Parameters
    ----------
    data : pandas, polars or pyarrow table
        The table; it is left as it is.
    columns : list of str
        Quasi-identifiers to mask.
    k : int or list of int
        Least numbers of records in a group to try.
    method : str or list of str
        Methods to try, names in `shoal.METHODS`.
    dependence : float or list of float
        Shares of the confidential columns in the distances to try, in [0, 1].
    confidential : list of str
        Columns that nobody should learn about a person.
    identifiers : list of str
        Columns that name a person; the plans drop them.
    types : mapping of str to str or mapping, optional
        What columns hold where the table does not say it; see `Plan`.
    risk : str
        What stands for the risk: ``"linkage"``, ``"linkage_top2"`` or
        ``"smallest_class"``.
    n_jobs : int
        How many runs go on at a time; each needs memory of its own.
    cache : str or Path, optional
        Folder to keep the numbers of finished runs in, so that the same run is not made
        twice. It holds nothing of the data but these numbers.
    **options
        Further parameters as in `shoal.microaggregate`: those of the step for all runs,
        those of a method for the runs of the methods that take them.

    Returns
    -------
    Comparison
        A trial for each combination; ``front`` holds those worth a choice.

    Examples
    --------
    >>> from shoal import datasets
    >>> found = compare(datasets.sme(), ["surface", "employees"], k=[3, 4], method="mdav")
    >>> [trial.measures["smallest_class"] for trial in found.trials]
    [3, 4]
    """
    plans = grid(
        columns,
        k=k,
        method=method,
        dependence=dependence,
        confidential=confidential,
        identifiers=identifiers,
        types=types,
        **options,
    )
    return compare_plans(data, plans, risk=risk, n_jobs=n_jobs, cache=cache)


def grid(
    columns: Sequence[str],
    *,
    k: int | Sequence[int],
    method: str | Sequence[str] = "auto",
    dependence: float | Sequence[float] = 0.0,
    confidential: Sequence[str] = (),
    identifiers: Sequence[str] = (),
    types: Mapping[str, Any] | None = None,
    **options: Any,
) -> list[Plan]:
    """Return a plan for every combination: by method, then k, then dependence."""
    ways = _several(method)
    steps = parameters.signature_parameters(Microaggregate)
    known = {way: parameters.signature_parameters(METHODS[way]) for way in ways if way in METHODS}
    for name in options:
        if name not in (*steps, "random_state") and not any(name in own for own in known.values()):
            names = [*steps, *(other for own in known.values() for other in own)]
            raise ParameterError(
                f"No method takes {name!r}.{hint(name, names)} Leave it out.",
                code="unknown-parameter",
                parameter=name,
            )
    return [
        Plan.of(
            columns,
            partitioner(
                way, {"k": size} | {n: v for n, v in options.items() if n in known.get(way, {})}
            ),
            identifiers=identifiers,
            confidential=confidential,
            types=types,
            other_columns="release",
            dependence=share,
            **{name: value for name, value in options.items() if name in steps},
        )
        for way, size, share in product(ways, _several(k), _several(dependence))
    ]


def compare_plans(
    data: Any,
    plans: Sequence[Plan],
    *,
    risk: str | None = "linkage",
    n_jobs: int = 1,
    cache: str | Path | None = None,
) -> Comparison:
    """Run plans on a table; see `compare` for what comes out and what is kept.

    Without a ``risk`` nothing beyond what a release measures is computed.
    """
    if risk is not None and (not isinstance(risk, str) or risk not in RISKS):
        raise ParameterError(
            f"There is no risk {format_argument(risk)}.{hint(risk, RISKS)} Choose one of:"
            f" {', '.join(RISKS)}.",
            code="unknown-risk",
        )
    frame = tables.open_frame(data)
    named = list(
        dict.fromkeys(
            name for plan in plans for name in (*plan.roles, *plan.quasi_identifiers, *plan.types)
        )
    )
    tables.check_columns(frame, named)
    for plan in plans:
        columns_to_drop(plan, frame.columns)  # refuses what a plan does not name
    needed = tables.select_columns(frame, named)
    kept = None if cache is None else Cache(Path(cache))
    found = "" if kept is None else digest(needed)
    run = partial(_tried, columns=frame.columns, needed=needed, risk=risk, cache=kept, digest=found)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)  # told when a plan is chosen and run
        trials = tuple(_side_by_side(run, plans, n_jobs))
    if all(trial.error is not None for trial in trials):
        raise next(trial.error for trial in trials if trial.error is not None)
    return Comparison(trials, risk or RISKS[0])


def _tried(
    plan: Plan,
    *,
    columns: Sequence[str],
    needed: Frame,
    risk: str | None,
    cache: Cache | None,
    digest: str,
) -> Trial:
    """Return the trial of a plan, from the cache where it is there; its plan names ``columns``."""
    name = "" if cache is None else key(digest, plan.to_dict(), risk)
    found = cache.get(name) if cache is not None else None
    if found is None:
        try:
            found = _run(plan, needed, risk)
        except ShoalError as error:
            return Trial(plan, error=error)
        if cache is not None:
            cache.put(name, found)
    entries = plan.to_dict()
    for step, settled in zip(entries["steps"], found["settled"], strict=True):
        step |= settled
    tried = name_all_columns(Plan.from_dict(entries), columns)
    return Trial(tried, found["method"], found["measures"])


def _run(plan: Plan, needed: Frame, risk: str | None) -> dict[str, Any]:
    """Return what a run gives, as numbers and names of methods."""
    release = plan.run(tables.to_native(needed))
    measures = _numbers(release.measures)
    if "information_loss" not in measures:
        raise InputError(
            "A comparison needs a masked column of numbers: its loss is compared.",
            code="comparison-without-numbers",
        )
    if risk is not None and risk not in measures:
        kept = needed if release.rows is None else tables.take(needed, release.rows)
        after, confidential = (
            tables.open_frame(release.data),
            columns_with(plan.roles, "confidential"),
        )
        measures |= _numbers(
            assess_frames(
                kept, after, plan.quasi_identifiers, plan.masked, confidential, [risk], plan.types
            )
        )
    return {
        "method": ", ".join(release.provenance["methods"]),
        "measures": measures,
        "settled": [
            {name: step[name] for name in SETTLED if name in step}
            for step in release.plan.to_dict()["steps"]
        ],
    }


def _side_by_side(
    run: Callable[[Plan], Trial], plans: Sequence[Plan], n_jobs: int
) -> Iterable[Trial]:
    """Run plans on threads, which the compiled loops leave free; end all when one must end."""
    if not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool) or n_jobs < 1:
        raise ParameterError(
            f"n_jobs must be an int of at least 1. Got {format_argument(n_jobs)} instead.",
            code="parameter-not-accepted",
            parameter="n_jobs",
        )
    stop = Event()

    def heed(stage: str, done: int, total: int) -> None:
        if stop.is_set():
            raise KeyboardInterrupt

    def listened(plan: Plan) -> Trial:
        with progress.reporting_to(heed):
            return run(plan)

    with ThreadPoolExecutor(n_jobs) as pool:
        futures: list[Future[Trial]] = [pool.submit(listened, plan) for plan in plans]
        waiting = set(futures)
        try:
            while waiting:
                done, waiting = wait(waiting, GLANCE, FIRST_COMPLETED)
                for future in done:
                    future.result()
                progress.report("comparing", len(futures) - len(waiting), len(futures))
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [future.result() for future in futures]


def _numbers(measures: Any) -> dict[str, float]:
    """Return the measures that give one number for the whole table."""
    return {
        name: value
        for name, value in measures.items()
        if name in MEASURES and isinstance(value, int | float)
    }


def _beats(one: tuple[float, float], other: tuple[float, float]) -> bool:
    """Say whether ``one`` is nowhere worse than ``other`` and somewhere better."""
    return one != other and one[0] <= other[0] and one[1] <= other[1]


def _several(values: Any) -> list[Any]:
    """Return one value or several as a list, each once."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        return [values]
    found: list[Any] = []
    for value in values:
        if not any(value is one or _equal(value, one) for one in found):
            found.append(value)
    return found


def _equal(one: Any, other: Any) -> bool:
    """Say whether two numbers or names are equal; what else is left to checks is not."""
    plain = isinstance(one, str | Real) and isinstance(other, str | Real)
    return plain and one == other
