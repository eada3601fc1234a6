"""The decorator of measures, which checks their inputs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, wraps
from inspect import Signature
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.metrics._array_types import Labels
from shoal.metrics._ranks import dense_ranks

MeasureKind = Literal["utility", "risk"]
Better = Literal["lower", "higher", "near one", "neither"]
Cost = Literal["linear", "search"]
Per = Literal["", "quasi-identifier", "confidential", "categorical"]

NUMERIC_INPUTS = ("original", "masked", "confidential", "weights")
CATEGORY_INPUTS = ("original_categories", "masked_categories", "other_categories")
TABLE_INPUTS = (*NUMERIC_INPUTS, *CATEGORY_INPUTS, "released", "confidential_codes", "categories")


@dataclass(frozen=True)
class MeasureInfo:
    """Kind, direction, unit and cost of a measure.

    Parameters
    ----------
    kind : str
        ``"utility"``: what an analyst loses; ``"risk"``: what an attacker gains.
    better : str
        Which values are better: ``"lower"``, ``"higher"``, ``"near one"`` or ``"neither"``.
    unit : str
        Unit of the number, for a reader; ``"%"`` for per cent.
    per : str
        The columns that have one number each: ``"quasi-identifier"``, ``"confidential"`` or
        ``"categorical"`` (masked categorical columns). Empty if there is one number for the table.
    cost : str
        How time grows with the number of records: ``"linear"`` (up to logarithms), or ``"search"``
        if the nearest of all records is searched for each record.
    """

    kind: MeasureKind
    better: Better
    unit: str = ""
    per: Per = ""
    cost: Cost = "linear"


_info_by_measure: dict[Callable[..., Any], MeasureInfo] = {}
signature_of = cache(Signature.from_callable)


def measure(
    kind: MeasureKind, better: Better, unit: str = "", *, per: Per = "", cost: Cost = "linear"
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Mark a function as a measure; the names of its parameters are its inputs.

    Tables are checked before the function is called. Parameters with a default are optional.
    `shoal.metrics.catalogue` lists all measures.
    """

    def mark(function: Callable[..., Any]) -> Callable[..., Any]:
        signature = signature_of(function)

        @wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            return function(**_checked_inputs(signature.bind(*args, **kwargs).arguments))

        _info_by_measure[checked] = MeasureInfo(kind, better, unit, per, cost)
        return checked

    return mark


def info_of(function: Callable[..., Any]) -> MeasureInfo:
    """Return the kind, direction, unit and cost of a measure."""
    return _info_by_measure[function]


def _checked_inputs(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs with tables as arrays; refuse tables that do not fit together."""
    checked_inputs = dict(inputs)
    tables = {
        name: _checked_table(name, table)
        for name, table in inputs.items()
        if name in TABLE_INPUTS and table is not None
    }
    checked_inputs |= tables
    if checked_inputs.get("units") is not None:
        n_records = len(next(iter(inputs.values())))
        checked_inputs["units"] = _unit_codes(checked_inputs["units"], n_records)
    _check_shapes({name: table.shape for name, table in tables.items()})
    return checked_inputs


def _checked_table(name: str, values: Any) -> NDArray[Any]:
    """Return an input as a table; refuse empty tables, and numbers that are not finite."""
    # Measures process one column after the other, so columns are contiguous.
    table = np.asarray(values, np.float64 if name in NUMERIC_INPUTS else None, order="F")
    if table.ndim != 2 or 0 in table.shape:
        raise InputError(
            f"{name!r} must be a table of at least one record and one column. Got the shape"
            f" {table.shape} instead.",
            code="matrix-not-accepted",
            need=name,
        )
    if name in NUMERIC_INPUTS and not np.isfinite(table).all():
        count = int((~np.isfinite(table)).sum())
        raise InputError(
            f"{name!r} has {count:,} missing or infinite values. Drop them first.",
            code="missing-values",
            need=name,
            count=count,
        )
    return table


def _check_shapes(shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Refuse tables of different lengths, and masked tables with other columns."""
    has_same_columns = all(
        f"masked{suffix}" not in shapes or shapes[f"original{suffix}"] == shapes[f"masked{suffix}"]
        for suffix in ("", "_categories")
    )
    if len({n_records for n_records, _ in shapes.values()}) > 1 or not has_same_columns:
        sizes = ", ".join(
            f"{name!r} {n_records:,} x {n_columns:,}"
            for name, (n_records, n_columns) in shapes.items()
        )
        raise InputError(
            f"The tables have different shapes: {sizes}. Compare the same records.",
            code="shapes-differ",
        )


def _unit_codes(units: Any, n_records: int) -> Labels:
    """Return units as integers from 0; refuse an array of another length."""
    array = np.asarray(units)
    if array.shape != (n_records,):
        raise InputError(
            f"`units` must give the unit of each of the {n_records:,} records. Got the"
            f" shape {array.shape} instead.",
            code="matrix-not-accepted",
            need="units",
        )
    return dense_ranks(array)
