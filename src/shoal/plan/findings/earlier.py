"""What earlier releases of the same people give away together with this one."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.frame import tables
from shoal.frame.columns import Column, read_concatenated
from shoal.frame.tables import Frame
from shoal.metrics import classes
from shoal.metrics.intersection import candidates_left, nearest_class, rows_agree
from shoal.plan.evidence import Evidence
from shoal.plan.findings.words import percent
from shoal.plan.verdict import Finding, counted

Codes = NDArray[np.int64]
Matrix = NDArray[np.float64]
LEAST = 2  # candidates, where a plan promises no k
WAY_OUT = (
    "Release a table once; where that cannot be, keep the groups of the earlier release, and"
    " publish new columns only."
)


class Shared(NamedTuple):
    """Columns that this release and an earlier one have in common.

    ``names`` are those that an attacker may know, ``numbers`` the numeric ones among them.
    """

    names: list[str]
    numbers: list[str]


def find_earlier(
    evidence: Evidence, earlier: Mapping[str, Frame], rows: Codes | None = None
) -> list[Finding]:
    """Count the candidates that are left for each unit after intersecting with earlier releases.

    With the original at hand, the class of each record in an earlier release is that of its row,
    where the rows are the same; otherwise it is the class with the nearest values, which is what
    an attacker would take.

    Parameters
    ----------
    evidence : Evidence
        The release, and the original if there is one.
    earlier : mapping of str to Frame
        Earlier releases of the same people or nearly so, by name.
    rows : ndarray of shape (n_records,), optional
        Row of the original table that each released record comes from, where the order is
        another one.

    Returns
    -------
    list of Finding
        What they give away.
    """
    found: list[Finding] = []
    labels, exact = [evidence.joint_classes], True
    uncounted: dict[str, float] = {}
    for name, frame in earlier.items():
        shared = _shared(evidence, frame)
        if not shared.names:
            continue
        then = classes(tables.codes(frame, shared.names))
        found += _difference(evidence, name, frame, shared)
        if evidence.original is None:
            uncounted[name] = _changed(evidence, frame, shared.names)
            continue
        place = np.arange(len(evidence.released)) if rows is None else np.argsort(np.argsort(rows))
        own, sure = _classes_then(evidence, frame, shared, then, place)
        labels.append(own)
        exact = exact and sure
    if uncounted:
        return [*found, *_uncounted(uncounted)]
    if len(labels) == 1:
        return found
    return [*_intersection(evidence, np.column_stack(labels), exact), *found]


def _shared(evidence: Evidence, frame: Frame) -> Shared:
    names = [
        n
        for n in evidence.plan.quasi_identifiers
        if n in frame.columns and n in evidence.released.columns
    ]
    now = evidence.released if evidence.original is None else evidence.original
    both = (now, frame)
    numbers = [n for n in names if all(tables.is_numeric(one, n) for one in both)]
    return Shared(names, numbers)


def _classes_then(
    evidence: Evidence, frame: Frame, shared: Shared, then: Codes, place: Codes
) -> tuple[Codes, bool]:
    """Return the class of each record in an earlier release, and whether that is certain.

    ``place`` is where each record stands among those of the original.
    """
    original = evidence.original
    assert original is not None
    if shared.numbers and len(original) == len(frame):
        after, before = _numbers(frame, shared.numbers), _numbers(original, shared.numbers)
        if rows_agree(before, after[place], then[place]):
            return then[place], True
    points, released = _axes(original, frame, shared.names, evidence)
    return nearest_class(points, released, then), False


def _numbers(frame: Frame, names: Sequence[str]) -> Matrix:
    return np.column_stack([tables.numbers(frame, name) for name in names])


def _axes(
    original: Frame, frame: Frame, names: Sequence[str], evidence: Evidence
) -> tuple[Matrix, Matrix]:
    """Return both tables in units of the original's deviations; categories are 0 or 1 apart."""
    parts = []
    for name in names:
        try:
            column = read_concatenated(original, frame, name, evidence.plan.types.get(name))
        except InputError:
            continue  # a column that cannot be compared tells nothing
        parts.append(_axis(column, len(original)))
    both = np.column_stack(parts) if parts else np.zeros((len(original) + len(frame), 1))
    return both[: len(original)], both[len(original) :]


