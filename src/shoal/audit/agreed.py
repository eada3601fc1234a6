"""The plan of a manifest is held against the plan that was agreed on.

What a run adds to a plan may differ, and nothing else:

- ``random_state``, where the agreed plan gives none: the run drew it;
- ``rounds`` in place of ``budget`` in an effort, where the agreed plan gives no rounds: the run
  counted what it made in that time;
- the role ``unassigned`` of columns that the agreed plan does not name, with ``other_columns =
  "refuse"``, where the agreed plan says ``"release"``: the run named what it released.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from shoal.plan import Plan

DRAWN, COUNTED, TIME = "random_state", "rounds", "budget"
OTHERS = "other_columns"


def check_agreed(agreed: str | Path, entries: Mapping[str, Any]) -> tuple[bool, str]:
    """Say whether a plan file is the plan of a manifest, and what differs."""
    found = entries["plan"]
    if entries["manifest"] == 1:  # written by an older Shoal
        found = Plan.from_dict(found, None).to_dict()
    wanted = Plan.load(agreed).to_dict()
    differ = list(differences(wanted, _without_named(found, wanted)))
    if differ:
        return False, f"it is NOT the agreed plan: {', '.join(differ)} {_verb(differ)}"
    return True, "it is the agreed plan"


def differences(agreed: Any, found: Any, where: str = "") -> Iterator[str]:
    """Yield the places in which two documents of plans differ, but for what a run adds."""
    if isinstance(agreed, Mapping) and isinstance(found, Mapping):
        for name in dict.fromkeys([*agreed, *found]):
            place = f"{where}.{name}" if where else str(name)
            if name in agreed and name in found:
                yield from differences(agreed[name], found[name], place)
            elif not _added(name, agreed, found):
                yield place
    elif isinstance(agreed, list) and isinstance(found, list) and len(agreed) == len(found):
        for at, (one, other) in enumerate(zip(agreed, found, strict=True), start=1):
            yield from differences(one, other, f"{where}[{at}]")
    elif agreed != found or isinstance(agreed, bool) != isinstance(found, bool):
        yield where


def _without_named(found: Mapping[str, Any], agreed: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a plan without what a run adds to one that releases other columns."""
    if agreed.get(OTHERS) != "release" or found.get(OTHERS, "refuse") != "refuse":
        return found
    named = found.get("roles", {}).items()
    roles = {n: role for n, role in named if n in agreed["roles"] or role != "unassigned"}
    return {**found, OTHERS: "release", "roles": roles}


def _added(name: str, agreed: Mapping[str, Any], found: Mapping[str, Any]) -> bool:
    """Say whether a run adds an entry, or leaves it out, where nothing was agreed on."""
    if name == DRAWN:
        return name in found and "method" in found
    if name == COUNTED:
        return name in found and "method" in found
    return name == TIME and name in agreed and COUNTED not in agreed and COUNTED in found


def _verb(differ: list[str]) -> str:
    return "differs" if len(differ) == 1 else "differ"
