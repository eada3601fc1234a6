"""The function `assess`: compare an original with a masked table of the same records."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal._params import hint
from shoal._progress import shows_progress
from shoal.errors import InputError, ParameterError
from shoal.frame import tables
from shoal.frame.roles import RECORD_UNIT, as_list
from shoal.frame.tables import Frame, IntoDataFrame
from shoal.frame.types import Type, as_types
from shoal.metrics import (
    MEASURE_INFO,
    MEASURES,
    NEEDS,
    accepts_axes,
    compute,
    inputs_of,
    needs,
)
from shoal.metrics.alignment import ORDER_DIFFERS, has_same_order
from shoal.metrics.assessment_inputs import (
    axes_inputs,
    check_assessed_columns,
    check_same_records,
    describe_columns,
    describe_totals,
    measure_inputs,
    read_unit_codes,
)
from shoal.metrics.category_inputs import category_inputs
from shoal.metrics.figures import NOT_NUMBERS, flatten
from shoal.metrics.subgroups import MIN_GROUP, Subgroups, SubgroupSplit, split_subgroups

KNOWN_GROUP_NOTE = (
    "Risks are those of an attacker who knows which group a person belongs to; attacks by subgroup"
    " do not assume it."
)


class Assessment(dict[str, Any]):
    """Value of each measure by name, with remarks on what could not be measured.

    A measure of columns is a mapping by column; one with several parts is a mapping by part.

    Parameters
    ----------
    values : mapping of str to number or mapping
        Value of each measure.
    remarks : mapping of str to str
        Columns that a measure could not use and why, by the name of the measure.
    groups : Subgroups, optional
        The same measures by subgroup.
    """

    def __init__(
        self,
        values: Mapping[str, Any],
        remarks: Mapping[str, str],
        groups: Subgroups | None = None,
    ):
        super().__init__(values)
        self.remarks = dict(remarks)
        self.groups = groups

    def figures(self) -> dict[str, float]:
        """Return the measures as numbers by name, for `Limits`; columns follow after a colon."""
        figures = flatten({name: value for name, value in self.items() if name not in NOT_NUMBERS})
        return figures | ({} if self.groups is None else self.groups.worst_figures())

    def reasons(self) -> dict[str, str]:
        """Return why measures were not computed, by name."""
        return {name: remark for name, remark in self.remarks.items() if name not in self}

    def _repr_html_(self) -> str:
        from shoal.report.notebook import assessment_html  # see docs/architecture.md

        return assessment_html(self)


@shows_progress
def assess(
    original: IntoDataFrame,
    masked: IntoDataFrame,
    *,
    quasi_identifiers: Sequence[str],
    confidential: Sequence[str] = (),
    measures: Sequence[str] | None = None,
    types: Mapping[str, Any] | None = None,
    weight: str | None = None,
    unit: str | None = None,
    by: str | Sequence[str] | None = None,
    min_group: int = MIN_GROUP,
    aligned: bool | None = None,
) -> Assessment:
    """Measure the information loss and the disclosure risk of a masked table.

    Parameters
    ----------
    original : pandas, polars or pyarrow table
        The table before masking.
    masked : pandas, polars or pyarrow table
        The table after masking, with the same records in the same order.
    quasi_identifiers : list of str
        Columns that an attacker may know, of any kind. Measures of means, spreads and
        correlations only use the numeric ones.
    confidential : list of str
        Confidential columns, with their original values. Those without an order, or with
        missing values, count as categories; missing is one of these.
    measures : list of str, optional
        Names in `shoal.MEASURES`; by default all that can be computed.
    types : mapping of str to str or mapping, optional
        Kinds of columns where the table does not determine them; see `Plan`.
    weight : str, optional
        Column of survey weights in the original, for changes of weighted totals.
    unit : str, optional
        Column of persons, households or firms in the original; risks are then counted in these.
    by : str or list of str, optional
        Columns of the original whose values form subgroups. All measures are then also computed
        for the records of each group, as if it were a separate table: risks are those of an
        attacker who knows which group a person belongs to.
    min_group : int
        Smallest number of records, or units, of a group that may be shown. Smaller groups are
        merged. Choose at least the k of the release.
    aligned : bool, optional
        True if both tables are known to have the same records in the same order. By default this
        is judged by the columns that both have, and a shuffled table is refused: its records cannot
        be compared with those of the original.

    Returns
    -------
    Assessment
        A dict with the value of each measure by name. Its ``remarks`` state which measures could
        not be computed, or not for every column, and why; ``groups`` holds the subgroups.

    Examples
    --------
    >>> import pandas as pd
    >>> before = pd.DataFrame({"age": [20, 22, 60, 62], "ill": ["no", "yes", "no", "no"]})
    >>> after = before.assign(age=[21, 21, 61, 61])
    >>> measures = assess(before, after, quasi_identifiers=["age"], confidential=["ill"])
    >>> measures["smallest_class"], measures["homogeneous_classes"]
    (2, {'ill': 1})
    >>> measures.remarks["average_diversity"]
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
    original_frame, masked_frame = tables.open_frame(original), tables.open_frame(masked)
    names = as_list(quasi_identifiers)
    declared_types = as_types(types)
    tables.check_columns(original_frame, declared_types)
    check_same_records(len(original_frame), len(masked_frame))
    if aligned is None and not has_same_order(original_frame, masked_frame, declared_types):
        raise InputError(
            f"{ORDER_DIFFERS} Measures compare record by record: assess the table before its"
            " records are shuffled, or use `aligned=True` if the order is the same.",
            code="order-differs",
        )
    units = None if unit is None else read_unit_codes(original_frame, unit)

    def assess_rows(rows: NDArray[np.int64] | None) -> Assessment:
        return assess_frames(
            original_frame if rows is None else tables.take(original_frame, rows),
            masked_frame if rows is None else tables.take(masked_frame, rows),
            names,
            names,
            as_list(confidential),
            measures or MEASURES,
            declared_types,
            weight=weight,
            units=units if units is None or rows is None else units[rows],
        )

    assessment = assess_rows(None)
    not_computed = [name for name in measures or () if name not in assessment]
    if not_computed:
        reason = assessment.remarks[not_computed[0]].removeprefix("Not computed: ")
        raise InputError(
            f"The measure {not_computed[0]!r} cannot be computed: {reason}",
            code="measure-not-computable",
            measure=not_computed[0],
        )
    if by is not None:
        split = split_subgroups([original_frame], by, min_group, declared_types, units)
        results = tuple(assess_rows(group.rows[0]) for group in split.groups)
        unit_noun = RECORD_UNIT if unit is None else "unit"
        assessment.groups = _subgroups(assessment, split, results, unit_noun)
    return assessment


