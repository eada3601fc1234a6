"""Releases that lose much: a high information loss, and groups far larger than k."""

import numpy as np

from shoal.plan.evidence import Evidence
from shoal.plan.findings.words import percent
from shoal.plan.verdict import Finding


def find_loss(evidence: Evidence) -> list[Finding]:
    """Find a high information loss, and groups far larger than k."""
    loss = (evidence.measures or {}).get("information_loss")
    found = check_loss(loss, evidence.plan.thresholds.loss)
    times = evidence.plan.thresholds.group_size
    if evidence.units is None and evidence.plan.unit_column is not None:
        return found  # k counts units, and these are not at hand
    parts = evidence.partitions
    if not parts:
        return found
    records = np.concatenate([part.sizes for part in parts])
    groups = np.concatenate([evidence.sizes(part.labels) for part in parts])
    limits = np.repeat([times * part.k for part in parts], [part.n_groups for part in parts])
    large = groups[groups > limits].tolist()
    if large:
        share = float(records[groups > limits].sum() / records.sum())
        what = "records" if evidence.units is None else "units"
        found.append(
            Finding(
                "large-groups",
                "qualifies" if share > 0.5 else "informs",
                f"{len(large)} of {len(groups)} groups hold more than {times:g} times k {what},"
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
