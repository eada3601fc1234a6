"""Data for the figures of a report: counts and correlations, never a single record.

They are computed while both the original and the masked table are available, so that a release
need not keep the original.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.frame import tables
from shoal.frame.codes import codes
from shoal.frame.describe import are_years, finite_values, value_counts
from shoal.frame.roles import columns_with
from shoal.frame.tables import Frame
from shoal.frame.texts import text_of
from shoal.metrics._base import Labels
from shoal.metrics.anonymity import classes, reidentification
from shoal.metrics.category_inputs import category_inputs
from shoal.metrics.category_tables import cramers_v
from shoal.metrics.correlation import correlations
from shoal.metrics.histogram import bars, histogram
from shoal.metrics.projection import project_groups
from shoal.metrics.similarity import similarity_of_tables
from shoal.partitioners import Partition
from shoal.plan.column_profile import profile_columns, profile_pairs, scores

MIN_COUNT = 3  # records in a published count, even if k is smaller or not guaranteed
MAX_COLUMNS = 16  # of a readable correlation matrix


def profile(
    plan: Any,
    before: Frame,
    after: Frame,
    results: Sequence[Any],
    units: Labels | None = None,
) -> dict[str, Any]:
    """Return the data for the figures of a release, as plain data.

    Parameters
    ----------
    plan : Plan
        The plan. No count is of 1 to k - 1 original records.
    before : Frame
        The original table.
    after : Frame
        The masked table, with the same records in the same order.
    results : list of StepResult
        The result of each step, with its groups.
    units : ndarray of shape (n_records,), optional
        The unit of each record, where the plan counts units; the risk of the original is then
        counted in units, as that of the release is.

    Returns
    -------
    dict
        ``before``, the risk of the original; ``distributions`` of the masked columns; figures of
        these ``columns`` and of ``pairs`` of columns, and ``scores`` of how alike they are;
        ``correlations`` among numeric ones; ``associations`` among categories; ``groups`` on a
        plane; ``transitions`` of post-randomised columns.
    """
    least = max(plan.k or 0, MIN_COUNT)
    masked = list(dict.fromkeys(plan.masked))
    confidential = columns_with(plan.roles, "confidential")
    categorical = [name for name, declared in plan.types.items() if declared.kind != "numeric"]
    numeric = [n for n in dict.fromkeys([*masked, *confidential]) if n not in categorical]
    related = _correlations(before, after, numeric)
    associated, tables_alike = _associations(plan, before, after, confidential)
    compared = profile_columns(before, after, masked, categorical)
    pairs = profile_pairs(related, associated, tables_alike)
    return {
        "before": _risk(before, plan.quasi_identifiers, units),
        "distributions": [
            {"column": name, **_distribution(before, after, name, least, name in categorical)}
            for name in masked
        ],
        "columns": compared,
        "pairs": pairs,
        "scores": scores(compared, pairs),
        "correlations": related,
        "associations": associated,
        "groups": [
            {
                "columns": columns,
                **project_groups(tables.matrix(before, columns), groups.labels)._asdict(),
            }
            for block, groups in _blocks(plan, results)
            if len(
                columns := _varying_columns(
                    before, after, [n for n in block if n not in categorical]
                )
            )
            > 1
        ],
        **_transitions(plan, results),
    }


def _transitions(plan: Any, results: Sequence[Any]) -> dict[str, Any]:
    """Return the transitions of post-randomised columns, if there are any.

    An invariant matrix determines the frequencies, so that the public sees the matrix only if every
    category has enough records.
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


def _blocks(plan: Any, results: Sequence[Any]) -> Iterator[tuple[list[str], Partition]]:
    """Yield the columns and the groups of each block of the steps that group."""
    for step, result in zip(plan.steps, results, strict=True):
        blocks = getattr(step, "column_blocks", [step.columns])
        if len(blocks) == len(result.partitions):
            yield from zip(blocks, result.partitions, strict=True)


def _risk(before: Frame, quasi_identifiers: Sequence[str], units: Labels | None) -> dict[str, Any]:
    """Return the risk of the original, counted as that of a release."""
    labels = np.zeros(len(before), np.int64)
    for name in quasi_identifiers:
        labels = classes(np.column_stack([labels, codes(before, [name])]))
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
    before: Frame, after: Frame, name: str, least: int, categorical: bool
) -> dict[str, Any]:
    if not categorical and tables.is_numeric(before, name) and tables.is_numeric(after, name):
        old, new = finite_values(before, name), finite_values(after, name)
        if len(old) and len(new):
            whole = tables.is_whole(before, name)
            bins = histogram(old, new, least, is_whole=whole)
            return {**bins._asdict(), "years": whole and are_years(np.rint(new))}
    return bars(value_counts(before, name), value_counts(after, name), least)._asdict()


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
        The same, with distributions that name their categories by labels.
    """
    texts = {
        name: {text_of(code): label for code, label in of_column.items()}
        for name, of_column in labels.items()
    }
    named = [
        {**entry, "categories": [texts[entry["column"]].get(n, n) for n in entry["categories"]]}
        if "categories" in entry and entry["column"] in texts
        else entry
        for entry in figures.get("distributions", ())
    ]
    return {**figures, "distributions": named}


def _correlations(before: Frame, after: Frame, columns: Sequence[str]) -> dict[str, Any]:
    varying = _varying_columns(before, after, columns)
    names = varying[:MAX_COLUMNS]
    if len(names) < 2:
        return {}
    first, second = (correlations(tables.matrix(frame, names)) for frame in (before, after))
    return {
        "columns": names,
        "before": np.round(first, 3).tolist(),
        "after": np.round(second, 3).tolist(),
        "difference": np.round(second - first, 3).tolist(),
        "columns_left_out": len(varying) - len(names),
    }


def _associations(
    plan: Any, before: Frame, after: Frame, confidential: Sequence[str]
) -> tuple[dict[str, Any], list[float]]:
    """Return Cramér's V of all pairs of categories, and how alike their two-way tables are."""
    coded = category_inputs(before, after, plan.masked, plan.recoded, confidential, plan.types)
    categories = [*coded.columns, *coded.others]
    names = categories[:MAX_COLUMNS]
    if len(names) < 2:
        return {}, []
    parts = [coded.inputs.get("other_categories", np.empty((len(before), 0), np.int64))]
    old, new = (
        np.column_stack([coded.inputs[f"{which}_categories"], *parts])[:, : len(names)]
        for which in ("original", "masked")
    )
    first, second = _cramers_v(old), _cramers_v(new)
    alike = [
        similarity_of_tables(old[:, [i, j]], new[:, [i, j]])
        for i in range(len(names))
        for j in range(i)
    ]
    matrices = {
        "columns": names,
        "before": np.round(first, 3).tolist(),
        "after": np.round(second, 3).tolist(),
        "difference": np.round(second - first, 3).tolist(),
        "columns_left_out": len(categories) - len(names),
    }
    return matrices, alike


def _cramers_v(columns: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return Cramér's V of all pairs of columns of codes."""
    p = columns.shape[1]
    V = np.eye(p)
    for i in range(p):
        for j in range(i):
            V[i, j] = V[j, i] = cramers_v(columns[:, i], columns[:, j])
    return V


def _varying_columns(before: Frame, after: Frame, columns: Sequence[str]) -> list[str]:
    """Return the numeric columns without missing values that vary."""
    numeric = [
        name
        for name in columns
        if tables.is_measurable(before, name) and tables.is_measurable(after, name)
    ]
    return [name for name in numeric if np.ptp(finite_values(before, name)) > 0]
