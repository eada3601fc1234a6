"""Unchanged columns that determine a masked one."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.frame.columns import read_column
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.frame.values import ARROW_ERRORS, any_codes
from shoal.metrics.derivation import category_fit, linear_fit, neighbour_r2
from shoal.plan.evidence import Evidence
from shoal.plan.findings.words import by_column, few
from shoal.plan.verdict import Finding

Values = NDArray[np.float64]
FEWEST = 20  # records; in fewer, columns fit each other by chance
MOST = 200  # columns that take part in a linear combination
HOLES = 0.2  # share of missing values with which a column still takes part in one


class Rule(NamedTuple):
    """Unchanged columns that determine a masked one, and how well."""

    columns: list[str]
    r2: float


@dataclass(frozen=True, eq=False)
class Sampled:
    """Values of a column in a sample of records; not a number where missing."""

    name: str
    values: Values
    ordered: bool

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        """The values as numbers from 0 on; a missing value is one of them."""
        return np.unique(self.values, return_inverse=True)[1].ravel()

    @cached_property
    def logarithm(self) -> Values | None:
        """The logarithm of the values, where all are above 0."""
        known = self.values[~np.isnan(self.values)]
        positive = self.ordered and len(known) and known.min() > 0
        return np.log(self.values) if positive else None


def find_derived(evidence: Evidence) -> list[Finding]:
    """Find masked columns that unchanged ones determine, on a sample of long tables."""
    plan, original = evidence.plan, evidence.original
    if original is None or len(original) < FEWEST:
        return []
    rows = np.arange(len(original))
    if len(rows) > plan.thresholds.sample:
        rows = np.random.default_rng(0).choice(len(rows), plan.thresholds.sample, replace=False)
    sources = list(_sampled(original, evidence.unchanged, rows, plan.types))
    targets = list(_sampled(original, plan.masked, rows, plan.types))
    found: dict[str, Rule] = {}
    for target in targets:
        rule = _rule(target, sources, plan.thresholds.derived)
        if rule is not None:
            found[target.name] = rule
    if not found:
        return []
    words = by_column(
        {
            name: f"from {few(rule.columns, '', '').strip()} (R2 {_digits(rule.r2)})"
            for name, rule in found.items()
        }
    )
    sampled = f", on {len(rows)} sampled records" if len(rows) < len(original) else ""
    names = [name for rule in found.values() for name in rule.columns]
    return [
        Finding(
            "derived-column",
            "qualifies",
            f"Columns that are released unchanged determine masked ones{sampled}: {words}.",
            {
                "rules": {n: {"from": rule.columns, "r2": rule.r2} for n, rule in found.items()},
                "records": len(rows),
            },
            tuple(dict.fromkeys([*found, *names])),
            "Mask these columns too, or drop them.",
        )
    ]


def _digits(r2: float) -> str:
    """Return an R2 with four digits; 1 only where it is."""
    return "1" if r2 > 1 - 1e-9 else f"{min(r2, 0.9999):.4f}"


def _sampled(
    frame: Frame, columns: list[str], rows: NDArray[np.int64], types: Mapping[str, Type]
) -> Iterator[Sampled]:
    """Yield columns as numbers; those that vary alone."""
    for name in columns:
        if name not in frame.columns:
            continue
        try:
            column = read_column(frame, name, types.get(name))
            ordered = column.kind in ("numeric", "ordinal", "date")
            values = column.values[rows]
        except (
            InputError,
            *ARROW_ERRORS,
        ):  # text that looks like numbers, numbers beyond 2**53, lists
            ordered, values = False, any_codes(frame, [name])[rows, 0].astype(np.float64)
        known = values[~np.isnan(values)]
        if len(known) and (known != known[0]).any():
            yield Sampled(name, values, ordered)


def _rule(target: Sampled, sources: list[Sampled], least: float) -> Rule | None:
    """Return what determines a column: one other if that suffices, else a few."""
    best = max((_single(target, source) for source in sources), key=lambda r: r.r2, default=None)
    if best is not None and best.r2 >= least:
        return best
    return _several(target, sources, least) if target.ordered else None


def _single(target: Sampled, source: Sampled) -> Rule:
    """Return how well one column determines another, by a line or any other function."""
    known = ~(np.isnan(target.values) | np.isnan(source.values))
    if known.sum() < FEWEST:
        return Rule([source.name], 0.0)
    if not target.ordered:
        return Rule([source.name], category_fit(target.codes[known], source.codes[known]))
    found = [0.0]
    for y in (target.values, target.logarithm):
        if y is None:
            continue
        found.append(neighbour_r2(y[known], source.values[known], ordered=source.ordered))
        for x in (source.values, source.logarithm) if source.ordered else ():
            fit = None if x is None else linear_fit(y[known], x[known, None], -np.inf)
            found.append(0.0 if fit is None else fit.r2)
    return Rule([source.name], max(found))


def _several(target: Sampled, sources: list[Sampled], least: float) -> Rule | None:
    """Return the few columns whose sum or product, with any coefficients, gives another."""
    plain = [(s.name, s.values) for s in sources if s.ordered]
    powers = [(s.name, s.logarithm) for s in sources if s.logarithm is not None]
    for y, pool in ((target.values, plain), (target.logarithm, powers)):
        parts = [(name, x) for name, x in pool if x is not None and np.isnan(x).mean() < HOLES]
        if y is None or len(parts) < 2:
            continue
        X = np.column_stack([x for _, x in parts[:MOST]])
        known = ~(np.isnan(y) | np.isnan(X).any(axis=1))
        if known.sum() < FEWEST + 5 * X.shape[1]:
            continue
        fit = linear_fit(y[known], X[known], least)
        if fit is not None:
            return Rule([parts[at][0] for at in fit.columns], fit.r2)
    return None
