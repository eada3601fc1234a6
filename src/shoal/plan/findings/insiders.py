"""Members of a group who can compute the values of another member."""

from collections.abc import Sequence

from shoal.plan.evidence import Evidence
from shoal.plan.findings.dominance import releases_means
from shoal.plan.findings.words import name_few
from shoal.plan.verdict import RECORD_UNIT, Finding, count_phrase


def find_insiders(evidence: Evidence) -> list[Finding]:
    """Find groups so small that their members can compute values of one of them from the mean."""
    types = evidence.plan.types
    columns: list[str] = []
    smallest: list[tuple[int, int]] = []  # size, and number of groups of that size
    weighted = False
    for step in filter(releases_means, evidence.plan.steps):
        numbers = [n for n in step.numeric_columns if n in step.columns]
        numbers = [n for n in numbers if n not in types or types[n].kind == "numeric"]
        numbers = [n for n in numbers if evidence.released[n].dtype.is_numeric()]
        for block in step.column_blocks:
            masked = [name for name in block if name in numbers]
            if masked:
                sizes = evidence.sizes(evidence.classes_on([*block, *step.strata]))
                smallest.append((int(sizes.min()), int((sizes == sizes.min()).sum())))
                columns += masked
                weighted |= step.weight is not None
    if not columns:
        return []
    size = min(least for least, _ in smallest)
    number = sum(count for least, count in smallest if least == size)
    return check_insiders(size, number, columns, evidence.counted_unit, weighted=weighted)


def check_insiders(
    size: int, number: int, columns: Sequence[str], unit: str, *, weighted: bool = False
) -> list[Finding]:
    """Find the smallest groups whose means are released, given their size and number.

    Where a member may have several records, only the sum of its values follows from the mean, and
    from a ``weighted`` mean only where its weights are known.
    """
    if size < 2:
        return []  # a class of one is another, graver finding
    names = name_few(columns, "", "").strip()
    groups = "1 class holds" if number == 1 else f"{number:,} classes hold"
    figures = {"size": size, "groups": number}
    single = unit == RECORD_UNIT
    condition = ", if the weights are known" if weighted else ""
    if size == 2:
        others = "the other's values" if single else "the sum of the other's values"
        return [
            Finding(
                "pairs",
                "qualifies",
                f"{groups} {count_phrase(2, unit)}: each of the two computes {others} of {names}"
                f" from the released mean{condition}.",
                figures,
                tuple(columns),
                "Choose k of 3 or more.",
            )
        ]
    values_of_last = "those of the last one" if single else "the sum of those of the last one"
    return [
        Finding(
            "insiders",
            "informs",
            f"{groups} {count_phrase(size, unit)}: any {size - 1} of them who pool"
            f" their values of {names} compute {values_of_last}{condition}.",
            figures,
            tuple(columns),
        )
    ]
