"""Released values that equal the original ones."""

from collections.abc import Mapping

from shoal.plan.evidence import Evidence
from shoal.plan.findings.phrases import advice_to_mask_more, format_share, join_phrases
from shoal.plan.verdict import Finding


def find_exact_values(evidence: Evidence) -> list[Finding]:
    """Find masked columns in which most released values are the original ones."""
    plan = evidence.plan
    return exact_value_findings(
        evidence.exact_shares or {}, plan.thresholds.exact, advice_to_mask_more(plan.steps)
    )


def exact_value_findings(
    exact: Mapping[str, float], limit: float, way_out: str = "Raise k"
) -> list[Finding]:
    """Return the findings on shares of unchanged values, by column and (``""``) in all columns."""
    if not exact:
        return []
    shares = {name: share for name, share in exact.items() if name}
    joint_share = exact[""]
    shares_above_limit = {name: share for name, share in shares.items() if share > limit}
    if not shares_above_limit:
        return []
    phrases = {name: f"in {format_share(share)}" for name, share in shares_above_limit.items()}
    all_columns = "both" if len(shares) == 2 else f"all {len(shares)}"
    joint_phrase = f"; {all_columns} masked columns in {format_share(joint_share)} of all records"
    return [
        Finding(
            "released-exactly",
            "qualifies" if joint_share > limit else "informs",
            f"Released values are the original ones: {join_phrases(phrases)} of the records that"
            f" have a value there{joint_phrase if len(shares) > 1 else ''}.",
            {"together": joint_share, "columns": shares},
            tuple(shares_above_limit),
            f"{way_out}, or mask the columns in another way, if their values must not be read.",
        )
    ]
