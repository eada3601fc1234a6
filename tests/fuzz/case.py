"""One run: a table, a plan and how they are put together, drawn from a seed and a number."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fuzz.columns import Column, Rng, draw_columns
from fuzz.frames import LIBRARIES
from fuzz.plans import Document, draw_plan
from fuzz.sources import FORMATS, WEIGHTS, sample_columns
from fuzz.variations import (
    chain_some,
    generalise_some,
    randomise_some,
    recode_locally,
    recode_some,
    vary_suppressions,
)


@dataclass(frozen=True)
class Case:
    """What one run does.

    Parameters
    ----------
    seed, number : int
        What it was drawn from.
    columns : list of Column
        The table.
    plan : dict
        The plan document.
    library : str
        What the table is made with, where it is one in memory.
    route : tuple of str, optional
        The formats of the source and of the target, where files are masked.
    """

    seed: int
    number: int
    columns: list[Column]
    plan: Document
    library: str
    route: tuple[str, str] | None = None

    def stream(self, name: str) -> Rng:
        """Return a random stream of its own for some part of the run."""
        return stream(self.seed, self.number, name)

    def counted(self) -> dict[str, list[str]]:
        """Return what the run exercises, for the statistics."""
        steps = self.plan["steps"]
        return {
            "step": [step["method"] for step in steps],
            "method": [s["partition"]["method"] for s in steps if "partition" in s],
            "option": sorted({name for step in steps for name in step} - {"method", "columns"}),
            "table": [self.library] if self.route is None else [],
            "read": [] if self.route is None else [self.route[0]],
            "written": [] if self.route is None else [self.route[1]],
        }


PARTS = (
    "table", "plan", "frame", "file", "checks", "generalise", "recode", "pram", "suppress", "chain",
    "local", "attack",
)  # fmt: skip


def stream(seed: int, number: int, part: str) -> Rng:
    """Return the random stream of one part of a run: parts do not disturb each other."""
    return np.random.default_rng([seed, number, PARTS.index(part)])


def draw_case(seed: int, number: int) -> Case:
    """Draw a run."""
    rng = stream(seed, number, "frame")
    route = _draw_route(stream(seed, number, "file")) if rng.random() < IN_FILES else None
    columns = draw_columns(stream(seed, number, "table"), odd_names=route is None)
    if route is not None and route[0] == "sas7bdat":
        columns = sample_columns()
    plan: Any = draw_plan(stream(seed, number, "plan"), columns)
    generalise_some(stream(seed, number, "generalise"), columns, plan)
    recode_some(stream(seed, number, "recode"), columns, plan)
    randomise_some(stream(seed, number, "pram"), plan)
    vary_suppressions(stream(seed, number, "suppress"), plan)
    chain_some(stream(seed, number, "chain"), columns, plan)
    recode_locally(stream(seed, number, "local"), columns, plan)
    library = str(rng.choice(LIBRARIES))
    return Case(seed, number, columns, plan, library, route)


IN_FILES = 0.4  # the share of runs that read and write files


def _draw_route(rng: Rng) -> tuple[str, str]:
    weights = np.array(WEIGHTS, float)
    start = str(rng.choice(FORMATS, p=weights / weights.sum()))
    end = start if rng.random() < 0.4 else str(rng.choice(FORMATS, p=weights / weights.sum()))
    return start, end
