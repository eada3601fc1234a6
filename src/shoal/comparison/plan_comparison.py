"""The function `compare`: run many plans on one table and compare loss and risk."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import chain, product
from numbers import Real
from pathlib import Path
from typing import Any

from shoal import _params as parameters
from shoal._params import format_argument, hint
from shoal._progress import shows_progress
from shoal.comparison.cache import Cache, result_key
from shoal.comparison.parallel import run_parallel
from shoal.comparison.risks import DEFAULT_RISK, RISKS
from shoal.comparison.trials import Comparison, Trial
from shoal.errors import InputError, ParameterError, ShoalError, ShoalWarning
from shoal.frame import tables
from shoal.frame.description.summaries import digest
from shoal.frame.missing_codes import without_codes
from shoal.frame.roles import columns_with
from shoal.frame.tables import Frame, IntoDataFrame
from shoal.metrics import MEASURES
from shoal.metrics.assessment import assess_frames
from shoal.partitioners import METHODS, partitioner
from shoal.plan import Plan
from shoal.plan.definition.other_columns import columns_to_drop, with_all_columns_named
from shoal.steps import Microaggregate

SEEDED_KEYS = ("partition", "random_state")  # entries of a step to which a run adds seeds


def compare(
    data: IntoDataFrame,
    columns: Sequence[str],
    *,
    k: int | Sequence[int],
    method: str | Sequence[str] = "auto",
    dependence: float | Sequence[float] = 0.0,
    confidential: Sequence[str] = (),
    identifiers: Sequence[str] = (),
    types: Mapping[str, Any] | None = None,
    risk: str = DEFAULT_RISK,
    n_jobs: int | None = 1,
    cache: str | Path | None = None,
    **options: Any,
) -> Comparison:
    """Run every combination of k, method and dependence on a table, without releasing it.

    Parameters
    ----------
    data : pandas, polars or pyarrow table
        The table; it is not modified.
    columns : list of str
        Quasi-identifiers to mask.
    k : int or list of int
        Values of k to try.
    method : str or list of str
        Methods to try, names in `shoal.METHODS`.
    dependence : float or list of float
        Shares of the confidential columns in the distances to try, in [0, 1].
    confidential : list of str
        Confidential columns.
    identifiers : list of str
        Columns that identify a person; the plans drop them.
    types : mapping of str to str or mapping, optional
        Kinds of columns if the table does not determine them; see `Plan`.
    risk : {"reidentification", "linkage", "linkage_top2", "smallest_class"}
        Measure of risk. ``"reidentification"``, the default, is the mean over records of
        1 / (size of the class of the record), as in reports; ``"linkage"`` and ``"linkage_top2"``
        are the share of the released records whose nearest original record, or one of the two
        nearest, is their own.
    n_jobs : int or None
        Number of parallel runs; each needs its own memory. None and -1 mean all cores.
    cache : str or Path, optional
        Folder for the results of finished runs, so that no run is repeated. It contains neither
        column names nor values from the data.
    **options
        Further parameters as in `shoal.microaggregate`. Parameters of the step, such as ``unit``
        and ``household``, apply to all runs, and parameters of a method to the runs of the methods
        that accept them.

    Returns
    -------
    Comparison
        A trial for each combination. ``front`` contains the trials on the Pareto front, and
        ``recommended`` is the trial to start from.

    Examples
    --------
    >>> from shoal import datasets
    >>> comparison = compare(datasets.sme(), ["surface", "employees"], k=[3, 4], method="mdav")
    >>> [trial.measures["smallest_class"] for trial in comparison.trials]
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
    missing_codes: Mapping[str, Any] | None = None,
    **options: Any,
) -> list[Plan]:
    """Return a plan for every combination, by method, then k, then dependence."""
    methods = _as_unique_list(method)
    step_parameters = parameters.signature_parameters(Microaggregate)
    method_parameters = {
        name: parameters.signature_parameters(METHODS[name]) for name in methods if name in METHODS
    }
    for name in options:
        is_accepted = any(name in method_options for method_options in method_parameters.values())
        if name not in (*step_parameters, "random_state") and not is_accepted:
            names = [*step_parameters, *chain.from_iterable(method_parameters.values())]
            raise ParameterError(
                f"No method takes {name!r}.{hint(name, names)} Leave it out.",
                code="unknown-parameter",
                parameter=name,
            )
    return [
        Plan.of(
            columns,
            partitioner(
                name,
                {"k": k_value}
                | {
                    option: value
                    for option, value in options.items()
                    if option in method_parameters.get(name, {})
                },
            ),
            identifiers=identifiers,
            confidential=confidential,
            types=types,
            missing_codes=missing_codes,
            other_columns="release",
            dependence=dependence_value,
            **{option: value for option, value in options.items() if option in step_parameters},
        )
        for name, k_value, dependence_value in product(
            methods, _as_unique_list(k), _as_unique_list(dependence)
        )
    ]


