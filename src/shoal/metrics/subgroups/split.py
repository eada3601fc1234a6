"""The division of tables into subgroups of enough records."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.errors import InputError, ParameterError
from shoal.frame.codes import text_codes_and_labels
from shoal.frame.columns import read_concatenated
from shoal.frame.roles import as_list
from shoal.frame.tables import Frame, check_columns
from shoal.frame.types import Type
from shoal.metrics._array_types import Codes, Counts, Labels, Mask

MAX_VALUES = 20  # a numeric column with more distinct values is divided into quarters
QUARTERS = ("first quarter", "second quarter", "third quarter", "fourth quarter")
OTHER_GROUPS = "other groups"  # label of the groups that are too small to be shown
MIN_GROUP = 5  # minimum number of records, or units, of a group by default


@dataclass(frozen=True, eq=False)
class Subgroup:
    """Records of one group, or of all groups that are too small to be shown.

    Parameters
    ----------
    label : str
        Columns and values of the group.
    size : int
        Number of records, or of units if units are given, in the first table.
    rows : tuple of ndarray
        Rows of the group in each table.
    """

    label: str
    size: int
    rows: tuple[Labels, ...]


@dataclass(frozen=True, eq=False)
class SubgroupSplit:
    """The division of a table into groups of at least ``min_group`` records.

    Parameters
    ----------
    columns : tuple of str
        Columns whose values form the groups.
    groups : tuple of Subgroup
        The groups; groups that are too small are merged into one, which comes last.
    min_group : int
        Minimum number of records, or units, of a group.
    n_merged : int
        Number of groups that were merged.
    """

    columns: tuple[str, ...]
    groups: tuple[Subgroup, ...]
    min_group: int
    n_merged: int


def split_subgroups(
    frames: Sequence[Frame],
    by: str | Sequence[str],
    min_group: int,
    types: Mapping[str, Type] | None = None,
    units: Labels | None = None,
) -> SubgroupSplit:
    """Return the groups of records that have the same values in the columns ``by`` in all tables.

    A numeric column with more than 20 distinct values is divided at the quartiles of the first
    table. Groups of fewer than ``min_group`` records, or units, are merged. If the merged groups
    are too small even together, the smallest other group is merged with them, since their size
    could otherwise be derived by subtraction.
    """
    check_min_group(min_group)
    names = as_list(by)
    for frame in frames:
        check_columns(frame, names)
    labels: list[list[str]] = []
    codes: list[list[Codes]] = []
    for name in names:
        column, texts = _read_codes(frames, name, (types or {}).get(name))
        codes.append([np.where(table_codes < 0, len(texts), table_codes) for table_codes in column])
        labels.append([*(f"{name}={text}" for text in texts), f"{name} missing"])
    combinations, groups_of_records = _match_combinations(codes)
    sizes = _sizes(groups_of_records[0], len(combinations), units)
    is_merged = _groups_to_merge(groups_of_records[0], sizes, min_group, units)
    if is_merged.all():
        raise InputError(
            f"All groups by {', '.join(map(repr, names))} have fewer than {min_group} records, or"
            " only one would remain. Choose columns with fewer values.",
            code="groups-too-small",
            columns=tuple(names),
            min_group=min_group,
        )
    groups = [
        Subgroup(
            ", ".join(texts[code] for texts, code in zip(labels, combinations[i], strict=True)),
            int(sizes[i]),
            tuple(np.flatnonzero(table_groups == i) for table_groups in groups_of_records),
        )
        for i in np.flatnonzero(~is_merged).tolist()
    ]
    if is_merged.any():
        groups.append(_merged_subgroup(groups_of_records, is_merged, units))
    return SubgroupSplit(tuple(names), tuple(groups), min_group, int(is_merged.sum()))


def _merged_subgroup(
    groups_of_records: Sequence[Labels], is_merged: Mask, units: Labels | None
) -> Subgroup:
    """Return the merged groups as a single group."""
    # Position -1 stands for records of other tables that belong to no group of the first table.
    is_merged_or_unknown = np.append(is_merged, True)
    rows = tuple(
        np.flatnonzero(is_merged_or_unknown[table_groups]) for table_groups in groups_of_records
    )
    return Subgroup(OTHER_GROUPS, _merged_size(groups_of_records[0], is_merged, units), rows)


def _match_combinations(codes: list[list[Codes]]) -> tuple[Codes, list[Labels]]:
    """Return the combinations of codes in the first table, and which of them each record has.

    ``codes`` contains, for each column, one array per table. A record of any table has the position
    of its combination, or -1 if this combination does not occur in the first table.
    """
    first_table, *other_tables = (np.column_stack(columns) for columns in zip(*codes, strict=True))
    combinations, labels = np.unique(first_table, axis=0, return_inverse=True)
    positions = {tuple(row): i for i, row in enumerate(combinations.tolist())}
    labels_of_tables = [labels.ravel()]
    for table in other_tables:
        matches = [positions.get(tuple(row), -1) for row in table.tolist()]
        labels_of_tables.append(np.array(matches, np.int64))
    return combinations, labels_of_tables


def check_min_group(min_group: Any) -> None:
    """Refuse a minimum group size of fewer than two records."""
    if not isinstance(min_group, int) or isinstance(min_group, bool) or min_group < 2:
        raise ParameterError(
            "`min_group` must be an int of at least 2: figures of a single record disclose it.",
            code="parameter-not-accepted",
            parameter="min_group",
        )


def _groups_to_merge(
    group_of_record: Labels, sizes: Counts, min_group: int, units: Labels | None
) -> Mask:
    """Return which groups to merge: groups that are too small, and enough others to hide them."""
    is_merged = sizes < min_group
    if is_merged.any():
        for i in np.argsort(sizes, kind="stable")[is_merged.sum() :]:
            if _merged_size(group_of_record, is_merged, units) >= min_group:
                break
            is_merged[i] = True
    return is_merged


def _merged_size(group_of_record: Labels, is_merged: Mask, units: Labels | None) -> int:
    """Return the number of records, or of distinct units, of all merged groups together."""
    return int(_sizes(is_merged[group_of_record].astype(np.int64), 2, units)[1])


def _sizes(group_of_record: Labels, n_groups: int, units: Labels | None) -> Counts:
    """Return the number of records, or of distinct units, of each group."""
    if units is not None:
        group_of_record = np.unique(np.column_stack([group_of_record, units]), axis=0)[:, 0]
    return np.bincount(group_of_record, minlength=n_groups)


def _read_codes(
    frames: Sequence[Frame], name: str, declared_type: Type | None
) -> tuple[list[Codes], list[str]]:
    """Return the codes of a column in each table, -1 for a missing value, and their labels."""
    try:
        column = read_concatenated(frames, name, declared_type)
    except InputError:
        return text_codes_and_labels(frames, name)
    if column.kind not in ("numeric", "date"):
        return text_codes_and_labels(frames, name)
    present_values = column.values[: len(frames[0])]
    present_values = present_values[~np.isnan(present_values)]
    if len(np.unique(present_values)) <= MAX_VALUES:
        return text_codes_and_labels(frames, name)
    edges = np.quantile(present_values, (0.25, 0.5, 0.75))
    quarter = np.searchsorted(edges, column.values, side="left").astype(np.int64)
    quarter[np.isnan(column.values)] = -1
    return np.split(quarter, np.cumsum([len(frame) for frame in frames])[:-1]), list(QUARTERS)
