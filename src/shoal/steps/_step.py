"""What every step tells a plan: what it masks, what it promises, what it draws."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from shoal import _params as parameters
from shoal._params import as_seed, draw_seed
from shoal.errors import PlanError, ShoalWarning
from shoal.frame import tables
from shoal.frame.roles import as_list, name_columns
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.partitioners import Partition, Partitioner, with_drawn_seeds


@dataclass(frozen=True)
class Outcome:
    """What a step made of a table: new values by column, and the groups behind them.

    Where ``settled`` is set, it makes the same groups again, whatever the clock
    says. ``bound`` is the least SSE of the standardised columns that such groups
    can have, None where nobody proved one.
    """

    values: dict[str, Any]
    partitions: tuple[Partition, ...] = ()
    fitted: tuple[Partitioner, ...] = ()
    settled: Partitioner | None = None
    bound: float | None = None
    warnings: tuple[ShoalWarning, ...] = ()


def named(columns: Sequence[str]) -> list[str]:
    """Return columns as a list; one name may stand alone."""
    return as_list(columns)


def check_confidential(confidential: Sequence[str], culprit: str) -> None:
    """Refuse an option that needs confidential columns where there are none."""
    if not confidential:
        raise PlanError(
            f"{culprit} needs confidential columns and no column has that role. Name them, or"
            " leave the option out.",
            code="confidential-needed",
        )


def as_whole(column: NDArray[np.float64], frame: Frame, name: str) -> NDArray[Any]:
    """Return new values of a column of whole numbers as such, if they are."""
    whole = tables.is_whole(frame, name) and (column == np.rint(column)).all()
    return column.astype(np.int64) if whole and np.abs(column).max() < tables.EXACT else column


class Step:
    """Base of all steps: columns of a table get other values.

    A subclass declares its parameters in ``__init__``, among them ``columns``,
    stores them and calls ``_settle``; it tells its ``name``, its ``paper``, what it
    ``promises`` in a few words and its ``guarantee`` in sentences, and writes
    ``apply``. A step that draws declares ``random_state``; one that groups declares
    ``partition``.
    """

    name: ClassVar[str]
    paper: ClassVar[str]
    of_any_kind: ClassVar[bool] = False  # else the columns must be numbers
    promises: ClassVar[str] = "nothing about persons"
    columns: list[str]
    weight: str | None = None  # the column of survey weights that the step uses
    unit: str | None = None  # the column whose values the step's k counts
    household: str | None = None  # the same, of households

    @property
    def k(self) -> int | None:
        """The least class of the released columns that the step promises; None where it does not.

        A plan counts it on the released values of every block.
        """
        return None

    @property
    def counted(self) -> str | None:
        """The column whose values k counts; None where it counts records."""
        return self.unit if self.unit is not None else self.household

    @property
    def guarantee(self) -> str:
        """What the step promises about the released columns, in sentences for the report."""
        raise NotImplementedError

    @property
    def drops_incomplete(self) -> bool:
        """Whether records with a missing value in the columns are dropped."""
        return False

    @property
    def strata(self) -> list[str]:
        """The columns that split the records; released as they are."""
        return []

    @property
    def column_blocks(self) -> list[list[str]]:
        """The columns that are masked together, block by block."""
        return [self.columns]

    @property
    def numbers(self) -> list[str]:
        """The columns that the step computes with."""
        return self.columns

    @property
    def draws(self) -> bool:
        """Whether the step itself draws, with its ``random_state``."""
        return "random_state" in vars(self)

    @property
    def seeds(self) -> tuple[int | None, ...]:
        """The seeds that the step draws with; None is still open."""
        return (vars(self)["random_state"],) if self.draws else ()

    def apply(
        self, frame: Frame, confidential: Sequence[str], types: Mapping[str, Type] | None = None
    ) -> Outcome:
        """Return the masked values of ``frame`` and the groups behind them, if there are any."""
        raise NotImplementedError

    def seeded(self) -> Self:
        """Return the step with every open seed drawn, so that what it does can be repeated."""
        is_open = self.draws and vars(self)["random_state"] is None
        return self.having(random_state=draw_seed()) if is_open else self

    def having(self, **changes: Any) -> Self:
        """Return the step with other values of some parameters."""
        return type(self)(**{**parameters.non_default_parameters(self), **changes})

    def __repr__(self) -> str:
        told = (
            f"{name}={value!r}" for name, value in parameters.non_default_parameters(self).items()
        )
        return f"{type(self).__name__}({', '.join(told)})"

    def _settle(self) -> None:
        """Check what was stored."""
        parameters.validate(self)
        if self.draws:
            vars(self)["random_state"] = as_seed(vars(self)["random_state"])
        if not self.columns:
            raise PlanError("The step masks no column. Name at least one.", code="nothing-masked")
        if len(set(self.columns)) < len(self.columns):
            raise PlanError(
                "The step names a column twice. Name each column once.", code="masked-twice"
            )


class Grouping(Step):
    """Base of the steps that group records by a partitioner."""

    partition: Partitioner
    within: str | Sequence[str] | None

    @property
    def strata(self) -> list[str]:
        """The columns that split the records into strata."""
        return [] if self.within is None else as_list(self.within)

    @property
    def seeds(self) -> tuple[int | None, ...]:
        """The seeds that the step and its partitioner draw with; None is still open."""
        options = self.partition.get_params()
        return super().seeds + tuple(options[name] for name in _seed(self.partition))

    def seeded(self) -> Self:
        """Return the step with every open seed drawn, also that of its partitioner."""
        step = super().seeded()
        options = self.partition.get_params()
        drawn = {n: draw_seed() for n in _seed(self.partition) if options[n] is None}
        return step.having(partition=clone(self.partition).set_params(**drawn)) if drawn else step

    def _settle(self) -> None:
        super()._settle()
        k = self.partition.k
        if not isinstance(k, Integral) or isinstance(k, bool) or k < 1:
            # All else is the method's own affair when it is fitted, as in scikit-learn.
            parameters.validate(self.partition)
        self.partition = with_drawn_seeds(self.partition)
        both = [name for name in self.strata if name in self.columns]
        if both:
            raise PlanError(
                f"{name_columns(both)} cannot be masked and split the strata. Choose one.",
                code="masked-and-stratum",
                columns=tuple(both),
            )


def _seed(partition: Partitioner) -> list[str]:
    """Return the name of the seed that a partitioner draws with, if it does.

    An effort hands its seed to the method that it starts from, so the outermost counts.
    """
    seeds = [name for name in partition.get_params() if name.split("__")[-1] == "random_state"]
    return sorted(seeds, key=len)[:1]
