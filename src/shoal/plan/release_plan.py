"""The plan of a release: the plan that was run, with all that the run inferred, drew and counted.

Running it on the same table gives the same release.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shoal.partitioners import to_entry as partitioner_entry
from shoal.plan.definition.other_columns import changes_to_name_all_columns
from shoal.plan.interpretation import Interpretation
from shoal.steps import GroupingStep, Microaggregate, Step, StepResult

if TYPE_CHECKING:
    from shoal.plan.plan import Plan


def reproducible_step(step: Step, interpretation: Interpretation) -> Step:
    """Return a step with the decimals that a file shows, and with its missing seeds drawn."""
    if isinstance(step, Microaggregate):
        step = step.with_decimals_of(interpretation.decimals)
    return step.draw_missing_seeds()


def drawn_step_seeds(plan: "Plan", seeded_steps: Sequence[Step]) -> tuple[int, ...]:
    """Return the seeds that ``seeded_steps`` have and the steps of the plan do not."""
    steps = zip(plan.steps, seeded_steps, strict=True)
    pairs_by_step = [
        zip(plan_step.seeds, seeded_step.seeds, strict=True) for plan_step, seeded_step in steps
    ]
    return tuple(
        drawn_seed
        for pairs in pairs_by_step
        for plan_seed, drawn_seed in pairs
        if plan_seed is None and drawn_seed is not None
    )


def plan_of_release(
    plan: "Plan",
    interpretation: Interpretation,
    steps: Sequence[Step],
    order_seed: int | None,
    columns: Sequence[str],
) -> "Plan":
    """Return the plan of a release: the plan that was run, with all that the run added.

    Parameters
    ----------
    plan : Plan
        The plan that was run.
    interpretation : Interpretation
        How it read the columns.
    steps : sequence of Step
        Its steps, as `without_time_budget` returns them.
    order_seed : int or None
        The seed of the order of the records, or None if they keep their order.
    columns : sequence of str
        All columns of the table; the plan of the release names each of them.

    Returns
    -------
    Plan
        The plan of the release: ``plan`` itself, if nothing has to be added.
    """
    parameters = {
        "types": interpretation.types,
        "missing_codes": interpretation.missing_codes,
        "steps": steps,
        "random_state": order_seed,
        **changes_to_name_all_columns(plan, columns),
    }
    changes = {name: value for name, value in parameters.items() if value != getattr(plan, name)}
    return plan.replace(**changes) if changes else plan


def without_time_budget(step: Step, result: StepResult) -> Step:
    """Return the step that reproduces a result: what it did within a time budget, if any."""
    partitioner = result.reproducible_partitioner
    if not isinstance(step, GroupingStep) or partitioner is None:
        return step
    if partitioner_entry(partitioner) == partitioner_entry(step.partitioner):
        return step
    return step.replace(partitioner=partitioner)
