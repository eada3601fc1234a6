"""Survey weights that are released and may identify."""

from shoal.frame.roles import RECORD_UNIT
from shoal.plan.evidence import Evidence
from shoal.plan.verdict import Finding, count_phrase


def find_released_weights(evidence: Evidence) -> list[Finding]:
    """Find released weights, which may distinguish records of one class."""
    plan = evidence.plan
    name = plan.weight
    if name is None or name not in evidence.released.columns:
        return []
    attained_k = evidence.smallest_class_size(evidence.classes_on([*plan.quasi_identifiers, name]))
    return released_weight_findings(name, plan.k, attained_k, evidence.counted_unit)


def released_weight_findings(
    name: str, k: int | None, attained_k: int, unit: str = RECORD_UNIT
) -> list[Finding]:
    """Return the findings on released weights, given the smallest class that they leave."""
    return [
        Finding(
            "released-weights",
            "qualifies" if attained_k < (k or 2) else "informs",
            f"Column {name!r} contains weights and is released unchanged. Weights may identify"
            " records: for anyone who knows them, the smallest class holds"
            f" {count_phrase(attained_k, unit)}.",
            {"attained": attained_k},
            (name,),
            "If users do not need the weights, make the column an identifier, which is dropped.",
        )
    ]
