"""Units: the persons, households or firms that k counts, each with any number of records."""

import numpy as np
from numpy.typing import NDArray

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
            f"Column {name!r} has {n_missing} missing value{'s' if n_missing > 1 else ''}, and k"
            " counts its values. Give every record a unit, its own where it belongs to no other, or"
            " remove such records.",
            code="unit-missing",
            column=name,
            missing=n_missing,
        )


def n_candidates_needed(present_units: Codes, candidate_units: Codes, k: int) -> int:
    """Return how many candidates, in order, must join some records to reach k units.

    Both are given by their units. All candidates must join if those left would be fewer than k
    units.

    Examples
    --------
    >>> n_candidates_needed(np.array([1, 1]), np.array([1, 2, 3, 4, 5]), k=2)
    2
    >>> n_candidates_needed(np.array([1, 1]), np.array([1, 2, 3, 2, 3]), k=3)
    5
    """
    units, n_candidates = set(present_units.tolist()), len(candidate_units)
    for number, unit in enumerate(candidate_units.tolist(), start=1):
        units.add(unit)
        if len(units) >= k:
            return number if len(np.unique(candidate_units[number:])) >= k else n_candidates
    return n_candidates
