"""The survey weights of a plan: its roles and steps must agree on them."""

from collections.abc import Mapping, Sequence

from shoal.errors import PlanError
from shoal.frame.roles import columns_with, name_columns
from shoal.steps import Microaggregate, Step


def resolve_weight(
    roles: Mapping[str, str], steps: Sequence[Step]
) -> tuple[dict[str, str], list[Step]]:
    """Return roles and steps that agree on the column of survey weights.

    Every microaggregation uses the column with the role ``weight``. A column that a step names as
    its weight gets that role, unless it is an identifier, which is dropped.
    """
    roles, steps = dict(roles), list(steps)
    for step in steps:
        if step.weight is not None:
            roles.setdefault(step.weight, "weight")
    weights = columns_with(roles, "weight")
    if len(weights) > 1:
        raise PlanError(
            f"{name_columns(weights)} cannot all be weights. Choose one.",
            code="several-weights",
            columns=tuple(weights),
        )
    for i, step in enumerate(steps):
        if weights and isinstance(step, Microaggregate) and step.weight is None:
            steps[i] = step = step.replace(weight=weights[0])
        _check_weight(step, roles)
    weight_columns = list(dict.fromkeys(step.weight for step in steps if step.weight is not None))
    if len(weight_columns) > 1 or (weights and weight_columns and weight_columns != weights):
        columns = sorted({*weights, *weight_columns})
        raise PlanError(
            f"{name_columns(columns)} cannot all be weights. Choose one.",
            code="several-weights",
            columns=tuple(columns),
        )
    return roles, steps


def _check_weight(step: Step, roles: Mapping[str, str]) -> None:
    """Refuse weighted distances without weights, and weights that have another role."""
    if isinstance(step, Microaggregate) and step.weighted_distances and not step.weight:
        raise PlanError(
            "`weighted_distances` needs weights. Name their column with `weight`, or leave the"
            " option out.",
            code="weight-missing",
            option="weighted_distances",
        )
    name = step.weight
    if name is not None and roles[name] not in ("weight", "identifier"):
        raise PlanError(
            f"Column {name!r} is named as {roles[name]} and as weight. Choose one.",
            code="two-roles",
            columns=(name,),
        )
