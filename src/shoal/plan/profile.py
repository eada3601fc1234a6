"""What the pictures of a report are drawn from: counts and correlations, never a record.

It is taken while original and masked table are both at hand, so that a release
need not keep the original.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from shoal.frame import tables
from shoal.frame.describe import finite_values, value_counts
from shoal.frame.roles import columns_with
from shoal.frame.tables import Frame
from shoal.metrics.anonymity import classes
from shoal.metrics.correlation import correlations
from shoal.metrics.histogram import bars, histogram
from shoal.metrics.plane import plane
from shoal.partitioners import Partition

LEAST = 3  # records behind a count, even if k is smaller or not promised
COLUMNS = 16  # of a correlation matrix that can still be read


def profile(plan: Any, before: Frame, after: Frame, outcomes: Sequence[Any]) -> dict[str, Any]:
    """Return what pictures of a release need, as plain data.

    Parameters
    ----------
    plan : Plan
        What was done. No count speaks of 1 to k - 1 original records.
    before : Frame
        The original table.
    after : Frame
        The masked table, with the same records in the same order.
    outcomes : list of StepResult
        What each step made, with its groups.

    Returns
    -------
    dict
        ``before``, the risk of the original; ``distributions`` of the masked columns;
        ``correlations`` among numeric ones; ``groups`` on a plane.
    """
    least = max(plan.k or 0, LEAST)
    masked = list(dict.fromkeys(plan.masked))
    confidential = columns_with(plan.roles, "confidential")
    words = [name for name, declared in plan.types.items() if declared.kind != "numeric"]
    together = [n for n in dict.fromkeys([*masked, *confidential]) if n not in words]
    return {
        "before": _risk(before, plan.quasi_identifiers),
        "distributions": [
            {"column": name, **_distribution(before, after, name, least, name in words)}
            for name in masked
        ],
        "correlations": _correlations(before, after, together),
        "groups": [
            {"columns": columns, **plane(tables.matrix(before, columns), found.labels)._asdict()}
            for block, found in _blocks(plan, outcomes)
            if len(columns := _varying(before, after, [n for n in block if n not in words])) > 1
        ],
    }


def _blocks(plan: Any, outcomes: Sequence[Any]) -> Iterator[tuple[list[str], Partition]]:
    """Yield the columns of each block, and its groups; some steps group nothing."""
    for step, outcome in zip(plan.steps, outcomes, strict=True):
        blocks = getattr(step, "column_blocks", [step.columns])
        if len(blocks) == len(outcome.partitions):
            yield from zip(blocks, outcome.partitions, strict=True)


def _risk(before: Frame, known: Sequence[str]) -> dict[str, Any]:
    label = np.zeros(len(before), np.int64)
    for name in known:
        label = classes(np.column_stack([label, tables.codes(before, [name])]))
        if label.max() == len(label) - 1:  # all are unique: more columns change nothing
            break
    sizes = np.bincount(label)
    return {
        "smallest_class": int(sizes.min()),
        "unique": round(float((sizes == 1).sum() / sizes.sum()), 3),
        "marketer": round(float(len(sizes) / sizes.sum()), 3),
    }


def _distribution(
    before: Frame, after: Frame, name: str, least: int, words: bool
) -> dict[str, Any]:
    if not words and tables.is_numeric(before, name) and tables.is_numeric(after, name):
        old, new = finite_values(before, name), finite_values(after, name)
        if len(old) and len(new):
            return histogram(old, new, least, whole=tables.is_whole(before, name))._asdict()
    return bars(value_counts(before, name), value_counts(after, name), least)._asdict()


def _correlations(before: Frame, after: Frame, columns: Sequence[str]) -> dict[str, Any]:
    names = _varying(before, after, columns)[:COLUMNS]
    if len(names) < 2:
        return {}
    first, second = (correlations(tables.matrix(frame, names)) for frame in (before, after))
    return {
        "columns": names,
        "before": np.round(first, 3).tolist(),
        "after": np.round(second, 3).tolist(),
        "difference": np.round(second - first, 3).tolist(),
    }


def _varying(before: Frame, after: Frame, columns: Sequence[str]) -> list[str]:
    """Return the columns of numbers without holes that vary."""
    numeric = [
        name
        for name in columns
        if tables.is_measurable(before, name) and tables.is_measurable(after, name)
    ]
    return [name for name in numeric if np.ptp(finite_values(before, name)) > 0]
