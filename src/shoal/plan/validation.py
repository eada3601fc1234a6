"""What a plan may ask for: roles, types and steps that fit together."""

from typing import TYPE_CHECKING

from shoal.errors import PlanError
from shoal.frame.roles import columns_with, listed
from shoal.steps import Microaggregate

if TYPE_CHECKING:
    from shoal.plan import Plan


def check(plan: "Plan") -> None:
    """Refuse a plan whose roles, types and steps do not fit together."""
    if not plan.steps:
        raise PlanError("The plan has no step. Add at least one.")
    twice = [name for name in dict.fromkeys(plan.masked) if plan.masked.count(name) > 1]
    if twice:
        raise PlanError(f"{listed(twice)} would be masked twice. Leave one step.")
    dropped = [name for name in columns_with(plan.roles, "identifier") if name in plan.masked]
    if dropped:
        raise PlanError(
            f"{listed(dropped)} cannot be masked: identifiers are dropped from the release."
            " Change the role, or leave it out of the step."
        )
    crossed = [name for step in plan.steps for name in step.strata if name in plan.masked]
    if crossed:
        raise PlanError(
            f"{listed(crossed)} cannot be masked by one step and split the strata of another."
            " Choose one."
        )
    for step in plan.steps if plan.types else ():
        kinds = [n for n in step.columns if n in plan.types and n not in plan.numbers]
        if kinds and not step.of_any_kind:
            raise PlanError(
                f"The step {step.name!r} computes with numbers, and {listed(kinds)} would be"
                " none by the types of the plan. Leave the type out, or use another step."
            )
    if not plan.known:
        raise PlanError(
            "The plan masks confidential columns alone, so nothing tells what an attacker may"
            " know. Mask the quasi-identifiers too, or leave the role out."
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
            " mask columns. Mask them in one step, or leave it out."
        )
    bare = [name for name in columns_with(plan.roles, "quasi-identifier") if name not in plan.known]
    if bare:
        raise PlanError(
            f"{listed(bare, 'Quasi-identifier', 'Quasi-identifiers')} would leave unmasked. Add"
            " to a step, use `within`, or give another role."
        )
