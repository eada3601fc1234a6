"""Unchanged columns that determine a masked one."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.frame import tables
from shoal.frame.codes import ARROW_ERRORS, any_codes
from shoal.frame.columns import read_column
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.io.text_tables.numbers import parse_columns
from shoal.metrics.findings.derived_columns import category_fit, linear_fit, neighbour_r2
from shoal.plan.evidence import Evidence
from shoal.plan.findings.phrases import join_phrases, name_few
from shoal.plan.verdict import Finding

Values = NDArray[np.float64]
MIN_RECORDS = 20  # with fewer, columns fit each other by chance
MAX_COLUMNS = 200  # columns among which a linear combination is searched for
MAX_MISSING = 0.2  # share of missing values from which a column is left out of this search


class Derivation(NamedTuple):
    """Unchanged columns that determine a masked one, and their R2."""

    columns: list[str]
    r2: float


@dataclass(frozen=True, eq=False)
class SampledColumn:
    """Values of a column in a sample of records; NaN where missing."""

    name: str
    values: Values
    is_ordered: bool

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        """The values as integers from 0; missing values have a code of their own."""
        return np.unique(self.values, return_inverse=True)[1].ravel()

    @cached_property
    def logarithm(self) -> Values | None:
        """The logarithm of the values, or None unless all are above 0."""
        present = self.values[~np.isnan(self.values)]
        positive = self.is_ordered and len(present) and present.min() > 0
        return np.log(self.values) if positive else None


def find_derived_columns(evidence: Evidence) -> list[Finding]:
    """Find masked columns that unchanged ones determine; long tables are sampled."""
    plan, original = evidence.plan, evidence.original
    if original is None or len(original) < MIN_RECORDS:
        return []
    rows = np.arange(len(original))
    if len(rows) > plan.thresholds.sample:
        rows = np.random.default_rng(0).choice(len(rows), plan.thresholds.sample, replace=False)
    sources = _unchanged_columns(evidence, original, rows)
    targets = list(_sample_columns(original, plan.masked, rows, plan.types))
    derivations: dict[str, Derivation] = {}
    for target in targets:
        derivation = _find_derivation(target, sources, plan.thresholds.derived)
        if derivation is not None:
            derivations[target.name] = derivation
    if not derivations:
        return []
    phrases = join_phrases(
        {
            name: f"from {name_few(derivation.columns, '', '')} (R² {_format_r2(derivation.r2)})"
            for name, derivation in derivations.items()
        }
    )
    sample_clause = f", on {len(rows):,} sampled records" if len(rows) < len(original) else ""
    source_names = [name for derivation in derivations.values() for name in derivation.columns]
    return [
        Finding(
            "derived-column",
            "qualifies",
            f"Columns that are released unchanged determine masked ones{sample_clause}: {phrases}.",
            {
                "rules": {
                    name: {"from": derivation.columns, "r2": derivation.r2}
                    for name, derivation in derivations.items()
                },
                "records": len(rows),
            },
            tuple(dict.fromkeys([*derivations, *source_names])),
            "Mask these columns too, or drop them.",
        )
    ]


def _unchanged_columns(
    evidence: Evidence, original: Frame, rows: NDArray[np.int64]
) -> list[SampledColumn]:
    """Return the unchanged columns in a sample, with the numbers of a text file parsed."""
    names = [name for name in evidence.unchanged_columns if name in original.columns]
    if evidence.text_dialect is not None and names:
        sample = tables.to_native(tables.take(tables.select_columns(original, names), rows))
        original = tables.open_frame(parse_columns(sample, names, evidence.text_dialect))
        rows = np.arange(len(rows))
    return list(_sample_columns(original, names, rows, evidence.plan.types))


def _format_r2(r2: float) -> str:
    """Return an R2 with four digits; "1" only if it is 1 up to rounding errors."""
    return "1" if r2 > 1 - 1e-9 else f"{min(r2, 0.9999):.4f}"


def _sample_columns(
    frame: Frame, columns: list[str], rows: NDArray[np.int64], types: Mapping[str, Type]
) -> Iterator[SampledColumn]:
    """Yield the columns that vary, as numbers."""
    for name in columns:
        if name not in frame.columns:
            continue
        try:
            column = read_column(frame, name, types.get(name))
            is_ordered = column.kind in ("numeric", "ordinal", "date")
            values = column.values[rows]
        except (InputError, *ARROW_ERRORS):
            # Text that looks like numbers, numbers beyond 2**53, lists: only equality is compared.
            is_ordered = False
            values = any_codes(frame, [name])[rows, 0].astype(np.float64)
        present = values[~np.isnan(values)]
        if len(present) and (present != present[0]).any():
            yield SampledColumn(name, values, is_ordered)


def _find_derivation(
    target: SampledColumn, sources: list[SampledColumn], min_r2: float
) -> Derivation | None:
    """Return the column, or the few columns, that determine ``target``, or None if none do."""
    best = max(
        (_explained_by_one(target, source) for source in sources),
        key=lambda derivation: derivation.r2,
        default=None,
    )
    if best is not None and best.r2 >= min_r2:
        return best
    return _explained_by_several(target, sources, min_r2) if target.is_ordered else None


def _explained_by_one(target: SampledColumn, source: SampledColumn) -> Derivation:
    """Return how well one column determines another, by a linear or any other function."""
    present = ~(np.isnan(target.values) | np.isnan(source.values))
    if present.sum() < MIN_RECORDS:
        return Derivation([source.name], 0.0)
    if not target.is_ordered:
        return Derivation([source.name], category_fit(target.codes[present], source.codes[present]))
    fits = [0.0]
    for y in (target.values, target.logarithm):
        if y is None:
            continue
        fits.append(neighbour_r2(y[present], source.values[present], ordered=source.is_ordered))
        if not source.is_ordered:
            continue
        for x in (source.values, source.logarithm):
            fit = None if x is None else linear_fit(y[present], x[present, None], -np.inf)
            fits.append(0.0 if fit is None else fit.r2)
    return Derivation([source.name], max(fits))


def _explained_by_several(
    target: SampledColumn, sources: list[SampledColumn], min_r2: float
) -> Derivation | None:
    """Return a few columns whose linear combination or product gives ``target``, or None."""
    value_columns = [(source.name, source.values) for source in sources if source.is_ordered]
    logarithm_columns = [
        (source.name, source.logarithm) for source in sources if source.logarithm is not None
    ]
    for y, columns in ((target.values, value_columns), (target.logarithm, logarithm_columns)):
        usable_columns = [
            (name, x) for name, x in columns if x is not None and np.isnan(x).mean() < MAX_MISSING
        ]
        if y is None or len(usable_columns) < 2:
            continue
        X = np.column_stack([x for _, x in usable_columns[:MAX_COLUMNS]])
        present = ~(np.isnan(y) | np.isnan(X).any(axis=1))
        if present.sum() < MIN_RECORDS + 5 * X.shape[1]:
            continue
        fit = linear_fit(y[present], X[present], min_r2)
        if fit is not None:
            return Derivation([usable_columns[i][0] for i in fit.columns], fit.r2)
    return None
