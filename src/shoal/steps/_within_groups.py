"""Base of the steps that mask values inside groups without averaging them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from shoal._params import RandomState
from shoal.frame.roles import as_list
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.partitioners import Partition, Partitioner
from shoal.steps._step import GroupingStep, StepResult
from shoal.steps.microaggregate import Microaggregate


class WithinGroups(GroupingStep):
    """Base of the steps that mask within the groups that `Microaggregate` would average.

    A subclass defines ``_describe_guarantee`` and ``_mask_groups``.
    """

    def __init__(
        self,
        columns: Sequence[str],
        partitioner: Partitioner,
        *,
        within: str | Sequence[str] | None = None,
        unit: str | None = None,
        standardise: Literal["zscore", "none"] = "zscore",
        random_state: RandomState = None,
    ):
        self.columns = as_list(columns)
        self.partitioner = partitioner
        self.within = within
        self.unit = unit
        self.standardise = standardise
        self.random_state = random_state
        self._validate()

    def apply(
        self, frame: Frame, confidential: Sequence[str], types: Mapping[str, Type] | None = None
    ) -> StepResult:
        """Return the masked values of ``frame``, with the groups."""
        groups = Microaggregate(
            self.columns,
            self.partitioner,
            within=self.within,
            unit=self.unit,
            standardise=self.standardise,
        ).apply(frame, confidential, types)
        rng = np.random.default_rng(self.random_state)
        values = self._mask_groups(frame, groups.partitions[0], rng)
        # The bound applies to the loss of group means, not to the loss of these values.
        return replace(groups, values=values, bound=None)

    @property
    def guarantee(self) -> str:
        """What the step guarantees, in sentences for the report."""
        k = self.partitioner.k
        attack_clause = f"picks the right record with a probability of at most 1 in {k}"
        if self.unit is not None:
            attack_clause = (
                "picks a record of that person with a probability of at most the greatest share of"
                " one unit in the records of a group"
            )
        return self._describe_guarantee(attack_clause)

    @property
    def former_guarantees(self) -> tuple[str, ...]:
        """The sentences of earlier versions."""
        k = self.partitioner.k
        return (
            self._describe_guarantee(
                f"picks the right record with a probability of at most 1 in {k}"
            ),
        )

    def _describe_guarantee(self, attack_clause: str) -> str:
        """Return what the step guarantees; ``attack_clause`` is what an attacker can achieve."""
        raise NotImplementedError

    @property
    def _unit_phrase(self) -> str:
        """What k counts, as a phrase such as " units of 'person'", or "" if it counts records."""
        return "" if self.unit is None else f" units of {self.unit!r}"

    def _mask_groups(
        self, frame: Frame, groups: Partition, rng: np.random.Generator
    ) -> dict[str, Any]:
        """Return the masked values of each column, given the groups."""
        raise NotImplementedError
