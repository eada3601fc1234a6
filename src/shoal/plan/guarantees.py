"""What a plan promised is counted on the values that are about to be released."""

from collections.abc import Mapping, Sequence

from shoal.errors import GuaranteeBroken
from shoal.frame import tables
from shoal.frame.columns import ranks
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.metrics import classes, l_diversity, smallest_class, t_closeness
from shoal.steps import Microaggregate, Step
from shoal.steps.beyond import ROUNDING
from shoal.steps.households import fewest, read_households


def check_promise(
    steps: Sequence[Step],
    released: Frame,
    confidential: Sequence[str],
    types: Mapping[str, Type],
) -> None:
    """Raise where the released values keep less than a step promised; nothing leaves then.

    Households are counted where ``released`` still has their column.
    """
    for step in steps:
        for block in step.column_blocks if step.k is not None else ():
            found = classes(tables.keys(released, [*block, *step.strata]))
            attained, what = smallest_class(found[:, None]), "records"
            if step.household in released.columns:
                attained = fewest(found, read_households(released, step.household))
                what = "households"
            if attained < step.k:
                _broken(f"The smallest class of the released values holds {attained} {what}",
                        f"k={step.k}")  # fmt: skip
        if isinstance(step, Microaggregate):
            _check_beyond(step, released, confidential, types)


def _check_beyond(
    step: Microaggregate, released: Frame, confidential: Sequence[str], types: Mapping[str, Type]
) -> None:
    if step.diversity is None and step.closeness is None:
        return
    known = classes(tables.codes(released, [*step.columns, *step.strata]))[:, None]
    numbered, ordered = ranks(released, confidential, types)
    if step.diversity is not None:
        least = l_diversity(known, numbered)[step.diversity_kind].min()
        if least < step.diversity - ROUNDING:
            _broken(f"Some class of the released values hides behind {least:.4g} confidential"
                    " values", f"diversity={step.diversity:g}")  # fmt: skip
    if step.closeness is not None:
        farthest = t_closeness(known, numbered, ordered).max()
        if farthest > step.closeness + ROUNDING:
            _broken(f"Some class of the released values is {farthest:.4g} away from the table",
                    f"closeness={step.closeness:g}")  # fmt: skip


def _broken(found: str, promised: str) -> None:
    raise GuaranteeBroken(
        f"{found}; {promised} was promised. Please report this: no data were released."
    )
