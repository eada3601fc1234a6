"""Local search that refines groups so that their common ancestors and ranges lose less."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal import _progress as progress
from shoal._kernels.constants import NONE
from shoal._kernels.recoding.groups import RecodedGroups, summarise
from shoal._kernels.recoding.local_search import N_ACTIVE, GroupLists, improve_groups
from shoal.partitioners import Partition
from shoal.partitioners._base import in_order
from shoal.steps.recoding.hierarchies import RecodableColumn

Codes = NDArray[np.int64]
CHUNK = 1000  # groups among which records may move in one pass, at most
MAX_PASSES = 40
MIN_GAIN = 1e-4  # if a pass saves a smaller share of the loss, the next one tries all groups


def refine_recoding(
    columns: Sequence[RecodableColumn],
    numbers: NDArray[np.float64],
    groups: Partition,
    units: Codes | None = None,
) -> Partition:
    """Return groups that lose less when their values become ancestors and ranges.

    Parameters
    ----------
    columns : sequence of RecodableColumn
        The columns that are released as ancestors.
    numbers : ndarray of shape (n_records, n_numbers)
        The columns that are released as ranges, divided by the range of the whole column, with NaN
        for missing values.
    groups : Partition
        The groups to start from.
    units : ndarray of shape (n_records,), optional
        The unit of each record, if k counts units.

    Returns
    -------
    Partition
        Groups with the same k, whose loss is not greater.
    """
    recoded = recoded_groups(columns, numbers, groups.labels, units)
    n_groups, capacity = groups.n_groups, len(recoded.head)
    active_groups = np.arange(n_groups)
    group_lists = GroupLists(
        active=np.zeros(capacity, np.int64),
        unused=np.zeros(capacity, np.int64),
        counts=np.array([0, capacity - n_groups]),
        may_dissolve=np.ones(capacity, bool),  # the first pass tries all groups
    )
    group_lists.unused[: capacity - n_groups] = np.arange(n_groups, capacity)
    may_dissolve = group_lists.may_dissolve
    for pass_number in range(MAX_PASSES):
        loss_before = float(recoded.loss[active_groups].sum())
        old_labels = recoded.labels.copy()
        tries_all = may_dissolve.all()
        total_gain = 0.0
        improved_groups = []
        for chunk in _chunks(recoded, active_groups, pass_number):
            progress.report("refining", pass_number, MAX_PASSES)
            group_lists.active[: len(chunk)] = chunk
            group_lists.counts[N_ACTIVE] = len(chunk)
            is_in_chunk = np.zeros(capacity, bool)
            is_in_chunk[chunk] = may_dissolve[chunk]
            records = np.flatnonzero(is_in_chunk[recoded.labels])
            total_gain += improve_groups(recoded, groups.k, group_lists, records)
            n_active = group_lists.counts[N_ACTIVE]
            improved_groups.append(group_lists.active[:n_active].copy())
        active_groups = np.sort(np.concatenate(improved_groups))
        has_moved = recoded.labels != old_labels
        may_dissolve[:] = False
        may_dissolve[old_labels[has_moved]] = may_dissolve[recoded.labels[has_moved]] = True
        if total_gain <= MIN_GAIN * loss_before:
            # Groups that were split without a gain may still be improved by the next pass.
            if tries_all and (total_gain > 0 or not has_moved.any()):
                break
            may_dissolve[:] = True
    return Partition(in_order(recoded.labels), groups.k)


def recoding_loss(
    columns: Sequence[RecodableColumn], numbers: NDArray[np.float64], groups: Partition
) -> float:
    """Return the sum of the losses of all cells, if each group shows its ancestors and ranges."""
    return float(recoded_groups(columns, numbers, groups.labels).loss[: groups.n_groups].sum())


def recoded_groups(
    columns: Sequence[RecodableColumn],
    numbers: NDArray[np.float64],
    labels: Codes,
    units: Codes | None = None,
) -> RecodedGroups:
    """Return the state of a local search: the groups with their ancestors, ranges and losses."""
    n, p, q = len(labels), len(columns), numbers.shape[1]
    ancestors, losses, codes = _hierarchy_arrays(columns, n)
    n_groups = int(labels.max()) + 1
    capacity = n_groups + n // 2 + 1
    n_rows = capacity + 2
    unit_of_record = np.arange(n) if units is None else units.astype(np.int64)
    head, next_record, previous_record = _linked_lists(labels, capacity)
    sizes = np.zeros(capacity, np.int64)
    sizes[:n_groups] = np.bincount(labels)
    pairs = np.unique(np.column_stack([labels, unit_of_record]), axis=0)
    n_units = np.zeros(capacity, np.int64)
    n_units[:n_groups] = np.bincount(pairs[:, 0], minlength=n_groups)
    recoded = RecodedGroups(
        ancestors=ancestors,
        losses=losses,
        codes=codes,
        numbers=np.ascontiguousarray(numbers, np.float64),
        unit=unit_of_record,
        labels=labels.astype(np.int64),
        head=head,
        next_record=next_record,
        previous_record=previous_record,
        sizes=sizes,
        n_units=n_units,
        level=np.zeros((n_rows, p), np.int64),
        example_code=np.full((n_rows, p), NONE, np.int64),
        n_values=np.zeros((n_rows, p), np.int64),
        low=np.zeros((n_rows, q)),
        high=np.zeros((n_rows, q)),
        n_numbers=np.zeros((n_rows, q), np.int64),
        loss=np.zeros(n_rows),
    )
    for g in range(n_groups):
        summarise(recoded, g, g, NONE)
    return recoded


def _hierarchy_arrays(
    columns: Sequence[RecodableColumn], n: int
) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.int32]]:
    """Return ancestors and losses by column, level and value, and the values of the records.

    The last level of a column with fewer levels than others is repeated.
    """
    p = len(columns)
    depth = max((len(column.labels) for column in columns), default=1)
    max_values = max((len(column.labels[0]) for column in columns), default=1)
    ancestors = np.zeros((p, depth, max_values), np.int32)
    losses = np.zeros((p, depth, max_values))
    codes = np.empty((n, p), np.int32)
    for i, column in enumerate(columns):
        n_values = len(column.labels[0])
        for level in range(depth):
            column_level = min(level, len(column.labels) - 1)
            ancestors[i, level, :n_values] = column.levels.ancestors[column_level]
            losses[i, level, :n_values] = column.levels.losses[column_level]
        codes[:, i] = np.where(column.is_missing, NONE, column.codes)
    return ancestors, losses, codes


def _linked_lists(labels: Codes, capacity: int) -> tuple[Codes, Codes, Codes]:
    """Return the first record of each group, and the next and previous record of each record."""
    n = len(labels)
    order = np.lexsort((np.arange(n), labels))
    next_record = np.full(n, NONE, np.int64)
    previous_record = np.full(n, NONE, np.int64)
    is_same_group = labels[order[1:]] == labels[order[:-1]]
    next_record[order[:-1][is_same_group]] = order[1:][is_same_group]
    previous_record[order[1:][is_same_group]] = order[:-1][is_same_group]
    head = np.full(capacity, NONE, np.int64)
    head[labels[order[::-1]]] = order[::-1]
    return head, next_record, previous_record


def _chunks(recoded: RecodedGroups, active_groups: Codes, pass_number: int) -> list[Codes]:
    """Return chunks of similar groups; each pass sorts the groups by another column first."""
    if len(active_groups) <= CHUNK:
        return [active_groups]
    keys = [*recoded.example_code[active_groups].T, *recoded.low[active_groups].T]
    rotated_keys = [keys[(i + pass_number) % len(keys)] for i in range(len(keys))]
    order = active_groups[np.lexsort(rotated_keys)]
    return np.array_split(order, -(-len(active_groups) // CHUNK))
