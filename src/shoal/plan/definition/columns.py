"""Which columns a plan masks, computes with, counts or drops."""

from collections.abc import Mapping, Sequence

from shoal.frame.edits import Edit
from shoal.frame.roles import RECORD_UNIT, UNIT_ROLES, columns_with
from shoal.frame.types import Type
from shoal.plan.chaining import deciding_steps
from shoal.steps import Step


class PlanColumns:
    """Base of `Plan`: the sets of columns that follow from its roles, steps, types and edits."""

    roles: Mapping[str, str]
    steps: Sequence[Step]
    types: Mapping[str, Type]
    unit: str | None
    edits: Sequence[Edit]

    @property
    def masked(self) -> list[str]:
        """The columns that a step masks, each once."""
        return list(dict.fromkeys(name for step in self.steps for name in step.columns))

    @property
    def recoded(self) -> list[str]:
        """The columns that a step recodes to other categories."""
        return list(dict.fromkeys(name for step in self.steps for name in step.recoded_columns))

    @property
    def wildcard_columns(self) -> list[str]:
        """The columns in which a missing cell of the release counts as equal to every value."""
        return [name for step in self.deciding_steps for name in step.wildcard_columns]

    @property
    def quasi_identifiers(self) -> list[str]:
        """The columns that an attacker may know: the masked columns and the columns of strata.

        Confidential columns are left out, even if they are masked.
        """
        confidential = columns_with(self.roles, "confidential")
        strata = [name for step in self.steps for name in step.strata]
        masked = [name for name in self.masked if name not in confidential]
        return list(dict.fromkeys([*masked, *strata]))

    @property
    def deciding_steps(self) -> list[Step]:
        """The steps on which the protection of the quasi-identifiers rests.

        If several steps mask a column, this is the last step whose k later steps leave intact, or
        else the last step.
        """
        return deciding_steps(self.steps, self.quasi_identifiers)

    @property
    def dropped(self) -> list[str]:
        """The columns that are not released: identifiers, and units, which link records."""
        roles = ("identifier", *UNIT_ROLES)
        return [name for role in roles for name in columns_with(self.roles, role)]

    @property
    def unit_column(self) -> str | None:
        """The column whose values k counts, or None if k counts records."""
        return None if self.unit == RECORD_UNIT else self.unit

    @property
    def weight(self) -> str | None:
        """The column of survey weights, or None if there is none."""
        names = [*columns_with(self.roles, "weight"), *(step.weight for step in self.steps)]
        return next((name for name in names if name is not None), None)

    @property
    def numeric_columns(self) -> list[str]:
        """The columns that the plan computes with, unless their type is declared not numeric."""
        return self.numeric_columns_by(self.types)

    def numeric_columns_by(self, types: Mapping[str, Type]) -> list[str]:
        """Return the columns that the plan computes with, given the types of columns."""
        step_columns = [name for step in self.steps for name in step.numeric_columns]
        names = dict.fromkeys([*step_columns, *columns_with(self.roles, "confidential")])
        names |= {} if self.weight is None else {self.weight: None}
        names |= {name: None for edit in self.edits for name in edit.columns}
        return [name for name in names if name not in types or types[name].kind == "numeric"]

    @property
    def categorical_columns(self) -> list[str]:
        """The masked columns that are not among the numeric ones, and the column of units."""
        return self.categorical_columns_by(self.types)

    def categorical_columns_by(self, types: Mapping[str, Type]) -> list[str]:
        """Return the categorical columns, given the types of columns."""
        units = [] if self.unit_column is None else [self.unit_column]
        numeric_columns = self.numeric_columns_by(types)
        return [name for name in (*self.masked, *units) if name not in numeric_columns]

    @property
    def identifiers_to_check(self) -> list[str]:
        """The identifiers that must not repeat, because the plan does not state what k counts."""
        if self.unit is not None:
            return []
        strata = [name for step in self.steps for name in step.strata]
        identifiers = columns_with(self.roles, "identifier")
        return [name for name in identifiers if name not in (self.weight, *strata)]

    @property
    def required_columns(self) -> list[str]:
        """The columns in which a missing value drops the record."""
        return [name for step in self.steps if step.drops_incomplete for name in step.columns]
