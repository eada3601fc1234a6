"""What the order of the released records tells."""

from collections.abc import Collection

import numpy as np

from shoal.frame.roles import UNIT_ROLES, columns_with
from shoal.frame.values import any_codes, value_ranks
from shoal.metrics import classes
from shoal.metrics.row_order import order_correlation, side_by_side
from shoal.plan.evidence import Evidence
from shoal.plan.findings.words import by_column, percent
from shoal.plan.verdict import Finding

FEWEST = 10  # records; the order of fewer may be chance
WAY_OUT = "Put the records in random order: `shuffle=True`."


def find_order(evidence: Evidence) -> list[Finding]:
    """Find columns that the order of records follows, and units whose records stand together."""
    if evidence.original is None:
        return []
    together = _together(evidence)
    apart = {name for finding in together for name in finding.columns}
    return [*_sorted(evidence, apart), *together]


def _sorted(evidence: Evidence, apart: Collection[str]) -> list[Finding]:
    plan, original = evidence.plan, evidence.original
    assert original is not None
    if len(original) < FEWEST:
        return []
    secret = [name for name, role in plan.roles.items() if role in ("identifier", *UNIT_ROLES)]
    named = [n for n in dict.fromkeys([*plan.masked, *secret]) if n in original.columns]
    found: dict[str, float] = {}
    n, most = len(original), 4 * plan.thresholds.sample
    rows = np.arange(n) if n <= most else np.linspace(0, n - 1, most).astype(np.int64)
    for name in (name for name in named if name not in apart):
        place = value_ranks(original, name)
        rho = 0.0 if place is None else order_correlation(place[rows])
        if abs(rho) > plan.thresholds.order:
            found[name] = rho
    if not found:
        return []
    words = by_column({name: f"{rho:.3g}" for name, rho in found.items()})
    return [
        Finding(
            "order-follows-column",
            "qualifies",
            "The order of the records follows columns that the release hides, so that a row may be"
            f" found by its place (rank correlation {words}).",
            {"rank_correlation": found},
            tuple(found),
            WAY_OUT,
        )
    ]


def _together(evidence: Evidence) -> list[Finding]:
    plan, original = evidence.plan, evidence.original
    assert original is not None
    names = [n for role in UNIT_ROLES for n in columns_with(plan.roles, role)]
    found = {}
    for name in dict.fromkeys(n for n in names if n in original.columns):
        share = side_by_side(classes(any_codes(original, [name])))
        if share > plan.thresholds.order:
            found[name] = share
    return [
        Finding(
            "revealing-order",
            "qualifies",
            f"The records are sorted by {name!r}, and a release keeps their order: members of a"
            f" household or unit stand side by side ({percent(share)} of what is possible), so"
            " whoever knows that may find them.",
            {"side_by_side": share},
            (name,),
            WAY_OUT,
        )
        for name, share in found.items()
    ]
