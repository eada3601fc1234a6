"""Check that the roles, types and steps of a plan are consistent."""

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import TYPE_CHECKING

from shoal._params import format_argument
from shoal.errors import PlanError
from shoal.frame.roles import UNIT_ROLES, columns_with, name_columns
from shoal.frame.types import Type
from shoal.steps import Microaggregate, Step

if TYPE_CHECKING:
    from shoal.plan import Plan


def check_steps(steps: object) -> None:
    """Refuse anything but a list of steps."""
    if not isinstance(steps, Sequence) or not all(isinstance(step, Step) for step in steps):
        raise PlanError(
            f"The steps of a plan are a list of steps. Got {format_argument(steps)} instead.",
            code="steps-not-accepted",
        )


def check_consistent(plan: "Plan") -> None:
    """Refuse a plan whose roles, types and steps contradict each other."""
    _check_weights_and_units(plan.roles, plan.steps)
    _check_merged_strata(plan.steps)
    if not plan.steps:
        raise PlanError("The plan has no step. Add at least one.", code="plan-without-steps")
    _check_shuffle(plan.shuffle, plan.random_state)
    _check_chains(plan.steps)
    _check_masked_and_strata(plan)
    check_kinds(plan, plan.types)
    _check_missing_codes(plan)
    _check_quasi_identifiers(plan)
    _check_constraints(plan)


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
                f" role, or remove the {_noun(masked_columns)} from the step.",
                code="role-not-masked",
                columns=tuple(masked_columns),
                role=role,
            )
        stratum_columns = [
            name for step in steps for name in step.strata if name in reserved_columns
        ]
        if stratum_columns:
            raise PlanError(
                f"{name_columns(stratum_columns)} cannot define strata: the role is {role}. Change"
                f" the role, or remove the {_noun(stratum_columns)} from `within`.",
                code="role-not-stratum",
                columns=tuple(stratum_columns),
                role=role,
            )


def _check_merged_strata(steps: Sequence[Step]) -> None:
    """Refuse strata that one step merges and another splits by: each would release other values."""
    merging_steps = [
        step for step in steps if isinstance(step, Microaggregate) and step.small_strata == "merge"
    ]
    merged_columns = [name for step in merging_steps for name in step.strata]
    if merged_columns and sum(bool(set(merged_columns) & set(step.strata)) for step in steps) > 1:
        raise PlanError(
            f'`small_strata="merge"` changes {name_columns(merged_columns, "column", "columns")},'
            " which also define the strata of another step. Mask the columns in one step.",
            code="merged-strata-split-again",
            columns=tuple(merged_columns),
        )


def _check_masked_and_strata(plan: "Plan") -> None:
    """Refuse to mask what is dropped, and strata that are dropped or masked."""
    dropped = [name for name in columns_with(plan.roles, "identifier") if name in plan.masked]
    if dropped:
        raise PlanError(
            f"{name_columns(dropped)} cannot be masked: identifiers are dropped from the release."
            f" Change the role, or remove the {_noun(dropped)} from the step.",
            code="masked-and-dropped",
            columns=tuple(dropped),
        )
    strata = [name for step in plan.steps for name in step.strata]
    dropped = [name for name in strata if name in plan.dropped]
    if dropped:
        raise PlanError(
            f"{name_columns(dropped)} cannot define strata: the role is {plan.roles[dropped[0]]},"
            " which is dropped, and classes are counted on released columns. Change the role, or"
            f" remove the {_noun(dropped)} from `within`.",
            code="within-and-dropped",
            columns=tuple(dropped),
        )
    masked_strata = [name for name in strata if name in plan.masked]
    if masked_strata:
        raise PlanError(
            f"{name_columns(masked_strata)} cannot be masked by one step and define the strata of"
            f" another. Remove the {_noun(masked_strata)} from one of the two.",
            code="masked-and-stratum",
            columns=tuple(masked_strata),
        )


def check_kinds(plan: "Plan", types: Mapping[str, Type]) -> None:
    """Refuse steps that need numbers of a column of another kind, declared or inferred."""
    if not types:
        return
    numeric_columns = plan.numeric_columns_by(types)
    for step in plan.steps:
        categorical = [
            name for name in step.columns if name in types and name not in numeric_columns
        ]
        if categorical and not step.accepts_any_kind:
            raise PlanError(
                f"The step {step.name!r} needs numeric columns, and"
                f" {name_columns(categorical, 'column', 'columns')}"
                f" {'is' if len(categorical) == 1 else 'are'} of another kind"
                f"{_reasons(types, categorical)}. Declare numbers as numeric with `types`, or use"
                " another step.",
                code="step-needs-numbers",
                step=step.name,
                columns=tuple(categorical),
            )


