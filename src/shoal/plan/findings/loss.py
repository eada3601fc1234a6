"""Releases that lose much: a high information loss, and groups far larger than k."""

from shoal.plan.evidence import Evidence
from shoal.plan.findings.words import percent
from shoal.plan.verdict import Finding


def find_loss(evidence: Evidence) -> list[Finding]:
    """Find a high information loss, and groups far larger than k."""
    loss = (evidence.measures or {}).get("information_loss")
    found = check_loss(loss, evidence.plan.thresholds.loss)
    times = evidence.plan.thresholds.group_size
    if any(step.household is not None for step in evidence.plan.steps):
        return found  # k counts households there, and groups are as large as these
    groups = [size for part in evidence.partitions for size in part.sizes.tolist()]
    large = [
        size
        for part in evidence.partitions
        for size in part.sizes.tolist()
        if size > times * part.k
    ]
    if large:
        share = sum(large) / sum(groups)
        found.append(
            Finding(
                "large-groups",
                "qualifies" if share > 0.5 else "informs",
                f"{len(large)} of {len(groups)} groups hold more than {times:g} times k records,"
                f" the largest {max(large)}; {percent(share)} of the records are in them.",
                {"groups": len(large), "largest": max(large), "records": share},
            )
        )
    return found


def check_loss(loss: float | None, limit: float) -> list[Finding]:
    """Find an information loss above a limit, both in per cent."""
    if loss is None or loss <= limit:
        return []
    return [
        Finding(
            "high-loss",
            "qualifies",
            f"The information loss is {loss:.3g} %: most of the variation of the masked columns is"
            " gone."
            if loss > 50
            else f"The information loss is {loss:.3g} %.",
            {"information_loss": loss},
            way_out="Mask fewer columns in one step, lower k, or try another method.",
        )
    ]
