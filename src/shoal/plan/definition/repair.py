"""What a plan does about edits that masking would break: refuse, or regroup their columns."""

from collections.abc import Iterable, Sequence
from typing import Literal, get_args

from shoal.errors import PlanError
from shoal.frame.edits import Edit
from shoal.steps import Microaggregate, Step

Repair = Literal["refuse", "regroup"]


def check_repair(repair: object, edits: Sequence[Edit]) -> Repair | None:
    """Return ``repair``, which may be None; refuse an invalid choice, and any without edits."""
    if repair is not None and (repair not in get_args(Repair) or not edits):
        raise PlanError(
            '`repair` must be "refuse" or "regroup", and needs edits. Without `repair`, the verdict'
            " reports broken edits.",
            code="plan-repair",
        )
    return repair  # type: ignore[return-value]


def join_blocks(steps: Iterable[Step], edits: Sequence[Edit]) -> list[Step]:
    """Return the steps with the columns of each edit in one block of a microaggregation.

    Means of the same groups obey every linear rule that all records of the groups obey.
    """
    return [
        _with_joined_blocks(step, edits) if isinstance(step, Microaggregate) else step
        for step in steps
    ]


def _with_joined_blocks(step: Microaggregate, edits: Sequence[Edit]) -> Microaggregate:
    """Return a step in which the blocks that an edit links are one."""
    blocks = step.column_blocks
    for edit in edits:
        linked_blocks = [block for block in blocks if set(block) & set(edit.columns)]
        if len(linked_blocks) > 1:
            joined = [name for block in linked_blocks for name in block]
            blocks = [joined if block is linked_blocks[0] else block for block in blocks]
            merged_ids = [id(block) for block in linked_blocks[1:]]
            blocks = [block for block in blocks if id(block) not in merged_ids]
    if len(blocks) == len(step.column_blocks):
        return step
    return step.replace(blocks=None if len(blocks) == 1 else blocks)