def _axis(column: Column, n: int) -> Matrix:
    if column.kind in ("numeric", "ordinal", "date"):
        values = column.values
        centre, spread = np.nanmean(values[:n]), np.nanstd(values[:n])
        return np.nan_to_num((values - centre) / (spread if spread > 0 else 1.0))[:, np.newaxis]
    every = np.arange(column.codes.max(initial=0) + 1)
    return np.asarray((column.codes[:, np.newaxis] == every) / np.sqrt(2))


def _intersection(evidence: Evidence, labels: Codes, exact: bool) -> list[Finding]:
    k = evidence.plan.k or LEAST
    left = candidates_left(labels, evidence.units)
    below, alone = float((left < k).mean()), float((left == 1).mean())
    fewest, unit = int(left.min()), evidence.counted_unit
    figures: dict[str, Any] = {
        "releases": labels.shape[1],
        "smallest": fewest,
        "below_k": below,
        "alone": alone,
        "exact": exact,
    }
    if fewest >= k:
        return [
            Finding(
                "earlier-release-intersection",
                "informs",
                f"Intersected with earlier releases, at least {counted(fewest, unit)} are left as"
                " candidates for everybody.",
                figures,
            )
        ]
    how = (
        "Their classes follow from their rows."
        if exact
        else "A class in an earlier release is that with the nearest values, as an attacker would"
        " take it."
    )
    return [
        Finding(
            "earlier-release-intersection",
            "breaks" if exact else "qualifies",
            f"Whoever intersects this release with earlier ones is left with fewer than {k}"
            f" candidates for {percent(below)} of {evidence.everybody}, and with one for"
            f" {percent(alone)}. {how}",
            figures,
            way_out=WAY_OUT,
        )
    ]


def _difference(evidence: Evidence, name: str, frame: Frame, shared: Shared) -> list[Finding]:
    """Find releases that differ by so few records that totals give away the values of these."""
    more = len(evidence.released) - len(frame)
    k = evidence.plan.k or LEAST
    if not 0 < abs(more) < k or not shared.numbers:
        return []
    now, then = (_numbers(one, shared.numbers) for one in (evidence.released, frame))
    if np.isnan(now).any() or np.isnan(then).any():
        return []
    mean = (now.sum(axis=0) - then.sum(axis=0)) / more
    known = now if evidence.original is None else _numbers(evidence.original, shared.numbers)
    low, high = np.nanmin(known, axis=0), np.nanmax(known, axis=0)
    margin = high - low if evidence.original is None else 1e-6 * (high - low)
    if not ((mean >= low - margin) & (mean <= high + margin)).all():
        return []  # other people: the totals do not differ by values of a few
    records = counted(abs(more))
    return [
        Finding(
            "earlier-release-difference",
            "breaks",
            f"This release holds {records} {'more' if more > 0 else 'fewer'} than {name!r}. Means"
            " keep totals, so the difference of the totals is the sum of the values of"
            f" {'that record' if abs(more) == 1 else 'these records'}.",
            {"earlier": name, "records": abs(more)},
            tuple(shared.numbers),
            "Wait until k or more have joined or left, or release the same records.",
        )
    ]


def _changed(evidence: Evidence, frame: Frame, names: Sequence[str]) -> float:
    """Return the share of records whose class an earlier release does not have, of equal size."""
    earlier = _sizes(frame, names)
    now = _sizes(evidence.released, names)
    same = sum(size for values, size in now.items() if earlier.get(values) == size)
    return 1 - same / len(evidence.released)


def _sizes(frame: Frame, names: Sequence[str]) -> dict[tuple[Any, ...], int]:
    labels = classes(tables.codes(frame, names))
    first = np.unique(labels, return_index=True)[1]
    columns = [tables.arrow(frame, name).take(first).to_pylist() for name in names]
    return dict(zip(zip(*columns, strict=True), np.bincount(labels).tolist(), strict=True))


def _uncounted(shares: Mapping[str, float]) -> list[Finding]:
    changed = {name: share for name, share in shares.items() if share}
    if not changed:
        return []
    told = ", ".join(f"{name!r} {percent(share)}" for name, share in changed.items())
    return [
        Finding(
            "earlier-release-uncounted",
            "qualifies",
            "Some records stand in classes that an earlier release does not have, so that fewer"
            f" candidates may be left for them ({told} of the records). How many can be counted"
            " with the original alone.",
            {"changed": changed},
            (),
            "Verify with the original.",
        )
    ]
