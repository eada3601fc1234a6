"""Several steps on one column: which of their guarantees hold for the release."""

from collections.abc import Sequence

from shoal.steps import Step


def is_intact(steps: Sequence[Step], step: Step) -> bool:
    """Return whether no later step may split the classes of a step, so that its k still holds.

    Later steps that give equal values to equal values can only merge classes.
    """
    position = next(i for i, plan_step in enumerate(steps) if plan_step is step)
    later_steps = [
        later for later in steps[position + 1 :] if set(later.columns) & set(step.columns)
    ]
    return all(later.keeps_classes for later in later_steps)


def deciding_steps(steps: Sequence[Step], columns: Sequence[str]) -> list[Step]:
    """Return the steps on which the protection of the given masked columns rests, in order.

    If several steps mask a column, this is the last step whose k later steps leave intact, or else
    the last step. Steps whose columns are all masked again are left out.
    """
    chosen_steps = [_deciding_step(steps, name) for name in columns]
    return [step for step in steps if any(step is chosen for chosen in chosen_steps)]


def _deciding_step(steps: Sequence[Step], column: str) -> Step | None:
    """Return the step on which the protection of a column rests, or None if no step masks it."""
    masking_steps = [step for step in steps if column in step.columns]
    for step in reversed(masking_steps):
        if step.k is not None and is_intact(steps, step):
            return step
        if not step.keeps_classes:
            break
    return masking_steps[-1] if masking_steps else None


def is_chained(steps: Sequence[Step]) -> bool:
    """Return whether a column is masked by several steps."""
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
