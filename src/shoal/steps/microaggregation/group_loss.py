"""The loss of the groups of a microaggregation: its proven bound, and its value with weights."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shoal.errors import ColumnsWeighted
from shoal.frame.columns import Column
from shoal.partitioners import Partition, Partitioner
from shoal.steps.microaggregation.distance_space import DistanceSpace, loss_of_groups

if TYPE_CHECKING:
    from shoal.steps.microaggregate import Microaggregate


def bound_on_loss(
    step: "Microaggregate", partitioners: Sequence[Partitioner], columns: Sequence[Column]
) -> float | None:
    """Return a lower bound on the SSE of the z-scores: the sum of the bounds of the partitioners.

    Return None if a partitioner proved no bound, or if the bounds refer to other coordinates or to
    other points than the records.
    """
    bounds = [partitioner.bound_ for partitioner in partitioners if partitioner.bound_ is not None]
    is_complete = all(
        column.kind == "numeric" and not column.is_missing.any() for column in columns
    )
    has_column_weights = not set((step.column_weights or {}).values()) <= {1}
    uses_zscores = (
        step.standardise == "zscore" and not step.weighted_distances and not has_column_weights
    )
    # Groups of k units are groups of at least k records too, so the bound holds for them. Whole
    # households, however, are grouped by their means, which are other points than the records, and
    # confidential columns add other axes.
    groups_records = not step.whole_households and not step.dependence
    is_proven = len(bounds) == len(partitioners)
    if not (is_proven and is_complete and uses_zscores and groups_records):
        return None
    return sum(bounds)


def weighted_loss_warnings(
    step: "Microaggregate", space: DistanceSpace, partitions: Sequence[Partition]
) -> list[ColumnsWeighted]:
    """Return a warning with the loss of the groups by the weights of columns, if there are any."""
    if not step.column_weights:
        return []
    loss = loss_of_groups(space, step.column_blocks, [groups.labels for groups in partitions])
    return column_weight_warnings(step, loss)


def column_weight_warnings(step: "Microaggregate", loss: float | None) -> list[ColumnsWeighted]:
    """Return a warning that columns count differently in distances, if they have weights.

    ``loss`` is the information loss with the weights of the columns, in per cent, or None if it is
    not known.
    """
    if not step.column_weights:
        return []
    weights = ", ".join(f"{name!r} {weight:g}" for name, weight in step.column_weights.items())
    others = "" if len(step.column_weights) == len(step.columns) else ", all others 1"
    sentence = f"Distances weigh the columns: {weights}{others}."
    if loss is not None:
        sentence += (
            f" With these weights the groups lose {loss:.4g} %; the information loss counts all"
            " columns alike."
        )
    return [
        ColumnsWeighted(
            sentence, code="columns-weighted", columns=tuple(step.column_weights), loss=loss
        )
    ]
