"""An order of the released records that reveals whose they are."""

from collections.abc import Collection

import numpy as np

from shoal.frame.codes import any_codes, value_ranks
from shoal.frame.roles import UNIT_ROLES, columns_with
from shoal.metrics import classes
from shoal.metrics.findings.row_order import order_correlation, unit_contiguity
from shoal.plan.evidence import Evidence
from shoal.plan.findings.phrases import format_share, join_phrases
from shoal.plan.verdict import Finding

MIN_RECORDS = 10  # the order of fewer may be chance
WAY_OUT = "Put the records in random order: `shuffle=True`."


def find_revealing_order(evidence: Evidence) -> list[Finding]:
    """Find columns that the order of records follows, and units whose records are adjacent."""
    if evidence.original is None:
        return []
    adjacent = _adjacent_units(evidence)
    units = {name for finding in adjacent for name in finding.columns}
    return [*_sorted_columns(evidence, units), *adjacent]


def _sorted_columns(evidence: Evidence, skipped_columns: Collection[str]) -> list[Finding]:
    plan, original = evidence.plan, evidence.original
    assert original is not None
    if len(original) < MIN_RECORDS:
        return []
    hidden_columns = [
        name for name, role in plan.roles.items() if role in ("identifier", *UNIT_ROLES)
    ]
    names = [n for n in dict.fromkeys([*plan.masked, *hidden_columns]) if n in original.columns]
    correlations: dict[str, float] = {}
    n, limit = len(original), 4 * plan.thresholds.sample
    rows = np.arange(n) if n <= limit else np.linspace(0, n - 1, limit).astype(np.int64)
    for name in (name for name in names if name not in skipped_columns):
        ranks = value_ranks(original, name)
        rho = 0.0 if ranks is None else order_correlation(ranks[rows])
        if abs(rho) > plan.thresholds.order:
            correlations[name] = rho
    if not correlations:
        return []
    phrases = join_phrases({name: f"{rho:.3g}" for name, rho in correlations.items()})
    return [
        Finding(
            "order-follows-column",
            "qualifies",
            "The order of the records follows columns that the release hides, so that a record may"
            f" be identified by its position (rank correlation with the row number: {phrases}).",
            {"rank_correlation": correlations},
            tuple(correlations),
            WAY_OUT,
        )
    ]


def _adjacent_units(evidence: Evidence) -> list[Finding]:
    plan, original = evidence.plan, evidence.original
    assert original is not None
    names = [n for role in UNIT_ROLES for n in columns_with(plan.roles, role)]
    shares = {}
    for name in dict.fromkeys(n for n in names if n in original.columns):
        share = unit_contiguity(classes(any_codes(original, [name])))
        if share > plan.thresholds.order:
            shares[name] = share
    return [
        Finding(
            "revealing-order",
            "qualifies",
            f"The records are sorted by {name!r}, and a release keeps their order: members of a"
            f" household or unit are in adjacent rows ({format_share(share)} of the possible"
            " cases), so that anyone who finds one of them finds the others.",
            {"side_by_side": share},
            (name,),
            WAY_OUT,
        )
        for name, share in shares.items()
    ]
