"""Disclosure by combining this release with earlier ones of the same people."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.frame import tables
from shoal.frame.codes import codes
from shoal.frame.columns import Column, read_concatenated
from shoal.frame.tables import Frame
from shoal.metrics import classes
from shoal.metrics.findings.intersection import has_same_rows, nearest_class, remaining_candidates
from shoal.plan.evidence import Codes, Evidence
from shoal.plan.findings.phrases import format_share
from shoal.plan.verdict import Finding, count_phrase

Matrix = NDArray[np.float64]
MIN_CANDIDATES = 2  # required if a plan guarantees no k
WAY_OUT = (
    "Release a table only once; if that is not possible, keep the groups of the earlier release,"
    " and publish new columns only."
)


class SharedColumns(NamedTuple):
    """Columns that this release and an earlier one have in common.

    ``names`` are the quasi-identifiers, ``numeric`` the numeric ones among them.
    """

    names: list[str]
    numeric: list[str]


def find_earlier_releases(
    evidence: Evidence, earlier: Mapping[str, Frame], rows: Codes | None = None
) -> list[Finding]:
    """Find units for which few candidates remain after intersecting with earlier releases.

    If the original is available and has the rows of an earlier release, a record is in the class of
    its row there. Otherwise it is in the class with the nearest values, which an attacker would
    choose.

    Parameters
    ----------
    evidence : Evidence
        The release, and the original if it is available.
    earlier : mapping of str to Frame
        Earlier releases of the same people or nearly so, by name.
    rows : ndarray of shape (n_records,), optional
        Row of the original table that each released record comes from, if the order differs.

    Returns
    -------
    list of Finding
        Findings on intersections and differences.
    """
    findings: list[Finding] = []
    labels = [evidence.joint_classes]
    is_exact = True
    changed_shares: dict[str, float] = {}
    for name, frame in earlier.items():
        shared_columns = _shared_columns(evidence, frame)
        if not shared_columns.names:
            continue
        earlier_labels = classes(codes(frame, shared_columns.names))
        findings += _find_difference(evidence, name, frame, shared_columns)
        if evidence.original is None:
            changed_shares[name] = _changed_share(evidence, frame, shared_columns.names)
            continue
        positions = (
            np.arange(len(evidence.released)) if rows is None else np.argsort(np.argsort(rows))
        )
        record_classes, is_certain = _earlier_classes(
            evidence, frame, shared_columns, earlier_labels, positions
        )
        labels.append(record_classes)
        is_exact = is_exact and is_certain
    if changed_shares:
        return [*findings, *_uncounted_findings(changed_shares)]
    if len(labels) == 1:
        return findings
    return [*_find_intersection(evidence, np.column_stack(labels), is_exact), *findings]


def _shared_columns(evidence: Evidence, frame: Frame) -> SharedColumns:
    """Return the quasi-identifiers that an earlier release has too."""
    names = [
        name
        for name in evidence.plan.quasi_identifiers
        if name in frame.columns and name in evidence.released.columns
    ]
    current = evidence.released if evidence.original is None else evidence.original
    numeric = [
        name for name in names if all(tables.is_numeric(table, name) for table in (current, frame))
    ]
    return SharedColumns(names, numeric)


def _earlier_classes(
    evidence: Evidence,
    frame: Frame,
    shared_columns: SharedColumns,
    earlier_labels: Codes,
    positions: Codes,
) -> tuple[Codes, bool]:
    """Return the class of each record in an earlier release, and whether that is certain.

    ``positions`` is the position of each record in the original.
    """
    original = evidence.original
    assert original is not None
    if shared_columns.numeric and len(original) == len(frame):
        earlier_values = _numbers(frame, shared_columns.numeric)
        original_values = _numbers(original, shared_columns.numeric)
        if has_same_rows(original_values, earlier_values[positions], earlier_labels[positions]):
            return earlier_labels[positions], True
    points, released = _axes(original, frame, shared_columns.names, evidence)
    return nearest_class(points, released, earlier_labels), False


def _numbers(frame: Frame, names: Sequence[str]) -> Matrix:
    return np.column_stack([tables.numbers(frame, name) for name in names])


def _axes(
    original: Frame, frame: Frame, names: Sequence[str], evidence: Evidence
) -> tuple[Matrix, Matrix]:
    """Return both tables scaled by the standard deviations of the original."""
    axes_by_column = []
    for name in names:
        try:
            column = read_concatenated([original, frame], name, evidence.plan.types.get(name))
        except InputError:
            continue  # the column cannot be compared
        axes_by_column.append(_column_axes(column, len(original)))
    axes = (
        np.column_stack(axes_by_column)
        if axes_by_column
        else np.zeros((len(original) + len(frame), 1))
    )
    return axes[: len(original)], axes[len(original) :]


def _column_axes(column: Column, n_original: int) -> Matrix:
    """Return the axes of a column, scaled by its first ``n_original`` values."""
    if column.kind in ("numeric", "ordinal", "date"):
        values = column.values
        centre, spread = np.nanmean(values[:n_original]), np.nanstd(values[:n_original])
        return np.nan_to_num((values - centre) / (spread if spread > 0 else 1.0))[:, np.newaxis]
    all_codes = np.arange(column.codes.max(initial=0) + 1)
    return np.asarray((column.codes[:, np.newaxis] == all_codes) / np.sqrt(2))


def _find_intersection(evidence: Evidence, labels: Codes, is_exact: bool) -> list[Finding]:
    """Find units with fewer than k candidates in the intersection of their classes.

    ``labels`` has a column for each release; ``is_exact`` is whether they follow from the rows.
    """
    k = evidence.plan.k or MIN_CANDIDATES
    candidates = remaining_candidates(labels, evidence.units)
    share_below_k = float((candidates < k).mean())
    identified_share = float((candidates == 1).mean())
    fewest = int(candidates.min())
    unit = evidence.counted_unit
    figures: dict[str, Any] = {
        "releases": labels.shape[1],
        "smallest": fewest,
        "below_k": share_below_k,
        "alone": identified_share,
        "exact": is_exact,
    }
    if fewest >= k:
        return [
            Finding(
                "earlier-release-intersection",
                "informs",
                "Intersecting the classes with those of earlier releases leaves at least"
                f" {count_phrase(fewest, unit)} as candidates for every person.",
                figures,
            )
        ]
    basis = (
        "Their classes in earlier releases follow from their rows."
        if is_exact
        else "Their class in an earlier release is taken to be the class with the nearest values,"
        " as an attacker would choose."
    )
    return [
        Finding(
            "earlier-release-intersection",
            "breaks" if is_exact else "qualifies",
            f"Anyone who intersects this release with earlier ones is left with fewer than {k}"
            f" candidates for {format_share(share_below_k)} of {evidence.population_phrase}, and"
            f" with a single candidate for {format_share(identified_share)}. {basis}",
            figures,
            way_out=WAY_OUT,
        )
    ]


def _find_difference(
    evidence: Evidence, name: str, frame: Frame, shared_columns: SharedColumns
) -> list[Finding]:
    """Find releases that differ by few records, whose values the totals then reveal."""
    difference = len(evidence.released) - len(frame)
    k = evidence.plan.k or MIN_CANDIDATES
    if not 0 < abs(difference) < k or not shared_columns.numeric:
        return []
    current_values = _numbers(evidence.released, shared_columns.numeric)
    earlier_values = _numbers(frame, shared_columns.numeric)
    if np.isnan(current_values).any() or np.isnan(earlier_values).any():
        return []
    mean_of_extra = (current_values.sum(axis=0) - earlier_values.sum(axis=0)) / difference
    reference_values = (
        current_values
        if evidence.original is None
        else _numbers(evidence.original, shared_columns.numeric)
    )
    low, high = np.nanmin(reference_values, axis=0), np.nanmax(reference_values, axis=0)
    margin = high - low if evidence.original is None else 1e-6 * (high - low)
    is_possible = (mean_of_extra >= low - margin) & (mean_of_extra <= high + margin)
    if not is_possible.all():
        return []  # the records are of other people
    n_extra = abs(difference)
    values_of_extra = "that record's value" if n_extra == 1 else "the sum of these records' values"
    return [
        Finding(
            "earlier-release-difference",
            "breaks",
            f"This release has {count_phrase(n_extra)} {'more' if difference > 0 else 'fewer'}"
            f" than {name!r}. Group means preserve totals, so the difference between the totals of"
            f" a column is {values_of_extra}.",
            {"earlier": name, "records": n_extra},
            tuple(shared_columns.numeric),
            "Wait until k or more records have joined or left, or release the same records.",
        )
    ]


def _changed_share(evidence: Evidence, frame: Frame, names: Sequence[str]) -> float:
    """Return the share of records whose class an earlier release lacks, or has in another size."""
    earlier_sizes = _class_sizes(frame, names)
    current_sizes = _class_sizes(evidence.released, names)
    same = sum(size for values, size in current_sizes.items() if earlier_sizes.get(values) == size)
    return 1 - same / len(evidence.released)


def _class_sizes(frame: Frame, names: Sequence[str]) -> dict[tuple[Any, ...], int]:
    """Return the size of each class, by its values."""
    labels = classes(codes(frame, names))
    first = np.unique(labels, return_index=True)[1]
    columns = [tables.arrow(frame, name).take(first).to_pylist() for name in names]
    return dict(zip(zip(*columns, strict=True), np.bincount(labels).tolist(), strict=True))


def _uncounted_findings(shares: Mapping[str, float]) -> list[Finding]:
    """Return the finding on records whose candidates cannot be counted, by earlier release."""
    changed = {name: share for name, share in shares.items() if share}
    if not changed:
        return []
    phrases = ", ".join(f"{name!r} {format_share(share)}" for name, share in changed.items())
    return [
        Finding(
            "earlier-release-uncounted",
            "qualifies",
            "Some records are in classes that an earlier release does not have, or has in another"
            f" size ({phrases} of the records), so fewer candidates may be left for them. The"
            " candidates can be counted only with the original.",
            {"changed": changed},
            (),
            "Verify with the original.",
        )
    ]
