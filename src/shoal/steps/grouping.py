"""Records become groups: stratum by stratum, and one pattern of missing cells after the other."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.frame.columns import Column
from shoal.partitioners import ClosenessFirst, Partition, Partitioner
from shoal.partitioners.units import group_units
from shoal.steps import beyond
from shoal.steps.geometry import Space
from shoal.steps.homogeneity import constant_inside, merge_constant, told
from shoal.steps.households import group_households
from shoal.steps.missing import join_patterns, same_pattern
from shoal.steps.strata import Strata

if TYPE_CHECKING:
    from shoal.steps.microaggregate import Microaggregate

Codes = NDArray[np.int64]
Holes = NDArray[np.bool_]
Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Material:
    """What a step groups records by, the same for all blocks of columns.

    Parameters
    ----------
    space : Space
        Where distances are taken.
    strata : Strata
        What no group crosses.
    demand : Demand or None
        What every group must hold of the confidential columns.
    confidential : list of str
        Names of the confidential columns.
    codes : ndarray of shape (n_records, n_confidential)
        Numbers that stand for their values, where homogeneity is seen to.
    units : ndarray of shape (n_records,), optional
        The unit of each record as a number, where k counts units.
    """

    space: Space
    strata: Strata
    demand: beyond.Demand | None
    confidential: Sequence[str]
    codes: Codes
    units: Codes | None = None


class Grouped(NamedTuple):
    """The groups of a block of columns, and how they came about.

    ``settled`` makes them again, whatever the clock says; ``hole`` says which cells
    of the columns have no value in the release.
    """

    groups: Partition
    fitted: list[Partitioner]
    settled: Partitioner
    hole: Holes


class Part(NamedTuple):
    """Records to group together, the columns that they know, and what to call them."""

    rows: Rows
    known: list[str]
    where: str


def group(
    step: "Microaggregate",
    columns: Sequence[Column],
    material: Material,
    partition: Partitioner,
) -> Grouped:
    """Group the records of each stratum; see to groups that share a confidential value.

    What the first stratum settles, how far its time went, holds for the others.
    """
    hole = np.column_stack([column.is_missing for column in columns])
    labels = np.full(len(hole), -1)
    offset = 0
    fitted: list[Partitioner] = []
    for part in _parts(step, columns, material, hole):
        groups, used = _split(step, part, material, partition, len(hole))
        if used is not None:
            fitted.append(used)
            if isinstance(used, type(partition)):
                partition = used.reproducible_copy()
        labels[part.rows] = groups.labels + offset
        offset += groups.n_groups
    groups = Partition(labels, step.k)
    if step.homogeneity == "refuse":
        _refuse_constant(groups, material)
    return Grouped(groups, fitted, partition, hole)


def _split(
    step: "Microaggregate", part: Part, material: Material, partition: Partitioner, n: int
) -> tuple[Partition, Partitioner | None]:
    """Group the records of a part; return also the partitioner, where one was needed."""
    rows, demand = part.rows, material.demand
    if demand is not None:
        demand.refuse_unreachable(rows, part.where)
    Z = material.space.seen(rows, part.known)
    used = None
    if not Z.shape[1]:
        groups = _together(rows, step.k)
    else:
        chosen = beyond.partitioner(step, demand, partition)
        used = chosen.with_budget_share(len(rows) / (n * len(step.column_blocks)))
        # Groups that are close from the start are merged below until they hold k units.
        if material.units is None or isinstance(used, ClosenessFirst):
            groups = used.fit(Z).partition_
        elif step.whole_households:
            groups = group_households(Z, material.units[rows], used)
        else:
            groups = group_units(Z, material.units[rows], used)
    if step.homogeneity == "merge":
        codes = material.codes[rows]
        units = None if material.units is None else material.units[rows]
        groups = merge_constant(Z, groups, codes, material.confidential, part.where, units)
    if demand is not None:
        groups = demand.enforce(Z, groups, rows, by=step.closeness_by)
    return groups, used


def _parts(
    step: "Microaggregate", columns: Sequence[Column], material: Material, hole: Holes
) -> Iterator[Part]:
    """Yield the records to group together; further cells may be suppressed in ``hole``."""
    names = [column.name for column in columns]
    strata = material.strata
    own = step.missing == "own-groups" and bool(hole.any())
    for at, rows in enumerate(strata.rows):
        if not own:
            yield Part(rows, names, strata.where(at))
            continue
        units = None if material.units is None else material.units[rows]
        number = len(rows) if units is None else len(np.unique(units))
        if number < step.k:
            what = "records" if units is None else "units"
            raise InputError(
                f"A group needs k={step.k} {what} but the data hold only {number}. Lower k.",
                code="too-few-records" if units is None else "too-few-units",
                k=step.k,
            )
        chosen, of = material.space.axes(names)
        Z = material.space.Z[rows][:, chosen]
        hole[rows] = join_patterns(hole[rows], Z, of, step.k, units)
        for pattern in same_pattern(hole[rows]):
            out = hole[rows[pattern[0]]]
            known = [name for name, missing in zip(names, out, strict=True) if not missing]
            same = " with the same missing cells" if out.any() else ""
            yield Part(rows[pattern], known, strata.where(at) + same)


def _refuse_constant(groups: Partition, material: Material) -> None:
    found = constant_inside(groups, material.codes, material.units).tolist()
    reason = told(dict(zip(material.confidential, found, strict=True)), groups.n_groups)
    if reason:
        raise InputError(
            f'{reason} Set `homogeneity="merge"` to join such groups with their neighbours, or'
            " raise k.",
            code="homogeneous-groups",
        )


def _together(rows: Rows, k: int) -> Partition:
    """Return one group: nothing is known that could tell the records apart."""
    return Partition(np.zeros(len(rows), np.int64), k)
