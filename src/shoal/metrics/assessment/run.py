"""The function `assess`: compare an original with a masked table of the same records."""

from collections.abc import Mapping, Sequence
from typing import Any

from shoal._params import hint
from shoal._progress import shows_progress
from shoal.errors import InputError, ParameterError
from shoal.frame import tables
from shoal.frame.comparison import column_differs
from shoal.frame.roles import RECORD_UNIT, as_list
from shoal.frame.tables import Frame, IntoDataFrame
from shoal.frame.types import Type, as_types
from shoal.metrics import MEASURE_INFO, MEASURES
from shoal.metrics._array_types import Labels
from shoal.metrics.assessment.frames import assess_frames
from shoal.metrics.assessment.result import Assessment
from shoal.metrics.evaluation.alignment import ORDER_DIFFERS, has_same_order
from shoal.metrics.evaluation.inputs import check_same_records, read_unit_codes
from shoal.metrics.subgroups import MIN_GROUP, Subgroups, SubgroupSplit, split_subgroups

KNOWN_GROUP_NOTE = (
    "Risks are those of an attacker who knows which group a person belongs to; attacks by subgroup"
    " do not assume this knowledge."
)


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
        correlations use only numeric columns.
    confidential : list of str
        Confidential columns, with their original values. Columns without an order, or with
        missing values, count as categories; a missing value is then a category.
    measures : list of str, optional
        Names in `shoal.MEASURES`; by default all measures that can be computed.
    types : mapping of str to str or mapping, optional
        Kinds of columns, if the table does not determine them; see `Plan`.
    weight : str, optional
        Column of survey weights in the original, for changes of weighted totals.
    unit : str, optional
        Column of the original that identifies units: persons, households or firms. Risks are then
        counted in units.
    by : str or list of str, optional
        Columns of the original whose values form subgroups. All measures are then also computed
        for the records of each group, as if it were a separate table: risks are those of an
        attacker who knows which group a person belongs to.
    min_group : int
        Minimum number of records, or units, of a group that may be shown. Smaller groups are
        merged. Choose at least the k of the release.
    aligned : bool, optional
        Whether both tables have the same records in the same order. By default, this is judged by
        their common columns, and a shuffled table is refused, because its records cannot be
        compared with the original ones. True and False both skip this check, since the measures
        always compare record by record.

    Returns
    -------
    Assessment
        A dict with the value of each measure by name. Its ``remarks`` state which measures could
        not be computed, or not for every column, and why; ``groups`` are the measures of the
        subgroups.

    Examples
    --------
    >>> import pandas as pd
    >>> original = pd.DataFrame({"age": [20, 22, 60, 62], "ill": ["no", "yes", "no", "no"]})
    >>> masked = original.assign(age=[21, 21, 61, 61])
    >>> measures = assess(original, masked, quasi_identifiers=["age"], confidential=["ill"])
    >>> measures["smallest_class"], measures["homogeneous_classes"]
    (2, {'ill': 1})
    >>> measures.remarks["average_diversity"]
    'Not computed: needs a numeric confidential column without missing values.'
    """
    requested_measures = None if measures is None else as_list(measures)
    _check_measure_names(requested_measures or ())
    original_frame, masked_frame = tables.open_frame(original), tables.open_frame(masked)
    quasi_identifier_names = as_list(quasi_identifiers)
    declared_types = as_types(types)
    tables.check_columns(original_frame, declared_types)
    check_same_records(len(original_frame), len(masked_frame))
    if aligned is None:
        _check_order(original_frame, masked_frame, declared_types)
    units = None if unit is None else read_unit_codes(original_frame, unit)

    def assess_rows(rows: Labels | None) -> Assessment:
        return assess_frames(
            original_frame if rows is None else tables.take(original_frame, rows),
            masked_frame if rows is None else tables.take(masked_frame, rows),
            quasi_identifier_names,
            quasi_identifier_names,
            as_list(confidential),
            measures=requested_measures or MEASURES,
            types=declared_types,
            weight=weight,
            units=units if units is None or rows is None else units[rows],
        )

    assessment = assess_rows(rows=None)
    _check_computed(requested_measures or (), assessment)
    if by is not None:
        split = split_subgroups([original_frame], by, min_group, declared_types, units)
        results = tuple(assess_rows(group.rows[0]) for group in split.groups)
        unit_noun = RECORD_UNIT if unit is None else "unit"
        assessment.groups = _subgroups(assessment, split, results, unit_noun)
    return assessment


def _check_measure_names(names: Sequence[str]) -> None:
    """Refuse names of measures that do not exist."""
    for name in names:
        if name not in MEASURES:
            raise ParameterError(
                f"There is no measure {name!r}.{hint(name, MEASURES)} Choose among:"
                f" {', '.join(MEASURES)}.",
                code="unknown-measure",
                measure=name,
            )


def _check_order(original: Frame, masked: Frame, types: Mapping[str, Type]) -> None:
    """Refuse tables whose records seem to be in different orders."""
    if not has_same_order(original, masked, types):
        raise InputError(
            f"{ORDER_DIFFERS} Measures compare record by record: assess the table before its"
            " records are shuffled, or use `aligned=True` if the order is the same.",
            code="order-differs",
        )


def _check_computed(names: Sequence[str], assessment: Assessment) -> None:
    """Refuse an assessment that lacks a measure requested by name."""
    for name in names:
        if name not in assessment:
            reason = assessment.remarks[name].removeprefix("Not computed: ")
            raise InputError(
                f"The measure {name!r} cannot be computed: {reason}",
                code="measure-not-computable",
                measure=name,
                need=assessment.unmet_needs.get(name),
            )


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


def changed_columns(original: IntoDataFrame, masked: IntoDataFrame) -> list[str]:
    """Return the columns whose values differ between the tables; refuse if there are none."""
    original_frame, masked_frame = tables.open_frame(original), tables.open_frame(masked)
    check_same_records(len(original_frame), len(masked_frame))
    changed = [
        name
        for name in masked_frame.columns
        if name in original_frame.columns and column_differs(original_frame, masked_frame, name)
    ]
    if not changed:
        raise InputError(
            "No column differs between the two tables. Name the quasi-identifiers.",
            code="nothing-differs",
        )
    return changed
