"""Steps of a plan: microaggregation and other masking methods, one module for each.

The packages contain what steps are made of: ``microaggregation`` forms groups and computes what is
released of them, ``recoding`` replaces values by other categories, ``suppression`` chooses cells to
suppress, and ``constraints`` is what groups and classes must satisfy besides k.
"""

import re
from inspect import getdoc
from typing import Any

from shoal import _params as parameters
from shoal.steps._step import GroupingStep, Step, StepResult
from shoal.steps.add_noise import AddNoise
from shoal.steps.generalise import Generalise
from shoal.steps.hybridise import Hybridise
from shoal.steps.microaggregate import Microaggregate
from shoal.steps.pram import Pram
from shoal.steps.rank_swap import RankSwap
from shoal.steps.recode import Recode
from shoal.steps.round import Round
from shoal.steps.suppress import Suppress
from shoal.steps.swap import Swap
from shoal.steps.top_bottom_code import TopBottomCode

STEPS: dict[str, type[Step]] = {
    step.name: step
    for step in (
        Microaggregate, Swap, Hybridise, RankSwap, AddNoise, TopBottomCode, Round, Suppress,
        Generalise, Recode, Pram,
    )
}  # fmt: skip


def describe_step(cls: type[Step]) -> dict[str, Any]:
    """Return what a user needs to choose a step: guarantee, randomness, paper and parameters."""
    return {
        "promises": cls.short_guarantee,
        "draws": "seeded" if "random_state" in parameters.signature_parameters(cls) else "no",
        "paper": cls.paper,
        "summary": re.sub(r",? \[\w+\]_", "", (getdoc(cls) or "").split("\n")[0]),
        "parameters": {
            name: {"expects": p.expected, "default": None if p.required else p.default}
            for name, p in parameters.signature_parameters(cls).items()
        },
    }


__all__ = [
    "STEPS",
    "AddNoise",
    "Generalise",
    "GroupingStep",
    "Hybridise",
    "Microaggregate",
    "Pram",
    "RankSwap",
    "Recode",
    "Round",
    "Step",
    "StepResult",
    "Suppress",
    "Swap",
    "TopBottomCode",
    "describe_step",
]
