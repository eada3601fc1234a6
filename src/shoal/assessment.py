"""Compare two tables with the same records, whoever masked one of them."""

from collections.abc import Sequence
from typing import Any

from shoal.errors import InputError, ParameterError
from shoal.measure import MEASURES, computable
from shoal.parameters import hint
from shoal.table import frame as tables


def assess(
    original: Any,
    masked: Any,
    *,
    quasi_identifiers: Sequence[str],
    confidential: Sequence[str] = (),
    measures: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Measure what masking cost and what it protects.

    Parameters
    ----------
    original : pandas, polars or pyarrow table
        The table before masking.
    masked : pandas, polars or pyarrow table
        The table after masking, with the same records in the same order.
    quasi_identifiers : list of str
        Columns that an attacker may know. Those that are not numbers count for
        the classes alone.
    confidential : list of str
        Columns that nobody should learn about a person.
    measures : list of str, optional
        Names in `shoal.MEASURES`; all that can be computed where None.

    Returns
    -------
    dict
        Value of each measure by name.

    Examples
    --------
    >>> import pandas as pd
    >>> before = pd.DataFrame({"age": [20, 22, 60, 62]})
    >>> after = pd.DataFrame({"age": [21, 21, 61, 61]})
    >>> assess(before, after, quasi_identifiers=["age"])["smallest_class"]
    2
    """
    names = [quasi_identifiers] if isinstance(quasi_identifiers, str) else list(quasi_identifiers)
    if not names:
        raise ParameterError("Name at least one quasi-identifier: risk is counted on them.")
    for name in measures or ():
        if name not in MEASURES:
            raise ParameterError(
                f"There is no measure {name!r}.{hint(name, MEASURES)} Choose among:"
                f" {', '.join(MEASURES)}."
            )
    before, after = tables.open_frame(original), tables.open_frame(masked)
    check_same_records(len(before), len(after))
    tables.check_columns(before, [*names, *confidential])
    given: dict[str, Any] = {"released": tables.codes(after, names)}
    numeric = [n for n in names if tables.is_numeric(before, n) and tables.is_numeric(after, n)]
    if numeric:
        given["original"] = tables.matrix(before, numeric)
        given["masked"] = tables.matrix(after, numeric)
    found = computable(given)
    lacking = [name for name in measures or () if name not in found]
    if lacking:
        raise InputError(
            f"The measure {lacking[0]!r} cannot be computed: no quasi-identifier is numeric in both"
            " tables."
        )
    return {name: found[name] for name in measures or found}


def check_same_records(before: int, after: int) -> None:
    """Refuse tables of different length."""
    if before != after:
        raise InputError(
            f"The original holds {before} records and the masked table {after}. Compare tables with"
            " the same records in the same order."
        )


def changed_columns(original: Any, masked: Any) -> list[str]:
    """Return the columns of both tables whose values differ."""
    before, after = tables.open_frame(original), tables.open_frame(masked)
    check_same_records(len(before), len(after))
    changed = [name for name in after.columns if name in before.columns]
    changed = [name for name in changed if tables.differ(before, after, name)]
    if not changed:
        raise InputError("No column differs between the two tables. Name the quasi-identifiers.")
    return changed
