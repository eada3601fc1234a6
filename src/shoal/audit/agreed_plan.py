"""Comparison of the plan in a manifest with the plan that was agreed on.

Only what a run adds to a plan may differ:

- ``random_state``, if the agreed plan gives none: the run drew it;
- ``rounds`` in place of ``budget`` in an effort, if the agreed plan gives no rounds: the run
  counted the rounds that it made in that time;
- the role ``unassigned`` of columns that the agreed plan does not name, with ``other_columns =
  "refuse"``, if the agreed plan has ``"release"``: the run named the columns that it released;
- ``decimals`` of columns for which the agreed plan states none, unless it has ``round = "none"``:
  the run recorded the decimals of the file;
- ``types`` of columns for which the agreed plan states none, if the run inferred them and recorded
  the reason as ``why``.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from shoal.plan import Plan

SEED, ROUNDS, BUDGET = "random_state", "rounds", "budget"
OTHER_COLUMNS, DECIMALS, TYPES = "other_columns", "decimals", "types"


def check_agreed(agreed: str | Path, entries: Mapping[str, Any]) -> tuple[bool, str]:
    """Return whether a plan file is the plan of a manifest, and a message of the check."""
    stated = entries["plan"]
    if entries["manifest"] == 1:  # written by an older version of Shoal
        stated = Plan.from_dict(stated, None).to_dict()
    agreed_entries = Plan.load(agreed).to_dict()
    for without_additions in (
        _without_added_roles,
        _without_recorded_decimals,
        _without_inferred_types,
    ):
        stated = without_additions(stated, agreed_entries)
    differing = list(differences(agreed_entries, stated))
    if differing:
        verb = "differs" if len(differing) == 1 else "differ"
        return False, f"it is not the agreed plan: {', '.join(differing)} {verb}"
    return True, "it is the agreed plan"


def differences(agreed: Any, stated: Any, path: str = "") -> Iterator[str]:
    """Yield the entries in which two plan documents differ, except for what a run adds."""
    if isinstance(agreed, Mapping) and isinstance(stated, Mapping):
        for name in dict.fromkeys([*agreed, *stated]):
            entry_path = f"{path}.{name}" if path else str(name)
            if name in agreed and name in stated:
                yield from differences(agreed[name], stated[name], entry_path)
            elif not _is_added_by_run(name, agreed, stated):
                yield entry_path
    elif isinstance(agreed, list) and isinstance(stated, list) and len(agreed) == len(stated):
        for i, (agreed_entry, stated_entry) in enumerate(zip(agreed, stated, strict=True), start=1):
            yield from differences(agreed_entry, stated_entry, f"{path}[{i}]")
    elif agreed != stated or isinstance(agreed, bool) != isinstance(stated, bool):
        yield path


def _without_added_roles(stated: Mapping[str, Any], agreed: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a plan without the roles that a run adds if other columns are released."""
    if agreed.get(OTHER_COLUMNS) != "release" or stated.get(OTHER_COLUMNS, "refuse") != "refuse":
        return stated
    stated_roles = stated.get("roles", {}).items()
    roles = {
        name: role for name, role in stated_roles if name in agreed["roles"] or role != "unassigned"
    }
    return {**stated, OTHER_COLUMNS: "release", "roles": roles}


def _without_recorded_decimals(
    stated: Mapping[str, Any], agreed: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Return a plan without the decimals that a run recorded from its file."""
    stated_steps, agreed_steps = stated.get("steps", ()), agreed.get("steps", ())
    if len(stated_steps) != len(agreed_steps) or not all(
        isinstance(step, Mapping) for step in stated_steps
    ):
        return stated
    pairs = zip(stated_steps, agreed_steps, strict=True)
    steps = [_step_without_decimals(step, agreed_step) for step, agreed_step in pairs]
    return {**stated, "steps": steps}


def _without_inferred_types(
    stated: Mapping[str, Any], agreed: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Return a plan without the types that a run inferred from its file."""
    agreed_types, stated_types = agreed.get(TYPES, {}), stated.get(TYPES)
    if not isinstance(stated_types, Mapping):
        return stated
    types = {
        name: declared
        for name, declared in stated_types.items()
        if name in agreed_types or not (isinstance(declared, Mapping) and declared.get("why"))
    }
    plan = {**stated, TYPES: types}
    if TYPES not in agreed and not types:
        del plan[TYPES]
    return plan


def _step_without_decimals(stated: Mapping[str, Any], agreed: Mapping[str, Any]) -> dict[str, Any]:
    """Return a step without the decimals of columns for which the agreed step has none."""
    agreed_decimals, stated_decimals = agreed.get(DECIMALS, {}), stated.get(DECIMALS)
    step = dict(stated)
    if not isinstance(agreed_decimals, Mapping) or not isinstance(stated_decimals, Mapping):
        return step
    if agreed.get("round") == "none":
        return step
    step[DECIMALS] = {
        name: decimals for name, decimals in stated_decimals.items() if name in agreed_decimals
    }
    if DECIMALS not in agreed and not step[DECIMALS]:
        del step[DECIMALS]
    return step


def _is_added_by_run(name: str, agreed: Mapping[str, Any], stated: Mapping[str, Any]) -> bool:
    """Return whether a run adds an entry, or leaves it out, if nothing was agreed."""
    if name == SEED and stated.get("shuffle") is True:  # the seed of the order of the records
        return name in stated
    if name in (SEED, ROUNDS):  # of a step or a partitioner
        return name in stated and "method" in stated
    return name == BUDGET and name in agreed and ROUNDS not in agreed and ROUNDS in stated
