"""Several steps on one column: applied in order, and which guarantees later steps leave intact."""

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.frame.replacement import TextColumn, with_values
from shoal.frame.tables import Frame, with_columns_of
from shoal.frame.types import Type
from shoal.steps import Step, StepResult

NOMINAL = Type("nominal")


def is_intact(steps: Sequence[Step], step: Step) -> bool:
    """Return whether no later step may split the classes of a step, so that its k still holds.

    Later steps that give equal values to equal values can only merge classes.
    """
    position = next(number for number, other in enumerate(steps) if other is step)
    later_steps = [
        other for other in steps[position + 1 :] if set(other.columns) & set(step.columns)
    ]
    return all(other.keeps_classes for other in later_steps)


def deciding_steps(steps: Sequence[Step], columns: Sequence[str]) -> list[Step]:
    """Return the steps on which the protection of some masked columns rests, in order.

    For a column that several steps mask, it is the last one with a k that is left intact, or else
    the last one. Steps whose columns are all masked again are not among them.
    """
    deciding = [_deciding_step(steps, name) for name in columns]
    return [step for step in steps if any(step is other for other in deciding)]


def _deciding_step(steps: Sequence[Step], column: str) -> Step | None:
    """Return the step on which the protection of a column rests; None if no step masks it."""
    masking_steps = [step for step in steps if column in step.columns]
    for step in reversed(masking_steps):
        if step.k is not None and is_intact(steps, step):
            return step
        if not step.keeps_classes:
            break
    return masking_steps[-1] if masking_steps else None


def is_chained(steps: Sequence[Step]) -> bool:
    """Return whether some column is masked by several steps."""
    names = [name for step in steps for name in step.columns]
    return len(set(names)) < len(names)


def guarantee_of(steps: Sequence[Step], step: Step) -> str:
    """Return what a step guarantees of the release, in sentences; later steps may undo it."""
    if is_intact(steps, step):
        return step.guarantee
    return (
        f"What the step {step.name!r} guarantees need not hold for the release: a later step masks"
        " its columns again."
    )


def apply_steps(
    steps: Sequence[Step], frame: Frame, confidential: Sequence[str], types: Mapping[str, Type]
) -> tuple[Frame, list[StepResult]]:
    """Apply steps in order; return the masked table and the result of each step.

    A step is applied to the columns that it masks as earlier steps have masked them, and to all
    others as in the original. A column that was recoded to text is nominal for later steps.
    """
    results: list[StepResult] = []
    values: dict[str, Any] = {}
    masked = frame
    for step in steps:
        chained = [name for name in step.columns if name in values]
        step_input, known_types = frame, types
        if chained:
            all_chained = len(chained) == len(step.columns)
            step_input = masked if all_chained else with_columns_of(frame, masked, chained)
            known_types = {**types, **{name: NOMINAL for name in chained if _is_text(values[name])}}
        result = step.apply(step_input, confidential, known_types)
        results.append(result)
        values |= result.values
        masked = with_values(masked, result.values)
    return masked, results


def _is_text(values: Any) -> bool:
    return isinstance(values, TextColumn)