def _subgroups(
    assessment: Assessment, split: SubgroupSplit, results: tuple[Assessment, ...], unit: str
) -> Subgroups:
    """Return the measures of the subgroups, with the direction in which each is better."""
    directions = {
        name: MEASURE_INFO[name.partition(":")[0]].better
        for name in assessment.figures()
        if MEASURE_INFO[name.partition(":")[0]].better != "neither"
    }
    has_risk = any(MEASURE_INFO[name].kind == "risk" for name in assessment)
    figures = tuple(result.figures() for result in results)
    return Subgroups(
        split, figures, directions, unit, results, KNOWN_GROUP_NOTE if has_risk else ""
    )


def assess_frames(
    original: Frame,
    masked: Frame,
    quasi_identifiers: Sequence[str],
    masked_columns: Sequence[str],
    confidential: Sequence[str],
    measures: Collection[str],
    types: Mapping[str, Type] | None = None,
    *,
    weight: str | None = None,
    lower_bound: float | None = None,
    units: NDArray[np.int64] | None = None,
    recoded_columns: Sequence[str] = (),
) -> Assessment:
    """Compute ``measures`` of two frames, with a remark on each that cannot be computed.

    Classes are counted on the ``quasi_identifiers``, losses on those of them that are among the
    ``masked_columns``. ``weight`` is a column of the original, ``lower_bound`` a proven bound on
    the SSE. Risks are counted in ``units`` if these are given. The ``recoded_columns`` have other
    categories than in the original, and only measures of categories use them.
    """
    check_assessed_columns(quasi_identifiers, confidential)
    check_same_records(len(original), len(masked))
    tables.check_columns(original, [*quasi_identifiers, *confidential])
    tables.check_columns(masked, quasi_identifiers)
    inputs, columns = measure_inputs(
        original, masked, quasi_identifiers, masked_columns, confidential, types or {}
    )
    categories = category_inputs(
        original, masked, masked_columns, recoded_columns, confidential, types or {}
    )
    inputs |= categories.inputs
    columns["categorical"] = categories.columns
    axes, axes_remark = axes_inputs(original, masked, masked_columns, types or {})
    if weight is not None:
        inputs["weights"] = tables.weights(original, weight)[:, np.newaxis]
    if lower_bound is not None:
        inputs["lower_bound"] = lower_bound
    if units is not None:
        inputs["units"] = units
    values: dict[str, Any] = {}
    remarks: dict[str, str] = {}
    for name in measures:
        available = {**inputs, **axes} if accepts_axes(name) else inputs
        missing_inputs = [
            NEEDS[input_name] for input_name in needs(name) if input_name not in available
        ]
        if missing_inputs:
            remarks[name] = f"Not computed: needs {missing_inputs[0]}."
            continue
        try:
            values[name] = _as_plain_values(
                compute(name, available), columns.get(MEASURE_INFO[name].per, [])
            )
        except InputError as reason:
            remarks[name] = f"Not computed: {reason}"
            continue
        if name in ("one_way_change", "two_way_change"):
            remark = categories.remark
        elif accepts_axes(name):
            remark = axes_remark
        else:
            remark = describe_columns(original, columns, inputs_of(name))
        if "weights" in needs(name):
            remark = f"{remark} {describe_totals(inputs, columns['quasi-identifier'])}".lstrip()
        if remark:
            remarks[name] = remark
    return Assessment(values, remarks)


def linear_cost_measures(*, categories: bool = False) -> list[str]:
    """Return the measures of linear cost that need no input besides the two tables.

    Those of ``categories`` need masked columns of that kind.
    """
    excluded_inputs = {"lower_bound", "weights", "units"}
    excluded_inputs |= set() if categories else {"original_categories"}
    return [
        name
        for name, info in MEASURE_INFO.items()
        if info.cost == "linear" and not excluded_inputs & set(needs(name))
    ]


def changed_columns(original: IntoDataFrame, masked: IntoDataFrame) -> list[str]:
    """Return the columns of both tables whose values differ."""
    original_frame, masked_frame = tables.open_frame(original), tables.open_frame(masked)
    check_same_records(len(original_frame), len(masked_frame))
    changed = [name for name in masked_frame.columns if name in original_frame.columns]
    changed = [
        name for name in changed if tables.column_differs(original_frame, masked_frame, name)
    ]
    if not changed:
        raise InputError(
            "No column differs between the two tables. Name the quasi-identifiers.",
            code="nothing-differs",
        )
    return changed


def _as_plain_values(value: Any, columns: Sequence[str]) -> Any:
    """Return the value as plain numbers, by column where there is one for each."""
    if isinstance(value, np.ndarray):
        return dict(zip(columns, value.tolist(), strict=True))
    if isinstance(value, dict):
        return {key: _as_plain_values(entry, columns) for key, entry in value.items()}
    return value
