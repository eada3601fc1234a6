"""What a plan document promises, read from the document itself."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Document = Mapping[str, Any]

KEEPING_K = ("microaggregate", "suppress", "generalise")  # the steps that promise k-anonymity
DROPPED = ("identifier", "household", "unit")


@dataclass(frozen=True)
class Block:
    """Columns that look alike in at least k records, or units, of every class.

    A missing cell of the columns ``wildcards`` matches every value.
    """

    columns: list[str]
    k: int
    unit: str | None
    wildcards: tuple[str, ...] = ()


def as_list(names: str | Sequence[str] | None) -> list[str]:
    """Return names as a list."""
    return [names] if isinstance(names, str) else list(names or [])


def k_of(step: Document) -> int | None:
    """Return the k that a step promises, if any."""
    if step["method"] not in KEEPING_K:
        return None
    return int(step["k"] if "k" in step else step["partition"]["k"])


def column_blocks(step: Document) -> list[list[str]]:
    """Return the columns that a step masks together."""
    blocks, columns = step.get("blocks"), step["columns"]
    if isinstance(blocks, int):
        return [columns[at : at + blocks] for at in range(0, len(columns), blocks)]
    return blocks or [columns]


def joins_classes(step: Document) -> bool:
    """Return whether a step gives equal values to equal values."""
    if step["method"] == "generalise":
        return not step.get("suppression", 0)
    if step["method"] == "round":
        return step.get("mode", "nearest") == "nearest"
    return step["method"] in ("recode", "top-bottom-code")


def is_intact(plan: Document, at: int) -> bool:
    """Return whether no later step may split the classes of a step."""
    columns = set(plan["steps"][at]["columns"])
    later = [step for step in plan["steps"][at + 1 :] if columns & set(step["columns"])]
    return all(joins_classes(step) for step in later)


def blocks(plan: Document) -> Iterator[Block]:
    """Yield every block of columns for which some k is promised."""
    for at, step in enumerate(plan["steps"]):
        k = k_of(step) if is_intact(plan, at) else None
        for columns in column_blocks(step) if k is not None else ():
            names = [*columns, *as_list(step.get("within"))]
            loose = step["columns"] if step.get("missing_means") == "any" else ()
            yield Block(names, k, unit_of(plan), tuple(loose))


def wildcards(plan: Document) -> list[str]:
    """Return the columns in which a missing cell matches every value."""
    deciding = {at for name in known(plan) if (at := decided_by(plan, name)) is not None}
    counting = [plan["steps"][at] for at in sorted(deciding)]
    return [
        name for step in counting if step.get("missing_means") == "any" for name in step["columns"]
    ]


def decided_by(plan: Document, column: str) -> int | None:
    """Return the step that the protection of a column rests on: the last that matters."""
    masking = [at for at, step in enumerate(plan["steps"]) if column in step["columns"]]
    for at in reversed(masking):
        if k_of(plan["steps"][at]) is not None and is_intact(plan, at):
            return at
        if not joins_classes(plan["steps"][at]):
            break
    return masking[-1] if masking else None


def with_role(plan: Document, *roles: str) -> list[str]:
    """Return the columns that have one of some roles."""
    return [name for name, role in plan["roles"].items() if role in roles]


def dropped(plan: Document) -> set[str]:
    """Return the columns that must not be released."""
    unit = unit_of(plan)
    return {*with_role(plan, *DROPPED), *([] if unit is None else [unit])}


def unit_of(plan: Document) -> str | None:
    """Return the column whose values k counts; None where it counts records."""
    named = [plan.get("unit"), *with_role(plan, "unit", "household")]
    named += [step.get(role) for step in plan["steps"] for role in ("unit", "household")]
    return next((name for name in named if name not in (None, "record")), None)


def unnamed(plan: Document, columns: Iterable[str]) -> list[str]:
    """Return the columns of a table that the plan does not name."""
    steps = plan["steps"]
    named = {*plan["roles"], *masked(plan), *strata(plan)}
    named |= {step["weight"] for step in steps if "weight" in step} | {unit_of(plan)}
    return [name for name in columns if name not in named]


def masked(plan: Document) -> list[str]:
    """Return the columns that some step masks."""
    return list(dict.fromkeys(name for step in plan["steps"] for name in step["columns"]))


def strata(plan: Document) -> list[str]:
    """Return the columns that split strata."""
    return [name for step in plan["steps"] for name in as_list(step.get("within"))]


def known(plan: Document) -> list[str]:
    """Return the columns that an attacker may know."""
    confidential = with_role(plan, "confidential")
    return list(dict.fromkeys([*(n for n in masked(plan) if n not in confidential), *strata(plan)]))


def promised_k(plan: Document) -> int | None:
    """Return the k that is promised of all columns that an attacker may know, if any."""
    deciding = {at for name in known(plan) if (at := decided_by(plan, name)) is not None}
    ks = [k_of(plan["steps"][at]) if is_intact(plan, at) else None for at in sorted(deciding)]
    return None if None in ks else min(k for k in ks if k is not None)


def weight_of(plan: Document) -> str | None:
    """Return the column of weights, if there is one."""
    named = [step["weight"] for step in plan["steps"] if "weight" in step]
    return next(iter([*with_role(plan, "weight"), *named]), None)
