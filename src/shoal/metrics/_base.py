"""How a measure says what it needs, what it tells, which way is good and what it costs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from inspect import Parameter, signature
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError

Kind = Literal["utility", "risk"]
Better = Literal["lower", "higher", "near one", "neither"]
Cost = Literal["linear", "search"]
Per = Literal["", "quasi-identifier", "confidential"]

Matrix = NDArray[np.float64]
Values = NDArray[np.float64]
Labels = NDArray[np.int64]

# What a measure may ask for by the name of a parameter, in words.
NEEDS = {
    "original": "a quasi-identifier that is numeric and complete in both tables",
    "masked": "a quasi-identifier that is numeric and complete in both tables",
    "released": "the released quasi-identifiers",
    "confidential": "a numeric confidential column without missing values",
    "confidential_codes": "a confidential column",
    "ordered": "a confidential column",
    "weights": "survey weights, by the name of their column",
    "lower_bound": "a proven lower bound; hand one over with the arrays",
    "units": "a column of units, by its name",
}
NUMBERS = ("original", "masked", "confidential", "weights")
TABLES = (*NUMBERS, "released", "confidential_codes")


@dataclass(frozen=True)
class About:
    """What a measure is about.

    Parameters
    ----------
    kind : str
        ``"utility"``: what the analyst lost; ``"risk"``: what an attacker gains.
    better : str
        Which way is good: ``"lower"``, ``"higher"``, ``"near one"`` or
        ``"neither"``.
    unit : str
        What the number counts, for a reader; ``"%"`` for shares of 100.
    per : str
        Whose columns the numbers belong to, one number each:
        ``"quasi-identifier"``, ``"confidential"``, or empty for the table as a
        whole.
    cost : str
        ``"linear"`` (up to logarithms) in the number of records, or ``"search"``
        where each record is looked for among all others.
    """

    kind: Kind
    better: Better
    unit: str = ""
    per: Per = ""
    cost: Cost = "linear"


MEASURES: dict[str, Callable[..., Any]] = {}
ABOUT: dict[str, About] = {}


def measure(
    kind: Kind, better: Better, unit: str = "", *, per: Per = "", cost: Cost = "linear"
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function as a measure; its parameter names are its needs.

    Tables are checked before the function sees them. Parameters that have a
    default are options, not needs.
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        parameters = signature(function)

        @wraps(function)
        def checked(*values: Any, **options: Any) -> Any:
            given = parameters.bind(*values, **options).arguments
            return function(**_checked(given))

        MEASURES[function.__name__] = checked
        ABOUT[function.__name__] = About(kind, better, unit, per, cost)
        return checked

    return register


def needs(name: str) -> list[str]:
    """Return what the measure ``name`` cannot do without."""
    entries = signature(MEASURES[name]).parameters.values()
    return [entry.name for entry in entries if entry.default is Parameter.empty]


def compute(name: str, given: Mapping[str, Any]) -> Any:
    """Compute one measure from ``given``, which holds at least its needs."""
    named = [*needs(name), *(n for n in _options(name) if n in given and n not in needs(name))]
    return MEASURES[name](**{need: given[need] for need in named})


def sees_axes(name: str) -> bool:
    """Say whether the measure ``name`` takes columns of several axes, as categories are."""
    return "columns" in signature(MEASURES[name]).parameters


def counts_units(name: str) -> bool:
    """Say whether the measure ``name`` counts units where there are some."""
    return "units" in signature(MEASURES[name]).parameters


def _options(name: str) -> list[str]:
    """Return what the measure ``name`` takes where it is at hand."""
    return [n for n in ("columns", "units") if n in signature(MEASURES[name]).parameters]


def _checked(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments with tables as arrays; refuse tables that do not fit together."""
    arguments = dict(given)
    for need in [need for need in given if need in TABLES]:
        # Measures go column by column, so a column lies in one piece.
        table = np.asarray(given[need], np.float64 if need in NUMBERS else None, order="F")
        if table.ndim != 2 or 0 in table.shape:
            raise InputError(
                f"{need!r} must be a table of at least one record and one column. Got the shape"
                f" {table.shape} instead.",
                code="matrix-not-accepted",
                need=need,
            )
        if need in NUMBERS and not np.isfinite(table).all():
            holes = int((~np.isfinite(table)).sum())
            raise InputError(
                f"{need!r} has {holes} missing or infinite values. Drop them first.",
                code="missing-values",
                need=need,
                count=holes,
            )
        arguments[need] = table
    if arguments.get("units") is not None:
        arguments["units"] = _numbered(arguments["units"], len(next(iter(given.values()))))
    shapes = {need: arguments[need].shape for need in arguments if need in TABLES}
    if len({rows for rows, _ in shapes.values()}) > 1 or (
        "masked" in shapes and shapes["original"] != shapes["masked"]
    ):
        told = ", ".join(f"{need!r} {rows} x {columns}" for need, (rows, columns) in shapes.items())
        raise InputError(
            f"The tables do not fit together: {told}. Compare the same records.",
            code="shapes-differ",
        )
    return arguments


def _numbered(units: Any, records: int) -> Labels:
    """Return units as numbers from 0 on; refuse those of other records."""
    found = np.asarray(units)
    if found.shape != (records,):
        raise InputError(
            f"'units' must say of each of the {records} records which unit it belongs to. Got the"
            f" shape {found.shape} instead.",
            code="matrix-not-accepted",
            need="units",
        )
    return np.unique(found, return_inverse=True)[1].ravel()
