"""Missing values filled in with what few records gave."""

import numpy as np

from shoal.frame import tables
from shoal.plan.evidence import Evidence
from shoal.plan.findings.words import by_column
from shoal.plan.verdict import Finding
from shoal.steps import Microaggregate


def find_imputed(evidence: Evidence) -> list[Finding]:
    """Find groups whose released value one record or unit gave, because the others had none."""
    if evidence.original is None:
        return []
    single: dict[str, int] = {}
    for step in evidence.plan.steps:
        if not isinstance(step, Microaggregate) or step.missing != "impute":
            continue
        for block in step.column_blocks:
            labels = evidence.classes_on([*block, *step.strata])
            sizes = evidence.sizes(labels)
            for name in block:
                known = ~tables.incomplete(evidence.original, [name])
                given = evidence.sizes(np.where(known, labels + 1, 0))[1:]
                given = np.pad(given, (0, len(sizes) - len(given)))
                number = int(((given == 1) & (sizes > 1)).sum())
                if number:
                    single[name] = number
    if not single:
        return []
    words = by_column({name: f"in {number}" for name, number in single.items()})
    return [
        Finding(
            "one-giver",
            "qualifies",
            "In some groups all records but one had a missing value, and now show the value of that"
            f" one: {words}.",
            {"groups": single},
            tuple(single),
            'Use `missing="own-groups"` or `missing="drop"`.',
        )
    ]
