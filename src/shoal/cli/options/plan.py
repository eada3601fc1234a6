"""Blocks of options that make a plan: columns, their roles and the parameters of a step."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any

from shoal.cli.options.columns import (
    Columns,
    Confidential,
    Hierarchies,
    Household,
    Identifiers,
    MissingCodes,
    Types,
    Unit,
    Weight,
    Within,
)
from shoal.cli.options.methods import NJobs, Seed, Settings
from shoal.cli.parsing.columns import split_lists


@dataclass(frozen=True)
class PlanOptions:
    """Columns, their roles and the parameters that `mask`, `compare` and `advise` share."""

    column: Columns
    within: Within = None
    unit: Unit = None
    household: Household = None
    weight: Weight = None
    confidential: Confidential = None
    identifier: Identifiers = None
    hierarchy: Hierarchies = None
    types: Types = None
    missing_codes: MissingCodes = None
    settings: Settings = None
    seed: Seed = None
    n_jobs: NJobs = None

    def with_split_lists(self, read_names: Callable[[], Collection[str]]) -> "PlanOptions":
        """Return the options with their lists of columns split, by the names that exist."""
        lists = [self.column, self.within, self.confidential, self.identifier]
        column, within, confidential, identifier = split_lists(lists, read_names)
        return replace(
            self,
            column=column or [],
            within=within,
            confidential=confidential,
            identifier=identifier,
        )

    @property
    def step_parameters(self) -> dict[str, Any]:
        """The parameters of the step that these options set."""
        parameters = {
            "within": self.within or None,
            "unit": self.unit,
            "household": self.household,
            "weight": self.weight,
        }
        return {name: value for name, value in parameters.items() if value is not None}


@dataclass(frozen=True)
class RoleOptions:
    """Roles and types of columns, for the commands of single steps."""

    confidential: Confidential = None
    identifier: Identifiers = None
    unit: Unit = None
    hierarchy: Hierarchies = None
    types: Types = None
    missing_codes: MissingCodes = None

    def with_split_lists(self, read_names: Callable[[], Collection[str]]) -> "RoleOptions":
        """Return the options with their lists of columns split, by the names that exist."""
        confidential, identifier = split_lists([self.confidential, self.identifier], read_names)
        return replace(self, confidential=confidential, identifier=identifier)
