"""Members of a group who can compute the values of another member."""

from collections.abc import Sequence

from shoal.frame.roles import RECORD_UNIT
from shoal.plan.evidence import Evidence
from shoal.plan.findings.dominance import releases_means
from shoal.plan.findings.phrases import name_few
from shoal.plan.verdict import Finding, count_phrase


def find_insiders(evidence: Evidence) -> list[Finding]:
    """Find the smallest groups, whose members may compute values of one of them from the mean."""
    types = evidence.plan.types
    columns: list[str] = []
    smallest_sizes: list[tuple[int, int]] = []  # of each block: size, and number of such classes
    is_weighted = False
    for step in filter(releases_means, evidence.plan.steps):
        numeric_columns = [
            name
            for name in step.numeric_columns
            if name in step.columns
            and (name not in types or types[name].kind == "numeric")
            and evidence.released[name].dtype.is_numeric()
        ]
        for block in step.column_blocks:
            averaged = [name for name in block if name in numeric_columns]
            if averaged:
                sizes = evidence.class_sizes(evidence.classes_on([*block, *step.strata]))
                smallest_sizes.append((int(sizes.min()), int((sizes == sizes.min()).sum())))
                columns += averaged
                is_weighted |= step.weight is not None
    if not columns:
        return []
    size = min(block_size for block_size, _ in smallest_sizes)
    n_groups = sum(n_classes for block_size, n_classes in smallest_sizes if block_size == size)
    return insider_findings(size, n_groups, columns, evidence.counted_unit, is_weighted=is_weighted)


def insider_findings(
    size: int, n_groups: int, columns: Sequence[str], unit: str, *, is_weighted: bool = False
) -> list[Finding]:
    """Return the findings on the smallest groups whose means are released.

    If a member may have several records, only the sum of its values follows from the mean. From a
    weighted mean, values follow only if the weights are known.
    """
    if size < 2:
        return []  # a class of one record is a finding of its own
    names = name_few(columns, "", "")
    groups = "1 class holds" if n_groups == 1 else f"{n_groups:,} classes hold"
    figures = {"size": size, "groups": n_groups}
    counts_records = unit == RECORD_UNIT
    condition = ", if the weights are known" if is_weighted else ""
    if size == 2:
        contribution = "the other's values" if counts_records else "the sum of the other's values"
        return [
            Finding(
                "pairs",
                "qualifies",
                f"{groups} {count_phrase(2, unit)}: each of the two can compute {contribution} of"
                f" {names} from the released mean{condition}.",
                figures,
                tuple(columns),
                "Choose k of 3 or more.",
            )
        ]
    values_of_last = (
        "the values of the remaining member"
        if counts_records
        else "the sum of the remaining member's values"
    )
    return [
        Finding(
            "insiders",
            "informs",
            f"{groups} {count_phrase(size, unit)}: any {size - 1} members who pool their values of"
            f" {names} can compute {values_of_last}{condition}.",
            figures,
            tuple(columns),
        )
    ]