def _check_missing_codes(plan: "Plan") -> None:
    """Refuse missing codes of columns that no step masks, which would have no effect."""
    unmasked_columns = [name for name in plan.missing_codes if name not in plan.masked]
    if unmasked_columns:
        raise PlanError(
            f"Missing codes are given for {name_columns(unmasked_columns, 'column', 'columns')},"
            " which no step masks. They are used for masked columns only: remove them.",
            code="missing-codes-not-masked",
            columns=tuple(unmasked_columns),
        )


def _check_quasi_identifiers(plan: "Plan") -> None:
    """Refuse a plan that masks no quasi-identifiers, or releases some of them unmasked."""
    if not plan.quasi_identifiers:
        raise PlanError(
            "The plan masks confidential columns only, so it does not state what an attacker may"
            " know. Mask the quasi-identifiers too, or remove the role confidential.",
            code="only-confidential-masked",
        )
    unmasked = [
        name
        for name in columns_with(plan.roles, "quasi-identifier")
        if name not in plan.quasi_identifiers
    ]
    if unmasked:
        raise PlanError(
            f"{name_columns(unmasked, 'Quasi-identifier', 'Quasi-identifiers')} would be released"
            " unmasked. Add them to a step or to `within`, or change their role.",
            code="quasi-identifier-not-masked",
            columns=tuple(unmasked),
        )


def _check_constraints(plan: "Plan") -> None:
    """Refuse a constraint on the classes of one step if other steps mask columns too."""
    constraints = [
        option
        for step in plan.steps
        for option in ("diversity", "closeness")
        if getattr(step, option) is not None
    ]
    if constraints and len(plan.steps) > 1:
        raise PlanError(
            f"`{constraints[0]}` is guaranteed for all quasi-identifiers, so no other step may"
            f" mask columns. Mask all columns in one step, or leave `{constraints[0]}` out.",
            code="constraint-with-several-steps",
            option=constraints[0],
        )


def _check_chains(steps: Sequence[Step]) -> None:
    """Refuse a step that is named twice, or that needs numbers of a column recoded before."""
    for i, step in enumerate(steps):
        if any(repr(step) == repr(earlier) for earlier in steps[:i]):
            raise PlanError(
                f"{name_columns(step.columns)} would be masked twice by the same step. Keep one.",
                code="masked-twice",
                columns=tuple(step.columns),
            )
        recoded = {name for earlier in steps[:i] for name in earlier.recoded_columns}
        categories = [name for name in step.columns if name in recoded]
        if categories and not step.accepts_any_kind:
            raise PlanError(
                f"The step {step.name!r} needs numeric columns, and an earlier step makes"
                f" categories of {name_columns(categories, 'column', 'columns')}. Put the step"
                f" {step.name!r} first.",
                code="step-needs-numbers",
                step=step.name,
                columns=tuple(categories),
            )


def _noun(columns: Sequence[str]) -> str:
    return "column" if len(columns) == 1 else "columns"


def _reasons(types: Mapping[str, Type], columns: Sequence[str]) -> str:
    """Return why kinds were inferred, as a clause, or an empty string if no reason is known."""
    reasons = [types[name].why for name in columns if types[name].why]
    return f": {'; '.join(dict.fromkeys(reasons))}" if reasons else ""


def _check_shuffle(shuffle: object, seed: object) -> None:
    """Refuse invalid values of ``shuffle`` and ``random_state``."""
    if not isinstance(shuffle, bool):
        raise PlanError("`shuffle` must be true or false.", code="plan-shuffle", key="shuffle")
    is_whole = isinstance(seed, Integral) and not isinstance(seed, bool)
    if seed is not None and not (is_whole and seed >= 0):  # type: ignore[operator]
        raise PlanError(
            "The `random_state` of a plan must be an int in [0, inf).",
            code="plan-random-state",
            key="random_state",
        )
    if seed is not None and not shuffle:
        raise PlanError(
            "The `random_state` of a plan is the seed of a random order, and the plan keeps the"
            " order of the records. Set `shuffle=True`, or leave `random_state` out; steps that"
            " draw have seeds of their own.",
            code="plan-random-state",
            key="random_state",
        )


def roles_of(
    columns: Sequence[str], identifiers: Sequence[str], confidential: Sequence[str]
) -> dict[str, str]:
    """Return the roles of columns to mask, to drop and to keep; refuse two roles of one column."""
    roles: dict[str, str] = {}
    for role, names in {
        "identifier": identifiers,
        "quasi-identifier": columns,
        "confidential": confidential,
    }.items():
        for name in names:
            if roles.setdefault(name, role) != role:
                raise PlanError(
                    f"Column {name!r} is named as {roles[name]} and as {role}. Choose one.",
                    code="two-roles",
                    columns=(name,),
                )
    return roles
