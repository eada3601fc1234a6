"""Compare two tables with the same records, whoever masked one of them."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal._params import hint
from shoal.errors import InputError, ParameterError
from shoal.frame import tables
from shoal.frame.columns import ordered_columns, ranks, read_concatenated
from shoal.frame.roles import as_list, name_columns
from shoal.frame.tables import Frame
from shoal.frame.types import Type, as_types
from shoal.geometry import assemble, axes_of, means
from shoal.metrics import ABOUT, MEASURES, NEEDS, classes, compute, needs, sees_axes


class Assessment(dict[str, Any]):
    """Value of each measure by name, and what could not be measured.

    A measure that speaks of columns gives a mapping from their names; one that has
    several parts, a mapping from the names of the parts.

    Parameters
    ----------
    values : mapping of str to number or mapping
        Value of each measure.
    remarks : mapping of str to str
        What a measure could not see and why, by the name of the measure.
    """

    def __init__(self, values: Mapping[str, Any], remarks: Mapping[str, str]):
        super().__init__(values)
        self.remarks = dict(remarks)


def assess(
    original: Any,
    masked: Any,
    *,
    quasi_identifiers: Sequence[str],
    confidential: Sequence[str] = (),
    measures: Sequence[str] | None = None,
    types: Mapping[str, Any] | None = None,
    weight: str | None = None,
    unit: str | None = None,
) -> Assessment:
    """Measure what masking cost and what it protects.

    Parameters
    ----------
    original : pandas, polars or pyarrow table
        The table before masking.
    masked : pandas, polars or pyarrow table
        The table after masking, with the same records in the same order.
    quasi_identifiers : list of str
        Columns that an attacker may know, of any kind. Measures of means, spreads and
        correlations see the numbers among them alone.
    confidential : list of str
        Columns that nobody should learn about a person, with their original values.
        Those that have no order, or have missing values, count as categories; a
        missing value is a category.
    measures : list of str, optional
        Names in `shoal.MEASURES`; all that can be computed where None.
    types : mapping of str to str or mapping, optional
        What columns hold where the table does not say it; see `Plan`.
    weight : str, optional
        The original's column of survey weights, for what became of totals.
    unit : str, optional
        The original's column of persons, households or firms with several records: risks
        are then counted in these.

    Returns
    -------
    Assessment
        A dict: value of each measure by name. Its ``remarks`` say which measures
        could not be computed, or not for every column, and why.

    Examples
    --------
    >>> import pandas as pd
    >>> before = pd.DataFrame({"age": [20, 22, 60, 62], "ill": ["no", "yes", "no", "no"]})
    >>> after = before.assign(age=[21, 21, 61, 61])
    >>> found = assess(before, after, quasi_identifiers=["age"], confidential=["ill"])
    >>> found["smallest_class"], found["homogeneous_classes"]
    (2, {'ill': 1})
    >>> found.remarks["distortion_y"]
    'Not computed: needs a numeric confidential column without missing values.'
    """
    measures = None if measures is None else as_list(measures)
    for name in measures or ():
        if name not in MEASURES:
            raise ParameterError(
                f"There is no measure {name!r}.{hint(name, MEASURES)} Choose among:"
                f" {', '.join(MEASURES)}.",
                code="unknown-measure",
                measure=name,
            )
    before, after = tables.open_frame(original), tables.open_frame(masked)
    known = as_list(quasi_identifiers)
    declared = as_types(types)
    tables.check_columns(before, declared)
    found = assess_frames(
        before,
        after,
        known,
        known,
        as_list(confidential),
        measures or MEASURES,
        declared,
        weight=weight,
        units=None if unit is None else _units(before, unit),
    )
    lacking = [name for name in measures or () if name not in found]
    if lacking:
        reason = found.remarks[lacking[0]].removeprefix("Not computed: ")
        raise InputError(
            f"The measure {lacking[0]!r} cannot be computed: {reason}",
            code="measure-not-computable",
            measure=lacking[0],
        )
    return found


def assess_frames(
    before: Frame,
    after: Frame,
    known: Sequence[str],
    changed: Sequence[str],
    confidential: Sequence[str],
    measures: Collection[str],
    types: Mapping[str, Type] | None = None,
    *,
    weight: str | None = None,
    lower_bound: float | None = None,
    units: NDArray[np.int64] | None = None,
) -> Assessment:
    """Compute ``measures`` of two frames; a remark stands for each that cannot be.

    Classes are counted on the columns that are ``known``, losses on those of them
    that were ``changed``. Totals are taken under the column ``weight`` of the original.
    The least loss that was proven is ``lower_bound``. Risks are counted in ``units`` where each
    record has a number of its unit.
    """
    _check_names(known, confidential)
    check_same_records(len(before), len(after))
    tables.check_columns(before, [*known, *confidential])
    tables.check_columns(after, known)
    given, columns = _given(before, after, known, changed, confidential, types or {})
    axes, told = _axes(before, after, changed, types or {})
    if weight is not None:
        given["weights"] = tables.weights(before, weight)[:, np.newaxis]
    if lower_bound is not None:
        given["lower_bound"] = lower_bound
    if units is not None:
        given["units"] = units
    values: dict[str, Any] = {}
    remarks: dict[str, str] = {}
    for name in measures:
        seen = {**given, **axes} if sees_axes(name) else given
        lacking = [NEEDS[need] for need in needs(name) if need not in seen]
        if lacking:
            remarks[name] = f"Not computed: needs {lacking[0]}."
            continue
        try:
            values[name] = _named(compute(name, seen), columns.get(ABOUT[name].per, []))
        except InputError as reason:
            remarks[name] = f"Not computed: {reason}"
            continue
        unseen = told if sees_axes(name) else _unseen(before, columns, needs(name))
        if "weights" in needs(name):
            unseen = f"{unseen} {_totals(given, columns['quasi-identifier'])}".lstrip()
        if unseen:
            remarks[name] = unseen
    return Assessment(values, remarks)


def _units(frame: Frame, name: str) -> NDArray[np.int64]:
    """Return the unit of each record as a number; a missing one is a unit of its own."""
    found = classes(tables.codes(frame, [name]))
    alone = np.flatnonzero(tables.has_missing(frame, [name]))
    found[alone] = found.max() + 1 + np.arange(len(alone))
    return found


def linear() -> list[str]:
    """Return the measures that two tables suffice for, at little more cost than reading them."""
    return [
        name
        for name, about in ABOUT.items()
        if about.cost == "linear" and not {"lower_bound", "weights", "units"} & set(needs(name))
    ]


def check_same_records(before: int, after: int) -> None:
    """Refuse tables of different length."""
    if before != after:
        raise InputError(
            f"The original holds {before} records and the masked table {after}. Compare tables with"
            " the same records in the same order.",
            code="records-differ",
            original=before,
            masked=after,
        )


def changed_columns(original: Any, masked: Any) -> list[str]:
    """Return the columns of both tables whose values differ."""
    before, after = tables.open_frame(original), tables.open_frame(masked)
    check_same_records(len(before), len(after))
    changed = [name for name in after.columns if name in before.columns]
    changed = [name for name in changed if tables.column_differs(before, after, name)]
    if not changed:
        raise InputError(
            "No column differs between the two tables. Name the quasi-identifiers.",
            code="nothing-differs",
        )
    return changed


def _given(
    before: Frame,
    after: Frame,
    known: Sequence[str],
    changed: Sequence[str],
    confidential: Sequence[str],
    types: Mapping[str, Type],
) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """Return what measures may ask for, and columns by what they can tell."""
    free = [name for name in changed if name not in types or types[name].kind == "numeric"]
    numeric = [n for n in free if tables.is_numeric(before, n) and tables.is_numeric(after, n)]
    holed = [*tables.missing_counts(before, numeric), *tables.missing_counts(after, numeric)]
    numeric = [name for name in numeric if name not in holed]
    ordered = ordered_columns(before, confidential, types)
    numbers = [name for name, column in ordered.items() if column.kind == "numeric"]
    # One number per class stands for all released values, so that no measure counts them again.
    given: dict[str, Any] = {"released": classes(tables.keys(after, known))[:, np.newaxis]}
    if numeric:
        given["original"] = tables.matrix(before, numeric, order="F")
        given["masked"] = tables.matrix(after, numeric, order="F")
    if numbers:
        given["confidential"] = tables.matrix(before, numbers, order="F")
    if confidential:
        given["confidential_codes"], given["ordered"] = ranks(before, confidential, types)
    return given, {
        "quasi-identifier": numeric,
        "other": [name for name in changed if name not in numeric],
        "confidential": list(confidential),
        "categories": [name for name in confidential if name not in numbers],
    }


def _axes(
    before: Frame, after: Frame, changed: Sequence[str], types: Mapping[str, Type]
) -> tuple[dict[str, Any], str]:
    """Return both tables as axes, and what these do not show; nothing if all are plain numbers.

    A missing value stands at the mean of its column. What came missing cannot have changed.
    """
    joined, unread, n = [], [], len(before)
    for name in changed:
        try:
            joined.append(read_concatenated(before, after, name, types.get(name)))
        except InputError:
            if name in types:
                raise
            unread.append(name)
    told = [f"{name_columns(unread)} left out: not of one kind in both tables."] if unread else []
    holed = [column.name for column in joined if column.is_missing.any()]
    if not joined or (not holed and all(column.kind == "numeric" for column in joined)):
        return {}, " ".join(told)
    both, columns = assemble(
        [axes_of(c.values, c.codes, c.kind, c.distances, c.name) for c in joined]
    )
    original, masked = both[:n], both[n:]
    if holed:
        masked[np.isnan(original)] = np.nan
        centre = means(original)
        original, masked = (np.where(np.isnan(one), centre, one) for one in (original, masked))
        told.append(
            f"{name_columns(holed)} with missing cells: what came missing counts as no change,"
            " what was suppressed as the mean."
        )
    return {"original": original, "masked": masked, "columns": columns}, " ".join(told)


def _unseen(before: Frame, columns: Mapping[str, list[str]], needed: Sequence[str]) -> str:
    """Say which columns a measure did not see, or took for categories though they are numbers."""
    if "original" in needed and columns["other"]:
        return (
            f"{name_columns(columns['other'])} left out: not numeric and complete in both tables."
        )
    if "confidential" in needed and columns["categories"]:
        return (
            f"{name_columns(columns['categories'])} left out: not numeric, or with missing values."
        )
    holes = [name for name in columns["categories"] if tables.is_numeric(before, name)]
    if "ordered" in needed and holes:
        return f"{name_columns(holes)} counted as categories: missing values have no order."
    return ""


def _totals(given: Mapping[str, Any], columns: Sequence[str]) -> str:
    """Say what the weighted totals are in both tables."""
    both = [(given[which] * given["weights"]).sum(axis=0) for which in ("original", "masked")]
    told = [
        f"{name!r} {before:.10g} before and {after:.10g} after"
        for name, before, after in zip(columns, *both, strict=True)
    ]
    return f"Totals under the weights: {', '.join(told)}."


def _named(value: Any, columns: Sequence[str]) -> Any:
    """Return the value as plain numbers, with the names of the columns they belong to."""
    if isinstance(value, np.ndarray):
        return dict(zip(columns, value.tolist(), strict=True))
    if isinstance(value, dict):
        return {key: _named(entry, columns) for key, entry in value.items()}
    return value


def _check_names(known: Sequence[str], confidential: Sequence[str]) -> None:
    if not known:
        raise ParameterError(
            "Name at least one quasi-identifier: risk is counted on them.",
            code="quasi-identifiers-needed",
        )
    both = [name for name in known if name in confidential]
    if both:
        raise ParameterError(
            f"{name_columns(both)} cannot be quasi-identifier and confidential at once. Choose"
            " one.",
            code="two-roles",
            columns=tuple(both),
        )
