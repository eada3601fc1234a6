"""Data for the figures of a report: counts and correlations, never single records.

They are computed while the original is available, so that a release need not keep it.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.frame import tables
from shoal.frame.codes import codes
from shoal.frame.description.summaries import are_years, finite_values, value_counts
from shoal.frame.notation.texts import text_of
from shoal.frame.roles import columns_with
from shoal.frame.tables import Frame
from shoal.metrics._array_types import Labels
from shoal.metrics.assessment.category_inputs import category_inputs
from shoal.metrics.chart_data.histogram import bars, histogram
from shoal.metrics.chart_data.projection import project_groups
from shoal.metrics.chart_data.similarity import similarity_of_tables
from shoal.metrics.equivalence_classes import classes
from shoal.metrics.risk.anonymity import reidentification
from shoal.metrics.utility.correlation import correlations
from shoal.metrics.utility.frequency_tables import cramers_v
from shoal.plan.profile.column_profile import profile_columns, profile_pairs, similarity_scores
from shoal.steps import StepResult

if TYPE_CHECKING:
    from shoal.plan.plan import Plan

MIN_COUNT = 3  # fewest records in a published count, even if k is smaller or not guaranteed
MAX_COLUMNS = 16  # columns of a correlation matrix that can still be read in a report


def profile(
    plan: "Plan",
    original: Frame,
    masked: Frame,
    results: Sequence[StepResult],
    units: Labels | None = None,
) -> dict[str, Any]:
    """Return the data for the figures of a release, as plain data.

    Parameters
    ----------
    plan : Plan
        The plan. Counts of 1 to k - 1 original records are withheld.
    original : Frame
        The original table.
    masked : Frame
        The masked table, with the same records in the same order.
    results : list of StepResult
        The result of each step, with its groups.
    units : ndarray of shape (n_records,), optional
        The unit of each record, if the plan counts units; the risk of the original is then counted
        in units, like the risk of the release.

    Returns
    -------
    dict
        ``before``, the risk of the original; ``distributions`` of the masked columns; figures of
        these ``columns`` and of ``pairs`` of columns, and ``scores`` of how similar they are before
        and after; ``correlations`` of numeric columns; ``associations`` of categorical ones;
        ``groups`` projected onto a plane; ``transitions`` of post-randomised columns.
    """
    min_count = max(plan.k or 0, MIN_COUNT)
    masked_columns = list(dict.fromkeys(plan.masked))
    confidential = columns_with(plan.roles, "confidential")
    categorical = [name for name, declared in plan.types.items() if declared.kind != "numeric"]
    numeric = [
        name for name in dict.fromkeys([*masked_columns, *confidential]) if name not in categorical
    ]
    correlation_entries = _correlations(original, masked, numeric)
    association_entries, table_similarities = _associations(plan, original, masked, confidential)
    column_entries = profile_columns(original, masked, masked_columns, categorical)
    pairs = profile_pairs(correlation_entries, association_entries, table_similarities)
    return {
        "before": _risk_of_original(original, plan.quasi_identifiers, units),
        "distributions": [
            {
                "column": name,
                **_distribution(original, masked, name, min_count, name in categorical),
            }
            for name in masked_columns
        ],
        "columns": column_entries,
        "pairs": pairs,
        "scores": similarity_scores(column_entries, pairs),
        "correlations": correlation_entries,
        "associations": association_entries,
        "groups": _projected_groups(plan, original, masked, results, categorical),
        **_transitions(plan, results),
    }


def _projected_groups(
    plan: "Plan",
    original: Frame,
    masked: Frame,
    results: Sequence[StepResult],
    categorical: Collection[str],
) -> list[dict[str, Any]]:
    """Return the groups of each block on a plane, if the block has two columns that vary."""
    entries = []
    for step, result in zip(plan.steps, results, strict=True):
        blocks = step.column_blocks if result.partitions else []
        for block, groups in zip(blocks, result.partitions, strict=True):
            numeric = [name for name in block if name not in categorical]
            columns = _varying_columns(original, masked, numeric)
            if len(columns) > 1:
                projection = project_groups(tables.matrix(original, columns), groups.labels)
                entries.append({"columns": columns, **projection._asdict()})
    return entries


def _transitions(plan: "Plan", results: Sequence[StepResult]) -> dict[str, Any]:
    """Return the transitions of post-randomised columns, if there are any.

    An invariant matrix determines the original frequencies. It is public only if every category has
    enough records.
    """
    entries = [
        {
            **transitions.to_dict(within=step.strata),
            "public": bool(transitions.frequencies.min() >= MIN_COUNT),
        }
        for step, result in zip(plan.steps, results, strict=True)
        for transitions in result.transitions
    ]
    return {"transitions": entries} if entries else {}


def _risk_of_original(
    original: Frame, quasi_identifiers: Sequence[str], units: Labels | None
) -> dict[str, Any]:
    """Return the risk of the original, counted like the risk of a release."""
    labels = np.zeros(len(original), np.int64)
    for name in quasi_identifiers:
        labels = classes(np.column_stack([labels, codes(original, [name])]))
        if labels.max() == len(labels) - 1:  # all records are unique already
            break
    sizes = np.bincount(labels)
    marketer = reidentification(labels[:, np.newaxis], units=units)["marketer"]
    return {
        "smallest_class": int(sizes.min()),
        "unique": round(float((sizes == 1).sum() / sizes.sum()), 3),
        "marketer": round(marketer, 3),
    }


def _distribution(
    original: Frame, masked: Frame, name: str, min_count: int, categorical: bool
) -> dict[str, Any]:
    """Return the histogram of a column, or the bars of its categories, before and after."""
    if not categorical and tables.is_numeric(original, name) and tables.is_numeric(masked, name):
        original_values, masked_values = finite_values(original, name), finite_values(masked, name)
        if len(original_values) and len(masked_values):
            is_whole = tables.has_integer_type(original, name)
            bins = histogram(original_values, masked_values, min_count, is_whole=is_whole)
            return {**bins.to_dict(), "years": is_whole and are_years(np.rint(masked_values))}
    return bars(value_counts(original, name), value_counts(masked, name), min_count).to_dict()


def with_value_labels(
    figures: Mapping[str, Any], labels: Mapping[str, Mapping[Any, str]]
) -> dict[str, Any]:
    """Return the data for figures with the value labels of a file in place of its codes.

    Parameters
    ----------
    figures : mapping
        What `profile` returns.
    labels : mapping of str to mapping
        The labels of the codes of each column.

    Returns
    -------
    dict
        The data of ``figures``, with distributions that name their categories by labels.
    """
    texts = {
        name: {text_of(code): label for code, label in column_labels.items()}
        for name, column_labels in labels.items()
    }
    labelled_distributions = [
        {
            **entry,
            "categories": [texts[entry["column"]].get(code, code) for code in entry["categories"]],
        }
        if "categories" in entry and entry["column"] in texts
        else entry
        for entry in figures.get("distributions", ())
    ]
    return {**figures, "distributions": labelled_distributions}


def _correlations(original: Frame, masked: Frame, columns: Sequence[str]) -> dict[str, Any]:
    """Return the correlations of the columns that vary, before and after."""
    varying = _varying_columns(original, masked, columns)
    names = varying[:MAX_COLUMNS]
    if len(names) < 2:
        return {}
    original_R, masked_R = (
        correlations(tables.matrix(frame, names)) for frame in (original, masked)
    )
    return {
        "columns": names,
        "before": np.round(original_R, 3).tolist(),
        "after": np.round(masked_R, 3).tolist(),
        "difference": np.round(masked_R - original_R, 3).tolist(),
        "columns_left_out": len(varying) - len(names),
    }


def _associations(
    plan: "Plan", original: Frame, masked: Frame, confidential: Sequence[str]
) -> tuple[dict[str, Any], list[float]]:
    """Return Cramér's V of all pairs of categorical columns, and the similarity of their tables."""
    category_codes = category_inputs(
        original, masked, plan.masked, plan.recoded, confidential, plan.types
    )
    categories = [*category_codes.columns, *category_codes.other_columns]
    names = categories[:MAX_COLUMNS]
    if len(names) < 2:
        return {}, []
    other_codes = category_codes.inputs.get(
        "other_categories", np.empty((len(original), 0), np.int64)
    )
    original_codes = np.column_stack([category_codes.inputs["original_categories"], other_codes])
    masked_codes = np.column_stack([category_codes.inputs["masked_categories"], other_codes])
    original_codes, masked_codes = original_codes[:, : len(names)], masked_codes[:, : len(names)]
    original_V, masked_V = _cramers_v(original_codes), _cramers_v(masked_codes)
    similarities = [
        similarity_of_tables(original_codes[:, [i, j]], masked_codes[:, [i, j]])
        for i in range(len(names))
        for j in range(i)
    ]
    matrices = {
        "columns": names,
        "before": np.round(original_V, 3).tolist(),
        "after": np.round(masked_V, 3).tolist(),
        "difference": np.round(masked_V - original_V, 3).tolist(),
        "columns_left_out": len(categories) - len(names),
    }
    return matrices, similarities


def _cramers_v(columns: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return Cramér's V of all pairs of columns of codes."""
    p = columns.shape[1]
    V = np.eye(p)
    for i in range(p):
        for j in range(i):
            V[i, j] = V[j, i] = cramers_v(columns[:, i], columns[:, j])
    return V


def _varying_columns(original: Frame, masked: Frame, columns: Sequence[str]) -> list[str]:
    """Return the numeric columns without missing values that vary."""
    numeric = [
        name
        for name in columns
        if tables.is_measurable(original, name) and tables.is_measurable(masked, name)
    ]
    return [name for name in numeric if np.ptp(finite_values(original, name)) > 0]
