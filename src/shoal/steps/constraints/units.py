"""Units: the persons, households or firms that k counts, each with any number of records."""

import numpy as np
from numpy.typing import NDArray

from shoal._text import count
from shoal.errors import InputError
from shoal.frame import tables
from shoal.frame.codes import codes
from shoal.frame.tables import Frame

Codes = NDArray[np.int64]


def read_units(frame: Frame, name: str) -> Codes:
    """Return the unit of each record as an integer from 0; refuse records without a unit."""
    tables.check_columns(frame, [name])
    refuse_missing_units(name, tables.missing_counts(frame, [name]).get(name, 0))
    return np.unique(codes(frame, [name]), return_inverse=True)[1].ravel()


def refuse_missing_units(name: str, n_missing: int) -> None:
    """Refuse records without a unit, given their number."""
    if n_missing:
        raise InputError(
            f"Column {name!r} has {count(n_missing, 'missing value')}, but k counts its values."
            " Give every record a unit, a separate one if it belongs to no other record, or remove"
            " these records.",
            code="unit-missing",
            column=name,
            missing=n_missing,
        )


def n_candidates_needed(present_units: Codes, candidate_units: Codes, k: int) -> int:
    """Return how many candidates, in order, must join the present records to reach k units.

    Records and candidates are given by their units. All candidates must join if the remaining ones
    would be fewer than k units.

    Examples
    --------
    >>> n_candidates_needed(np.array([1, 1]), np.array([1, 2, 3, 4, 5]), k=2)
    2
    >>> n_candidates_needed(np.array([1, 1]), np.array([1, 2, 3, 2, 3]), k=3)
    5
    """
    units = set(present_units.tolist())
    for n_joining, unit in enumerate(candidate_units.tolist(), start=1):
        units.add(unit)
        if len(units) >= k:
            is_rest_large = len(np.unique(candidate_units[n_joining:])) >= k
            return n_joining if is_rest_large else len(candidate_units)
    return len(candidate_units)
