"""What the groups of a microaggregation depend on besides its options and the block of columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal.frame.codes import codes_with_missing
from shoal.frame.columns import Column
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.steps._step import check_confidential
from shoal.steps.constraints.households import refuse_split_households
from shoal.steps.constraints.privacy_constraint import PrivacyConstraint, read_privacy_constraint
from shoal.steps.constraints.strata import (
    FrameStrata,
    merge_small_strata,
    refuse_small_strata,
    split_strata,
)
from shoal.steps.constraints.units import read_units
from shoal.steps.microaggregation.checks import check_axes
from shoal.steps.microaggregation.distance_space import DistanceSpace, read_distance_space
from shoal.steps.microaggregation.group_values import read_recoded_columns
from shoal.steps.recoding.local_recoding import LocallyRecodedColumns

if TYPE_CHECKING:
    from shoal.steps.microaggregate import Microaggregate

Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class GroupingInput:
    """The records to group and the constraints on their groups, the same for all blocks.

    Parameters
    ----------
    space : DistanceSpace
        Coordinates for distances.
    strata : FrameStrata
        Strata that no group crosses.
    constraint : PrivacyConstraint or None
        Constraint on the confidential values of every group.
    confidential : list of str
        Names of the confidential columns.
    confidential_codes : ndarray of shape (n_records, n_confidential)
        Their values as integer codes, below 0 for missing cells; without columns if homogeneous
        groups are accepted.
    units : ndarray of shape (n_records,), optional
        The unit of each record as an integer, if k counts units.
    recoded : LocallyRecodedColumns
        The columns that are released as ancestors or ranges.
    """

    space: DistanceSpace
    strata: FrameStrata
    constraint: PrivacyConstraint | None
    confidential: Sequence[str]
    confidential_codes: Codes
    units: Codes | None = None
    recoded: LocallyRecodedColumns = LocallyRecodedColumns({}, {})


def read_grouping_input(
    step: "Microaggregate",
    frame: Frame,
    columns: Sequence[Column],
    confidential: Sequence[str],
    types: Mapping[str, Type],
    weights: NDArray[np.float64] | None,
) -> GroupingInput:
    """Return the coordinates, strata, units and constraints with which a step groups records.

    ``weights`` are the survey weights of the records, if the step uses weights.
    """
    space = read_distance_space(step, frame, columns, confidential, types, weights)
    check_axes(step, space, any(column.is_missing.any() for column in columns))
    units = None if step.unit_column is None else read_units(frame, step.unit_column)
    return GroupingInput(
        space=space,
        strata=_split_strata(step, frame, space, units),
        constraint=read_privacy_constraint(step, frame, confidential, types, units),
        confidential=confidential,
        confidential_codes=_confidential_codes(step, frame, confidential),
        units=units,
        recoded=read_recoded_columns(step, frame, columns, types),
    )


def _split_strata(
    step: "Microaggregate", frame: Frame, space: DistanceSpace, units: Codes | None
) -> FrameStrata:
    """Return strata of at least k; merge or refuse smaller ones."""
    strata = split_strata(frame, step.strata)
    if step.small_strata == "merge":
        strata = merge_small_strata(strata, step.k, space.Z, units, step.unit_noun)
    refuse_small_strata(strata, step.k, units, step.unit_noun)
    if units is not None and step.whole_households:
        refuse_split_households(strata.rows, units)
    return strata


def _confidential_codes(step: "Microaggregate", frame: Frame, confidential: Sequence[str]) -> Codes:
    """Return codes of the confidential values, or no columns if homogeneous groups are accepted."""
    if step.homogeneity == "warn":
        return np.empty((len(frame), 0), np.int64)
    check_confidential(confidential, f'`homogeneity="{step.homogeneity}"`')
    return codes_with_missing(frame, confidential)
