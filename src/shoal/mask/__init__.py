"""Groups become values, and other ways to mask."""

import re
from inspect import getdoc
from typing import Any

from shoal import parameters
from shoal.mask._step import Grouping, Outcome, Step
from shoal.mask.add_noise import AddNoise
from shoal.mask.hybridise import Hybridise
from shoal.mask.microaggregate import Microaggregate
from shoal.mask.rank_swap import RankSwap
from shoal.mask.round import Round
from shoal.mask.suppress import Suppress
from shoal.mask.swap import Swap
from shoal.mask.top_bottom_code import TopBottomCode

STEPS: dict[str, type[Step]] = {
    step.name: step
    for step in (
        Microaggregate, Swap, Hybridise, RankSwap, AddNoise, TopBottomCode, Round, Suppress,
    )
}  # fmt: skip


def describe_step(cls: type[Step]) -> dict[str, Any]:
    """Return the facts about a kind of step that help to choose it."""
    return {
        "promises": cls.promises,
        "draws": "seeded" if "random_state" in parameters.declared(cls) else "no",
        "paper": cls.paper,
        "summary": re.sub(r",? \[\w+\]_", "", (getdoc(cls) or "").split("\n")[0]),
        "parameters": {
            name: {"expects": p.expected, "default": None if p.required else p.default}
            for name, p in parameters.declared(cls).items()
        },
    }


__all__ = [
    "STEPS",
    "AddNoise",
    "Grouping",
    "Hybridise",
    "Microaggregate",
    "Outcome",
    "RankSwap",
    "Round",
    "Step",
    "Suppress",
    "Swap",
    "TopBottomCode",
    "describe_step",
]
