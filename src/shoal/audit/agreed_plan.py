"""Comparison of the plan in a manifest with the plan that was agreed on.

Only what a run adds to a plan may differ:

- ``random_state``, where the agreed plan gives none: the run drew it;
- ``rounds`` in place of ``budget`` in an effort, where the agreed plan gives no rounds: the run
  counted what it made in that time;
- the role ``unassigned`` of columns that the agreed plan does not name, with ``other_columns =
  "refuse"``, where the agreed plan has ``"release"``: the run named what it released;
- ``decimals`` of columns for which the agreed plan states none, unless it has ``round = "none"``:
  the run recorded those of the file;
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
    actual = entries["plan"]
    if entries["manifest"] == 1:  # written by an older Shoal
        actual = Plan.from_dict(actual, None).to_dict()
    expected = Plan.load(agreed).to_dict()
    for without_additions in (
        _without_added_roles,
        _without_recorded_decimals,
        _without_inferred_types,
    ):
        actual = without_additions(actual, expected)
    differing = list(differences(expected, actual))
    if differing:
        verb = "differs" if len(differing) == 1 else "differ"
        return False, f"it is not the agreed plan: {', '.join(differing)} {verb}"
    return True, "it is the agreed plan"


def differences(agreed: Any, actual: Any, path: str = "") -> Iterator[str]:
    """Yield the entries in which two plan documents differ, except for what a run adds."""
    if isinstance(agreed, Mapping) and isinstance(actual, Mapping):
        for name in dict.fromkeys([*agreed, *actual]):
            entry_path = f"{path}.{name}" if path else str(name)
            if name in agreed and name in actual:
                yield from differences(agreed[name], actual[name], entry_path)
            elif not _is_added_by_run(name, agreed, actual):
                yield entry_path
    elif isinstance(agreed, list) and isinstance(actual, list) and len(agreed) == len(actual):
        for i, (agreed_entry, actual_entry) in enumerate(zip(agreed, actual, strict=True), start=1):
            yield from differences(agreed_entry, actual_entry, f"{path}[{i}]")
    elif agreed != actual or isinstance(agreed, bool) != isinstance(actual, bool):
        yield path


def _without_added_roles(actual: Mapping[str, Any], agreed: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a plan without the roles that a run adds if other columns are released."""
    if agreed.get(OTHER_COLUMNS) != "release" or actual.get(OTHER_COLUMNS, "refuse") != "refuse":
        return actual
    actual_roles = actual.get("roles", {}).items()
    roles = {
        name: role for name, role in actual_roles if name in agreed["roles"] or role != "unassigned"
    }
    return {**actual, OTHER_COLUMNS: "release", "roles": roles}


def _without_recorded_decimals(
    actual: Mapping[str, Any], agreed: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Return a plan without the decimals that a run recorded from its file."""
    actual_steps, agreed_steps = actual.get("steps", ()), agreed.get("steps", ())
    if len(actual_steps) != len(agreed_steps) or not all(
        isinstance(step, Mapping) for step in actual_steps
    ):
        return actual
    pairs = zip(actual_steps, agreed_steps, strict=True)
    steps = [_step_without_decimals(step, agreed_step) for step, agreed_step in pairs]
    return {**actual, "steps": steps}


def _without_inferred_types(
    actual: Mapping[str, Any], agreed: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Return a plan without the types that a run inferred from its file."""
    agreed_types, actual_types = agreed.get(TYPES, {}), actual.get(TYPES)
    if not isinstance(actual_types, Mapping):
        return actual
    types = {
        name: declared
        for name, declared in actual_types.items()
        if name in agreed_types or not (isinstance(declared, Mapping) and declared.get("why"))
    }
    plan = {**actual, TYPES: types}
    if TYPES not in agreed and not types:
        del plan[TYPES]
    return plan


def _step_without_decimals(actual: Mapping[str, Any], agreed: Mapping[str, Any]) -> dict[str, Any]:
    agreed_decimals, actual_decimals = agreed.get(DECIMALS, {}), actual.get(DECIMALS)
    step = dict(actual)
    if not isinstance(agreed_decimals, Mapping) or not isinstance(actual_decimals, Mapping):
        return step
    if agreed.get("round") == "none":
        return step
    step[DECIMALS] = {
        name: decimals for name, decimals in actual_decimals.items() if name in agreed_decimals
    }
    if DECIMALS not in agreed and not step[DECIMALS]:
        del step[DECIMALS]
    return step


def _is_added_by_run(name: str, agreed: Mapping[str, Any], actual: Mapping[str, Any]) -> bool:
    """Return whether a run adds an entry, or leaves it out, where nothing was agreed."""
    if name == SEED and actual.get("shuffle") is True:  # the seed of the order of the records
        return name in actual
    if name in (SEED, ROUNDS):  # of a step or a partitioner
        return name in actual and "method" in actual
    return name == BUDGET and name in agreed and ROUNDS not in agreed and ROUNDS in actual
