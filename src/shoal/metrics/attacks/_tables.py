"""The columns that the original, the release and the control table have in common."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.frame.codes import text_codes
from shoal.frame.columns import read_concatenated
from shoal.frame.roles import name_columns
from shoal.frame.tables import Frame
from shoal.frame.types import Type

Column = NDArray[Any]  # float64 with NaN for missing, or int64 codes with -1 for missing


@dataclass(frozen=True, eq=False)
class AttackTables:
    """Columns that the tables have in common, by name.

    Numbers, dates and ordered values are float64, with NaN for missing values. Categories are int64
    codes, the same in all tables, with -1 for missing values.

    Parameters
    ----------
    original : dict of str to ndarray
        Columns of the original.
    released : dict of str to ndarray
        The same columns of the release.
    control : dict of str to ndarray, optional
        The same columns of the control table.
    remarks : list of str
        Sentences on columns that are left out, or are compared in a way that readers should know.
    """

    original: dict[str, Column]
    released: dict[str, Column]
    control: dict[str, Column] | None
    remarks: list[str] = field(default_factory=list)

    def is_quantitative(self, name: str) -> bool:
        """Return whether a column holds numbers, dates or ranks rather than codes of categories."""
        return self.released[name].dtype == np.float64


def read_tables(
    original: Frame,
    released: Frame,
    control: Frame | None,
    types: Mapping[str, Type],
    *,
    aligned: bool,
) -> AttackTables:
    """Return the columns that all tables have in common.

    A release may have recoded values, such as ``20-29`` for 27, and an attacker knows which values
    such a label covers. If a column has labels that the original does not have, the value of each
    target is therefore replaced by the label of its own released record, the most that an attacker
    can know.
    """
    frames = [original, released, *([] if control is None else [control])]
    names = [name for name in released.columns if all(name in frame.columns for frame in frames)]
    result = AttackTables({}, {}, None if control is None else {})
    recoded: list[str] = []
    not_comparable: list[str] = []
    for name in names:
        try:
            columns = _read_column(frames, name, types.get(name))
        except InputError:
            not_comparable.append(name)
            continue
        if columns[1].dtype == np.int64 and _has_new_labels(columns[0], columns[1]):
            if not aligned:
                not_comparable.append(name)
                continue
            columns = _use_released_labels(columns)
            recoded.append(name)
        result.original[name], result.released[name] = columns[:2]
        if result.control is not None:
            result.control[name] = columns[2]
    if recoded:
        result.remarks.append(
            f"{name_columns(recoded)} recoded: an attacker is assumed to know the released label of"
            " a target's value."
        )
    if not_comparable:
        result.remarks.append(
            f"{name_columns(not_comparable)} left out: values cannot be compared between the"
            " tables."
        )
    return result


def _read_column(frames: Sequence[Frame], name: str, declared_type: Type | None) -> list[Column]:
    """Return one column of each table: numbers, or codes that are the same in all tables."""
    try:
        column = read_concatenated(frames, name, declared_type)
    except InputError:
        return list(text_codes(frames, name))
    values = column.codes if column.kind in ("nominal", "boolean") else column.values
    return np.split(values, np.cumsum([len(frame) for frame in frames])[:-1])


def _has_new_labels(original: Column, released: Column) -> bool:
    return not np.isin(released[released >= 0], original).all()


def _use_released_labels(columns: list[Column]) -> list[Column]:
    """Return the columns with original values replaced by released labels.

    A control record gets the label that most original records with its value have.
    """
    original, released = columns[:2]
    labels = [released, released]
    if len(columns) > 2:
        pairs, counts = np.unique(np.column_stack([original, released]), axis=0, return_counts=True)
        # The last pair of each value is kept by the dict: the pair with the most frequent label.
        label_of_value = dict(pairs[np.argsort(counts, kind="stable")].tolist())
        values, inverse = np.unique(columns[2], return_inverse=True)
        control_labels = [label_of_value.get(value, -1) for value in values.tolist()]
        labels.append(np.array(control_labels, np.int64)[inverse.ravel()])
    return labels
