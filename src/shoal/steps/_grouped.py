"""Masks that use the groups of a microaggregation for something else than means."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from shoal._params import RandomState
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.partitioners import Partition
from shoal.steps._step import Grouping, Outcome
from shoal.steps.microaggregate import Microaggregate


class Grouped(Grouping):
    """Base of the steps that mask inside the groups that `Microaggregate` would average.

    A subclass stores ``columns``, ``partition``, ``within``, ``unit``, ``standardise`` and
    ``random_state`` and writes ``_inside``.
    """

    standardise: Literal["zscore", "none"]
    random_state: RandomState

    def apply(
        self, frame: Frame, confidential: Sequence[str], types: Mapping[str, Type] | None = None
    ) -> Outcome:
        """Return the masked values of ``frame`` and the groups behind them."""
        groups = Microaggregate(
            self.columns,
            self.partition,
            within=self.within,
            unit=self.unit,
            standardise=self.standardise,
        ).apply(frame, confidential, types)
        rng = np.random.default_rng(self.random_state)
        # What was proven is about means of groups, not about these values.
        values = self._inside(frame, groups.partitions[0], rng)
        return replace(groups, values=values, bound=None)

    @property
    def _units(self) -> str:
        """What k counts, where that is not records."""
        return "" if self.unit is None else f" units of {self.unit!r}"

    def _inside(self, frame: Frame, groups: Partition, rng: np.random.Generator) -> dict[str, Any]:
        raise NotImplementedError
