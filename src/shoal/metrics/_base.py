"""The registry of measures: their inputs, direction, unit and cost."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, wraps
from inspect import Parameter, Signature
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError

Kind = Literal["utility", "risk"]
Better = Literal["lower", "higher", "near one", "neither"]
Cost = Literal["linear", "search"]
Per = Literal["", "quasi-identifier", "confidential", "categorical"]

Matrix = NDArray[np.float64]
Values = NDArray[np.float64]
Labels = NDArray[np.int64]

# The inputs of measures by parameter name, in words.
NEEDS = {
    "original": "a quasi-identifier that is numeric and complete in both tables",
    "masked": "a quasi-identifier that is numeric and complete in both tables",
    "released": "the released quasi-identifiers",
    "confidential": "a numeric confidential column without missing values",
    "confidential_codes": "a confidential column",
    "categories": "a confidential column of categories",
    "ordered": "a confidential column",
    "weights": "survey weights, by the name of their column",
    "original_categories": "a masked column of categories",
    "masked_categories": "a masked column of categories",
    "other_categories": "a confidential column of categories that is not masked",
    "lower_bound": "a proven lower bound; pass one with the arrays",
    "units": "a column of units, by its name",
}
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
        The columns that have one number each: ``"quasi-identifier"``, ``"confidential"``,
        ``"categorical"`` (masked columns of categories), or empty for one number for the table.
    cost : str
        ``"linear"`` (up to logarithms) in the number of records, or ``"search"``
        where each record is compared with all others.
    """

    kind: Kind
    better: Better
    unit: str = ""
    per: Per = ""
    cost: Cost = "linear"


_signature = cache(Signature.from_callable)

MEASURES: dict[str, Callable[..., Any]] = {}
MEASURE_INFO: dict[str, MeasureInfo] = {}


def measure(
    kind: Kind, better: Better, unit: str = "", *, per: Per = "", cost: Cost = "linear"
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function as a measure; the names of its parameters are its inputs.

    Tables are checked before the function is called. Parameters with a default are optional.
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        signature = _signature(function)

        @wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            arguments = signature.bind(*args, **kwargs).arguments
            return function(**_check_tables(arguments))

        MEASURES[function.__name__] = wrapper
        MEASURE_INFO[function.__name__] = MeasureInfo(kind, better, unit, per, cost)
        return wrapper

    return register


def needs(name: str) -> list[str]:
    """Return the required inputs of the measure ``name``."""
    parameters = _signature(MEASURES[name]).parameters.values()
    return [parameter.name for parameter in parameters if parameter.default is Parameter.empty]


def compute(name: str, inputs_by_name: Mapping[str, Any]) -> Any:
    """Compute one measure from ``inputs_by_name``, which holds at least its required inputs."""
    input_names = [
        *needs(name),
        *(
            optional
            for optional in _optional_inputs(name)
            if optional in inputs_by_name and optional not in needs(name)
        ),
    ]
    return MEASURES[name](**{input_name: inputs_by_name[input_name] for input_name in input_names})


def accepts_axes(name: str) -> bool:
    """Return whether the measure ``name`` accepts columns of several axes, such as categories."""
    return "columns" in _signature(MEASURES[name]).parameters


def _optional_inputs(name: str) -> list[str]:
    """Return the optional inputs of the measure ``name``."""
    parameters = _signature(MEASURES[name]).parameters.values()
    return [parameter.name for parameter in parameters if parameter.default is not Parameter.empty]


def inputs_of(name: str) -> list[str]:
    """Return all inputs of the measure ``name``, required and optional."""
    return list(_signature(MEASURES[name]).parameters)


def _check_tables(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments with tables as arrays; refuse tables that do not fit together."""
    arguments = dict(inputs)
    for name in [name for name in inputs if name in TABLE_INPUTS and inputs[name] is not None]:
        # Measures go column by column, so columns are contiguous.
        table = np.asarray(inputs[name], np.float64 if name in NUMERIC_INPUTS else None, order="F")
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
        arguments[name] = table
    if arguments.get("units") is not None:
        arguments["units"] = _unit_codes(arguments["units"], len(next(iter(inputs.values()))))
    shapes = {
        name: table.shape
        for name, table in arguments.items()
        if name in TABLE_INPUTS and table is not None
    }
    if len({n_rows for n_rows, _ in shapes.values()}) > 1 or any(
        f"masked{suffix}" in shapes and shapes[f"original{suffix}"] != shapes[f"masked{suffix}"]
        for suffix in ("", "_categories")
    ):
        sizes = ", ".join(
            f"{name!r} {n_rows} x {n_columns}" for name, (n_rows, n_columns) in shapes.items()
        )
        raise InputError(
            f"The tables have different shapes: {sizes}. Compare the same records.",
            code="shapes-differ",
        )
    return arguments


def _unit_codes(units: Any, n_records: int) -> Labels:
    """Return units as integers from 0; refuse an array of another length."""
    array = np.asarray(units)
    if array.shape != (n_records,):
        raise InputError(
            f"'units' must give the unit of each of the {n_records:,} records. Got the"
            f" shape {array.shape} instead.",
            code="matrix-not-accepted",
            need="units",
        )
    return np.unique(array, return_inverse=True)[1].ravel()
