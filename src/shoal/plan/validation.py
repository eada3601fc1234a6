"""What a plan may ask for: roles, types and steps that fit together."""

from collections.abc import Sequence
from numbers import Integral
from typing import TYPE_CHECKING

from shoal._params import format_argument
from shoal.errors import PlanError
from shoal.frame.roles import columns_with, name_columns
from shoal.steps import Microaggregate, Step

if TYPE_CHECKING:
    from shoal.plan import Plan


def check_steps(steps: object) -> None:
    """Refuse what is no list of steps."""
    if not isinstance(steps, Sequence) or not all(isinstance(step, Step) for step in steps):
        raise PlanError(
            f"The steps of a plan are a list of steps. Got {format_argument(steps)} instead.",
            code="steps-not-accepted",
        )


def check(plan: "Plan") -> None:
    """Refuse a plan whose roles, types and steps do not fit together."""
    if not plan.steps:
        raise PlanError("The plan has no step. Add at least one.", code="plan-without-steps")
    _check_order(plan.shuffle, plan.random_state)
    twice = [name for name in dict.fromkeys(plan.masked) if plan.masked.count(name) > 1]
    if twice:
        raise PlanError(
            f"{name_columns(twice)} would be masked twice. Leave one step.",
            code="masked-twice",
            columns=tuple(twice),
        )
    dropped = [name for name in columns_with(plan.roles, "identifier") if name in plan.masked]
    if dropped:
        raise PlanError(
            f"{name_columns(dropped)} cannot be masked: identifiers are dropped from the release."
            " Change the role, or leave it out of the step.",
            code="masked-and-dropped",
            columns=tuple(dropped),
        )
    crossed = [name for step in plan.steps for name in step.strata if name in plan.masked]
    if crossed:
        raise PlanError(
            f"{name_columns(crossed)} cannot be masked by one step and split the strata of another."
            " Choose one.",
            code="masked-and-stratum",
            columns=tuple(crossed),
        )
    for step in plan.steps if plan.types else ():
        kinds = [n for n in step.columns if n in plan.types and n not in plan.numeric_columns]
        if kinds and not step.accepts_any_kind:
            raise PlanError(
                f"The step {step.name!r} computes with numbers, and {name_columns(kinds)} would be"
                " none by the types of the plan. Leave the type out, or use another step.",
                code="step-needs-numbers",
                step=step.name,
                columns=tuple(kinds),
            )
    if not plan.quasi_identifiers:
        raise PlanError(
            "The plan masks confidential columns alone, so nothing tells what an attacker may"
            " know. Mask the quasi-identifiers too, or leave the role out.",
            code="only-confidential-masked",
        )
    beyond = [
        name
        for step in plan.steps
        if isinstance(step, Microaggregate)
        for name in ("diversity", "closeness")
        if getattr(step, name) is not None
    ]
    if beyond and len(plan.steps) > 1:
        raise PlanError(
            f"{beyond[0]} is promised for all that an attacker may know, so no other step may"
            " mask columns. Mask them in one step, or leave it out.",
            code="constraint-with-several-steps",
            option=beyond[0],
        )
    bare = [
        name
        for name in columns_with(plan.roles, "quasi-identifier")
        if name not in plan.quasi_identifiers
    ]
    if bare:
        raise PlanError(
            f"{name_columns(bare, 'Quasi-identifier', 'Quasi-identifiers')} would leave unmasked."
            " Add to a step, use `within`, or give another role.",
            code="quasi-identifier-not-masked",
            columns=tuple(bare),
        )


def _check_order(shuffle: object, seed: object) -> None:
    """Refuse what cannot say in which order records leave."""
    if not isinstance(shuffle, bool):
        raise PlanError("shuffle is true or false.", code="plan-shuffle", key="shuffle")
    whole = isinstance(seed, Integral) and not isinstance(seed, bool)
    if seed is not None and not (whole and seed >= 0):  # type: ignore[operator]
        raise PlanError(
            "The random_state of a plan must be an int in [0, inf).",
            code="plan-random-state",
            key="random_state",
        )
    if seed is not None and not shuffle:
        raise PlanError(
            "The random_state of a plan is the seed of a random order, and the plan keeps the order"
            " of the records. Set `shuffle=True`, or leave it out; steps that draw have seeds of"
            " their own.",
            code="plan-random-state",
            key="random_state",
        )