@shows_progress
def compare_plans(
    data: IntoDataFrame,
    plans: Sequence[Plan],
    *,
    risk: str | None = DEFAULT_RISK,
    n_jobs: int | None = 1,
    cache: str | Path | None = None,
) -> Comparison:
    """Run plans on a table; see `compare` for the parameters.

    Without a ``risk``, only the measures of a release are computed.
    """
    if risk is not None and (not isinstance(risk, str) or risk not in RISKS):
        raise ParameterError(
            f"There is no risk {format_argument(risk)}.{hint(risk, RISKS)} Choose one of:"
            f" {', '.join(RISKS)}.",
            code="unknown-risk",
        )
    frame = tables.open_frame(data)
    names = list(
        dict.fromkeys(
            name for plan in plans for name in (*plan.roles, *plan.quasi_identifiers, *plan.types)
        )
    )
    tables.check_columns(frame, names)
    for plan in plans:
        columns_to_drop(plan, frame.columns)  # refuses columns that a plan does not name
    needed_frame = tables.select_columns(frame, names)
    result_cache = None if cache is None else Cache(Path(cache))
    run = partial(
        _try_plan,
        columns=frame.columns,
        needed_frame=needed_frame,
        risk=risk,
        cache=result_cache,
        digest="" if result_cache is None else digest(needed_frame),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)  # issued when a plan is chosen and run
        trials = tuple(run_parallel(run, plans, n_jobs, "comparing"))
    if all(trial.error is not None for trial in trials):
        raise next(trial.error for trial in trials if trial.error is not None)
    return Comparison(trials, risk or DEFAULT_RISK, tables.library_of(frame))


def _try_plan(
    plan: Plan,
    *,
    columns: Sequence[str],
    needed_frame: Frame,
    risk: str | None,
    cache: Cache | None,
    digest: str,
) -> Trial:
    """Return the trial of a plan, from the cache if possible; its plan names all ``columns``."""
    cache_key = "" if cache is None else result_key(digest, plan.to_dict(), risk)
    result = cache.get(cache_key) if cache is not None else None
    if result is None:
        try:
            result = _run_plan(plan, needed_frame, risk)
        except ShoalError as error:
            return Trial(plan, error=error)
        if cache is not None:
            cache.put(cache_key, result)
    entries = plan.to_dict()
    for step, seeded in zip(entries["steps"], result["seeded"], strict=True):
        step |= seeded
    plan = with_all_columns_named(Plan.from_dict(entries), columns)
    return Trial(plan, result["method"], result["measures"], verdict=result["verdict"])


def _run_plan(plan: Plan, needed_frame: Frame, risk: str | None) -> dict[str, Any]:
    """Return the results of a run as plain data."""
    release = plan.run(tables.to_native(needed_frame))
    measures = _scalar_measures(release.measures)
    if "information_loss" not in measures:
        raise InputError(
            "A comparison needs a masked numeric column, whose information loss is compared.",
            code="comparison-without-numbers",
        )
    if risk is not None and risk not in measures:
        plan_used = release.plan
        original = without_codes(needed_frame, plan_used.missing_codes)
        original = original if release.rows is None else tables.take(original, release.rows)
        measures |= _scalar_measures(
            assess_frames(
                original,
                tables.open_frame(release.data),
                plan.quasi_identifiers,
                plan.masked,
                columns_with(plan.roles, "confidential"),
                measures=[risk],
                types=plan_used.types,
            )
        )
    return {
        "verdict": release.verdict.status,
        "method": ", ".join(release.provenance["methods"]),
        "measures": measures,
        "seeded": [
            {name: step[name] for name in SEEDED_KEYS if name in step}
            for step in release.plan.to_dict()["steps"]
        ],
    }


def _scalar_measures(measures: Any) -> dict[str, float]:
    """Return the measures that are a single number, and the risk of re-identification."""
    numbers = {
        name: value
        for name, value in measures.items()
        if name in MEASURES and isinstance(value, int | float)
    }
    if "reidentification" in measures:
        numbers["reidentification"] = measures["reidentification"]["marketer"]
    return numbers


def _as_unique_list(values: Any) -> list[Any]:
    """Return one value or several as a list without repeats."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        return [values]
    unique: list[Any] = []
    for value in values:
        if not any(value is earlier or _equal(value, earlier) for earlier in unique):
            unique.append(value)
    return unique


def _equal(value: Any, other: Any) -> bool:
    """Return whether two numbers or names are equal; other objects, refused later, are not."""
    is_comparable = isinstance(value, str | Real) and isinstance(other, str | Real)
    return is_comparable and value == other
