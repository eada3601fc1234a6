"""What a plan may not ask for on a table that no memory holds."""

from typing import TYPE_CHECKING

import pyarrow as pa

from shoal.errors import ColumnError, InputError, PlanError
from shoal.mask import Microaggregate
from shoal.parameters import hint
from shoal.partitioners import Prove, Search

if TYPE_CHECKING:
    from shoal.plan import Plan

# Options of the step that look at all groups or all records at once, and the way out.
WHOLE = {
    "blocks": "Mask the columns in one block.",
    "household": "Mask a table of households, or a table that fits into memory.",
    "weight": "Leave the weights out, or mask a table that fits into memory.",
    "diversity": "Mask a table that fits into memory, or a part of the table at a time.",
    "closeness": "Mask a table that fits into memory, or a part of the table at a time.",
}


def check_plan(plan: "Plan") -> Microaggregate:
    """Return the step of a plan that workers can take; refuse all else."""
    if len(plan.steps) > 1 or not isinstance(plan.steps[0], Microaggregate):
        raise PlanError(
            "A large table is masked by a plan of one step, 'microaggregate'. Run the other steps"
            " on a table that fits into memory."
        )
    step = plan.steps[0]
    for name, way_out in WHOLE.items():
        if getattr(step, name) is not None:
            raise PlanError(f"{name} cannot be seen to on a large table. {way_out}")
    if step.small_strata == "merge":
        raise PlanError(
            'small_strata="merge" cannot be seen to on a large table. Merge the strata first, or'
            " choose a coarser column for within."
        )
    if step.missing == "own-groups":
        raise PlanError(
            'missing="own-groups" compares all records that lack cells, which a large table does'
            ' not allow. Use "impute" or "drop".'
        )
    if step.homogeneity != "warn":
        raise PlanError(
            f'homogeneity="{step.homogeneity}" looks at all groups at once. Leave it at "warn": the'
            " number of such groups is told."
        )
    inside = step.partition.get_params(deep=True).values()
    if any(isinstance(one, Search | Prove) for one in (step.partition, *inside)):
        raise PlanError(
            "An effort that a clock ends would end elsewhere on every worker. Use"
            ' effort="refine" or "quick".'
        )
    return step


def check_columns(plan: "Plan", schema: pa.Schema, ordered: frozenset[str]) -> None:
    """Refuse columns that are not there, or whose order the files alone know."""
    for name in [*plan.roles, *plan.types, *plan.known]:
        if name not in schema.names:
            raise ColumnError(
                f"The data have no column {name!r}.{hint(name, schema.names)} The columns are:"
                f" {', '.join(schema.names)}."
            )
    for name in plan.masked:
        if name in ordered and name not in plan.types:
            raise InputError(
                f"Column {name!r} holds categories with an order, which may differ from file to"
                " file. Declare its type: ordinal, with the order."
            )
