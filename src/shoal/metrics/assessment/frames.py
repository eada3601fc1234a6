"""Measures of two frames, computed in the same way for `assess` and for releases."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from shoal.errors import InputError
from shoal.frame import tables
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.frame.weights import read_weights
from shoal.metrics import MEASURE_INFO, NEEDS, compute, needs
from shoal.metrics._array_types import Labels
from shoal.metrics.assessment.inputs import read_inputs
from shoal.metrics.assessment.result import Assessment
from shoal.metrics.evaluation.inputs import check_assessed_columns, check_same_records


def assess_frames(
    original: Frame,
    masked: Frame,
    quasi_identifiers: Sequence[str],
    masked_columns: Sequence[str],
    confidential: Sequence[str],
    *,
    measures: Collection[str],
    types: Mapping[str, Type] | None = None,
    weight: str | None = None,
    lower_bound: float | None = None,
    units: Labels | None = None,
    recoded_columns: Sequence[str] = (),
) -> Assessment:
    """Compute ``measures`` of two frames, with a remark on each that cannot be computed.

    Classes are those of the ``quasi_identifiers``; losses are measured on the ``masked_columns``
    among them. ``weight`` is a column of the original, and ``lower_bound`` a proven bound on the
    SSE. If there are ``units``, risks are counted in units. The ``recoded_columns`` have categories
    that differ from the original ones, so only measures of categories use them.
    """
    check_assessed_columns(quasi_identifiers, confidential)
    check_same_records(len(original), len(masked))
    tables.check_columns(original, [*quasi_identifiers, *confidential])
    tables.check_columns(masked, quasi_identifiers)
    optional_inputs: dict[str, Any] = {"lower_bound": lower_bound, "units": units}
    if weight is not None:
        optional_inputs["weights"] = read_weights(original, weight)[:, np.newaxis]
    inputs = read_inputs(
        original,
        masked,
        quasi_identifiers,
        masked_columns,
        confidential,
        recoded_columns=recoded_columns,
        types=types or {},
        optional_inputs={
            name: value for name, value in optional_inputs.items() if value is not None
        },
    )
    values: dict[str, Any] = {}
    remarks: dict[str, str] = {}
    unmet_needs: dict[str, str] = {}
    for name in measures:
        available = inputs.of_measure(name)
        unmet_need = next((need for need in needs(name) if need not in available), None)
        if unmet_need is not None:
            unmet_needs[name] = unmet_need
            remarks[name] = f"Not computed: needs {NEEDS[unmet_need]}."
            continue
        try:
            values[name] = _as_plain_values(compute(name, available), inputs.columns_of(name))
        except InputError as reason:
            remarks[name] = f"Not computed: {reason}"
            if "need" in reason.attributes:
                unmet_needs[name] = reason.attributes["need"]
            continue
        if remark := inputs.remark_on(name):
            remarks[name] = remark
    return Assessment(values, remarks, unmet_needs=unmet_needs)


def linear_cost_measures(*, categories: bool = False) -> list[str]:
    """Return the measures of linear cost that need no input besides the two tables.

    With ``categories``, these include the measures that need masked categorical columns.
    """
    excluded_inputs = {"lower_bound", "weights", "units"}
    excluded_inputs |= set() if categories else {"original_categories"}
    return [
        name
        for name, info in MEASURE_INFO.items()
        if info.cost == "linear" and not excluded_inputs & set(needs(name))
    ]


def _as_plain_values(value: Any, columns: Sequence[str]) -> Any:
    """Return the value as plain numbers, by column if there is a number for each column."""
    if isinstance(value, np.ndarray):
        return dict(zip(columns, value.tolist(), strict=True))
    if isinstance(value, dict):
        return {key: _as_plain_values(entry, columns) for key, entry in value.items()}
    return value
