"""Families of plans to try: one method or step each, with a parameter for its strength."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from shoal import _params as parameters
from shoal.comparison.plan_comparison import grid
from shoal.frame.roles import as_list
from shoal.metrics.limits import Limits
from shoal.plan import Plan
from shoal.plan.definition.validation import roles_of
from shoal.steps import STEPS

STEPS_TO_TRY = ("microaggregate", "rank-swap", "add-noise")
METHODS_TO_TRY = ("auto", "mdav", "vmdav")
MIN_K = 3  # in a group of two, each member can compute the values of the other
K_VALUES = (3, 4, 5, 7, 10, 15, 20, 30, 50, 75, 100, 200, 500, 1000)
STRENGTHS_OF_STEPS = {
    "rank-swap": ("percent", (2.0, 5.0, 10.0, 15.0, 20.0, 30.0, 50.0)),
    "add-noise": ("amount", (0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0)),
}
PRECISION = 0.1  # relative precision of a strength that is not an integer


@dataclass(frozen=True, eq=False)
class PlanFamily:
    """Plans that differ in one number: the greater it is, the more is masked.

    Parameters
    ----------
    name : str
        Name of the method or step.
    step : str
        Name of the step.
    first_strengths : tuple of float
        Strengths to try first, in ascending order.
    make_plan : callable
        Returns the plan of a strength.
    is_fixed : bool
        Whether no other strengths may be tried.
    """

    name: str
    step: str
    first_strengths: tuple[float, ...]
    make_plan: Callable[[float], Plan]
    is_fixed: bool = False

    @property
    def lower_limit(self) -> float:
        """The strength at or below which none is tried."""
        return self.first_strengths[0] - 1 if self.step == "microaggregate" else 0.0

    def strengths_near(self, best: float | None) -> tuple[float, ...]:
        """Return the strengths to try first, given the best strength of a similar family.

        They are ``best`` and the next lower first strength. If ``best`` is None, or if no other
        strengths may be tried, they are all first strengths.
        """
        if best is None or self.is_fixed:
            return self.first_strengths
        lower = [strength for strength in self.first_strengths if strength < best][-1:]
        return (*lower, best)

    def between(self, low: float, high: float) -> float | None:
        """Return a strength between two others, or None if these are near enough."""
        if self.is_fixed:
            return None
        if self.step == "microaggregate":
            return (low + high) // 2 if high - low > 1 else None
        return (low + high) / 2 if high - low > PRECISION * high else None

    def without_seeds(self, plan: Plan) -> Plan:
        """Return a plan without the seeds of random steps, which could undo the masking."""
        if self.step == "microaggregate":
            return plan
        steps = [step.replace(random_state=None) for step in plan.steps]
        return plan.replace(steps=steps)


def plan_families(
    columns: Sequence[str],
    n_records: int,
    *,
    limits: Limits,
    k: int | Sequence[int] | None,
    method: str | Sequence[str] | None,
    steps: Sequence[str],
    confidential: Sequence[str],
    identifiers: Sequence[str],
    random_state: int,
    types: Mapping[str, Any] | None = None,
    missing_codes: Mapping[str, Any] | None = None,
    **options: Any,
) -> list[PlanFamily]:
    """Return the families of plans to try, the most promising first."""
    shared_options: dict[str, Any] = {"types": types, "missing_codes": missing_codes}

    def microaggregate(method: str, k_value: float) -> Plan:
        plan = grid(
            columns,
            k=int(k_value),
            method=method,
            confidential=confidential,
            identifiers=identifiers,
            random_state=random_state,
            **shared_options,
            **options,
        )[0]
        return plan.replace(limits=limits)

    def randomise(step: str, parameter: str, strength: float) -> Plan:
        step_options = {"columns": columns, parameter: strength, "random_state": random_state}
        return Plan(
            _with_named_roles(roles_of(as_list(columns), identifiers, confidential), options),
            [parameters.build(STEPS[step], step_options)],
            unit=options.get("unit"),
            other_columns="release",
            limits=limits,
            **shared_options,
        )

    result: list[PlanFamily] = []
    methods = as_list(method or METHODS_TO_TRY) if "microaggregate" in steps else []
    for name in methods:
        microaggregate(name, MIN_K)  # refuses unknown methods and options before anything is run
        k_values = _k_values(limits, n_records) if k is None else sorted({*_as_k_list(k)})
        strengths = tuple(map(float, k_values))
        make = partial(microaggregate, name)
        result.append(PlanFamily(name, "microaggregate", strengths, make, k is not None))
    for name in steps:
        if name in STRENGTHS_OF_STEPS:
            parameter, strengths = STRENGTHS_OF_STEPS[name]
            result.append(PlanFamily(name, name, strengths, partial(randomise, name, parameter)))
    return result


def _with_named_roles(roles: Mapping[str, str], options: Mapping[str, Any]) -> dict[str, str]:
    """Return the roles, with the roles of the columns of households and weights added.

    A column of weights that is also an identifier stays an identifier, and is dropped.
    """
    household, weight = options.get("household"), options.get("weight")
    household_role = {} if household is None else {household: "household"}
    return {**({} if weight is None else {weight: "weight"}), **roles, **household_role}


def _k_values(limits: Limits, n_records: int) -> list[int]:
    """Return the values of k to try first: at least the class sizes that limits require."""
    required = [
        limit.value
        for limit in limits
        if limit.direction == "min" and limit.figure in ("smallest_class", "fewest_units")
    ]
    min_k = max([MIN_K, *(int(-(-value // 1)) for value in required)])
    max_k = max(min_k, n_records // 2)
    return [min_k, *(k_value for k_value in K_VALUES if min_k < k_value <= max_k)]


def _as_k_list(k: int | Sequence[int]) -> list[int]:
    return [k] if isinstance(k, int) else list(k)
