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

MIN_RECORDS = 10  # fewer records may follow a column by chance
WAY_OUT = "Put the records in random order: `shuffle=True`."


def find_revealing_order(evidence: Evidence) -> list[Finding]:
    """Find columns that the order of records follows, and units whose records are adjacent."""
    if evidence.original is None:
        return []
    adjacent = _adjacent_units(evidence)
    units = {name for finding in adjacent for name in finding.columns}
    return [*_sorted_columns(evidence, units), *adjacent]


def _sorted_columns(evidence: Evidence, skipped_columns: Collection[str]) -> list[Finding]:
    """Return the finding on hidden columns that the order of the records follows, if any."""
    plan, original = evidence.plan, evidence.original
    assert original is not None
    if len(original) < MIN_RECORDS:
        return []
    dropped = [name for name, role in plan.roles.items() if role in ("identifier", *UNIT_ROLES)]
    names = [
        name
        for name in dict.fromkeys([*plan.masked, *dropped])
        if name in original.columns and name not in skipped_columns
    ]
    n_records, max_records = len(original), 4 * plan.thresholds.sample
    rows = np.arange(n_records)
    if n_records > max_records:
        rows = np.linspace(0, n_records - 1, max_records).astype(np.int64)
    correlations: dict[str, float] = {}
    for name in names:
        ranks = value_ranks(original, name)
        correlation = 0.0 if ranks is None else order_correlation(ranks[rows])
        if abs(correlation) > plan.thresholds.order:
            correlations[name] = correlation
    if not correlations:
        return []
    phrases = join_phrases({name: f"{value:.3g}" for name, value in correlations.items()})
    return [
        Finding(
            "order-follows-column",
            "qualifies",
            "The order of the records follows columns that the release hides, so a record may be"
            f" identified by its position (rank correlation with the row number: {phrases}).",
            {"rank_correlation": correlations},
            tuple(correlations),
            WAY_OUT,
        )
    ]


def _adjacent_units(evidence: Evidence) -> list[Finding]:
    """Return the findings on columns of units whose records are adjacent."""
    plan, original = evidence.plan, evidence.original
    assert original is not None
    names = [name for role in UNIT_ROLES for name in columns_with(plan.roles, role)]
    shares = {}
    for name in dict.fromkeys(name for name in names if name in original.columns):
        share = unit_contiguity(classes(any_codes(original, [name])))
        if share > plan.thresholds.order:
            shares[name] = share
    return [
        Finding(
            "revealing-order",
            "qualifies",
            f"Records with the same {name!r} tend to be in adjacent rows ({format_share(share)}, on"
            " a scale from 0 % for a random order to 100 % for complete adjacency), and the release"
            " keeps their order, so anyone who finds one member of a household or unit can find the"
            " others.",
            {"side_by_side": share},
            (name,),
            WAY_OUT,
        )
        for name, share in shares.items()
    ]
