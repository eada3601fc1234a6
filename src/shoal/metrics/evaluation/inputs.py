"""Checks of tables and roles, and the unit of each record as an integer."""

from collections.abc import Sequence

import numpy as np

from shoal._text import count
from shoal.errors import InputError, ParameterError
from shoal.frame import tables
from shoal.frame.codes import codes
from shoal.frame.roles import name_columns
from shoal.frame.tables import Frame
from shoal.metrics._array_types import Labels
from shoal.metrics.equivalence_classes import classes


def check_assessed_columns(quasi_identifiers: Sequence[str], confidential: Sequence[str]) -> None:
    """Refuse to measure risk without a quasi-identifier, or with a column in two roles."""
    if not quasi_identifiers:
        raise ParameterError(
            "Name at least one quasi-identifier: risk is measured on the quasi-identifiers.",
            code="quasi-identifiers-needed",
        )
    in_both_roles = [name for name in quasi_identifiers if name in confidential]
    if in_both_roles:
        raise ParameterError(
            f"{name_columns(in_both_roles)} cannot be both quasi-identifier and confidential."
            " Choose one.",
            code="two-roles",
            columns=tuple(in_both_roles),
        )


def check_same_records(n_original: int, n_masked: int) -> None:
    """Refuse tables of different length."""
    if n_original != n_masked:
        raise InputError(
            f"The original has {count(n_original, 'record')} and the masked table {n_masked:,}."
            " Compare tables with the same records in the same order.",
            code="records-differ",
            original=n_original,
            masked=n_masked,
        )


def read_unit_codes(frame: Frame, name: str) -> Labels:
    """Return the unit of each record as an integer; a missing value is a unit of its own."""
    units = classes(codes(frame, [name]))
    missing = np.flatnonzero(tables.has_missing(frame, [name]))
    units[missing] = units.max() + 1 + np.arange(len(missing))
    return units
