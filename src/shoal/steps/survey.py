"""Survey weights in a plan: roles and steps must agree on them."""

from collections.abc import Mapping, Sequence

from shoal.errors import PlanError
from shoal.frame.roles import UNIT_ROLES, columns_with, name_columns
from shoal.steps._step import Step
from shoal.steps.microaggregate import Microaggregate


def with_weight(
    roles: Mapping[str, str], steps: Sequence[Step]
) -> tuple[dict[str, str], list[Step]]:
    """Return roles and steps that agree on the weights.

    Every microaggregation uses the column with the role ``weight``. A column that a step names as
    its weight gets that role, unless it is an identifier, which is dropped.
    """
    roles, steps = dict(roles), list(steps)
    for step in steps:  # so that all steps use the weights, also after a plan is saved
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
        if isinstance(step, Microaggregate) and step.weighted_distances and not step.weight:
            raise PlanError(
                "weighted_distances needs weights. Name the weight, or leave it out.",
                code="weight-missing",
                option="weighted_distances",
            )
        name = step.weight
        if name is not None and roles.setdefault(name, "weight") not in ("weight", "identifier"):
            raise PlanError(
                f"Column {name!r} is named as {roles[name]} and as weight. Choose one.",
                code="two-roles",
                columns=(name,),
            )
    weight_columns = list(dict.fromkeys(step.weight for step in steps if step.weight is not None))
    if len(weight_columns) > 1 or (weights and weight_columns and weight_columns != weights):
        raise PlanError(
            f"{name_columns(list({*weights, *weight_columns}))} cannot all be weights. Choose one.",
            code="several-weights",
            columns=tuple(sorted({*weights, *weight_columns})),
        )
    _check_weights_and_units(roles, steps)
    _check_merged_strata(steps)
    return roles, steps


def _check_merged_strata(steps: Sequence[Step]) -> None:
    """Refuse strata that one step merges and another splits by: each would release other values."""
    merging_steps = [
        step for step in steps if isinstance(step, Microaggregate) and step.small_strata == "merge"
    ]
    merged_columns = [name for step in merging_steps for name in step.strata]
    if merged_columns and sum(bool(set(merged_columns) & set(step.strata)) for step in steps) > 1:
        raise PlanError(
            f'`small_strata="merge"` changes {name_columns(merged_columns, "column", "columns")},'
            " which another step splits by too. Mask the columns in one step.",
            code="merged-strata-split-again",
            columns=tuple(merged_columns),
        )


def _check_weights_and_units(roles: Mapping[str, str], steps: Sequence[Step]) -> None:
    """Refuse to mask weights and units, or to split strata by them."""
    for role in ("weight", *UNIT_ROLES):
        used_weights = {step.weight for step in steps} if role == "weight" else set()
        reserved_columns = [name for name in roles if roles[name] == role or name in used_weights]
        masked_columns = [
            name for step in steps for name in step.columns if name in reserved_columns
        ]
        if masked_columns:
            raise PlanError(
                f"{name_columns(masked_columns)} cannot be masked: the role is {role}. Change the"
                " role, or leave it out of the step.",
                code="role-not-masked",
                columns=tuple(masked_columns),
                role=role,
            )
        stratum_columns = [
            name for step in steps for name in step.strata if name in reserved_columns
        ]
        if stratum_columns:
            raise PlanError(
                f"{name_columns(stratum_columns)} cannot split the strata: the role is {role}."
                " Choose one.",
                code="role-not-stratum",
                columns=tuple(stratum_columns),
                role=role,
            )
