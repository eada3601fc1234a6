"""The base classes of steps, and the result that a step returns to its plan."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from shoal import _params as parameters
from shoal._seeds import as_seed, draw_seed
from shoal.errors import InputError, PlanError, ShoalWarning
from shoal.frame import tables
from shoal.frame.notation.decimals import MAX_EXACT_INTEGER
from shoal.frame.roles import as_list, name_columns
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.partitioners import Partition, Partitioner, method_name, with_drawn_seeds
from shoal.steps.recoding.transitions import Transitions


@dataclass(frozen=True)
class StepResult:
    """The result of a step: new values by column, and the groups that they were computed from.

    Parameters
    ----------
    values : dict
        The new values of each column: an array, or an object of `shoal.frame.replacement`.
    partitions : tuple of Partition
        The groups of each block of columns; empty for steps that do not group.
    fitted_partitioners : tuple of Partitioner
        The partitioners that formed the groups, one for each stratum and block.
    reproducible_partitioner : Partitioner or None
        A partitioner that forms the same groups again, independently of any time budget.
    bound : float or None
        A proven lower bound on the SSE of the standardised columns.
    warnings : tuple of ShoalWarning
        What users should know about the result.
    transitions : tuple of Transitions
        Transitions between the categories of post-randomised columns.
    """

    values: dict[str, Any]
    partitions: tuple[Partition, ...] = ()
    fitted_partitioners: tuple[Partitioner, ...] = ()
    reproducible_partitioner: Partitioner | None = None
    bound: float | None = None
    warnings: tuple[ShoalWarning, ...] = ()
    transitions: tuple[Transitions, ...] = ()


def check_confidential(confidential: Sequence[str], option: str) -> None:
    """Refuse `option`, written as in Python, if there are no confidential columns."""
    if not confidential:
        raise PlanError(
            f"{option} needs confidential columns, but no column has that role. Name them, or"
            " leave the option out.",
            code="confidential-needed",
        )


def too_few_error(
    k: int, n_available: int, noun: str, *, group_noun: str = "group", way_out: str = "Lower k."
) -> InputError:
    """Return the error that refuses a table of fewer than k records, or units.

    Parameters
    ----------
    k : int
        The minimum size of a group.
    n_available : int
        The number of records, or of units, of the table.
    noun : str
        What is counted: ``"records"``, ``"units"`` or ``"households"``.
    group_noun : str
        What k applies to: ``"group"`` or ``"class"``.
    way_out : str
        A sentence on what the user can do.

    Returns
    -------
    InputError
        The error, with the code ``"too-few-records"`` or ``"too-few-units"``.
    """
    counts_records = noun == "records"
    return InputError(
        f"A {group_noun} needs k={k} {noun} but the data hold only {n_available:,}. {way_out}",
        code="too-few-records" if counts_records else "too-few-units",
        k=k,
        **{"records" if counts_records else "units": n_available},
    )


def check_strata(strata: Sequence[str], columns: Sequence[str]) -> None:
    """Refuse columns that a step both masks and uses to split the strata."""
    repeated_names = [name for name in strata if name in columns]
    if repeated_names:
        raise PlanError(
            f"{name_columns(repeated_names)} cannot both be masked and split the strata. Choose"
            " one.",
            code="masked-and-stratum",
            columns=tuple(repeated_names),
        )


def as_integers_if_whole(column: NDArray[np.float64], frame: Frame, name: str) -> NDArray[Any]:
    """Return new values as integers if the original column and all new values are whole numbers."""
    is_whole = tables.has_integer_type(frame, name) and (column == np.rint(column)).all()
    return (
        column.astype(np.int64) if is_whole and np.abs(column).max() < MAX_EXACT_INTEGER else column
    )


class Step:
    """Base of all steps: a step replaces the values of columns.

    A subclass declares its parameters in ``__init__``, among them ``columns``, stores them and
    calls ``_validate``. It defines ``name``, ``paper``, ``guarantee`` and ``apply``, and overrides
    other attributes if their defaults do not apply. A random step declares ``random_state``, and a
    step that groups records declares ``partitioner``.
    """

    name: ClassVar[str]
    paper: ClassVar[str]  # key of a reference in the docstring
    accepts_any_kind: ClassVar[bool] = False  # otherwise the columns must be numeric
    uses_hierarchies: ClassVar[bool] = False  # whether it needs the hierarchies of its columns
    computes_with_values: ClassVar[bool] = True  # otherwise it only compares values
    short_guarantee: ClassVar[str] = "nothing about persons"
    columns: list[str]
    weight: str | None = None  # column of survey weights
    unit: str | None = None  # column whose values k counts
    household: str | None = None  # column of households that k counts
    diversity: float | None = None  # the l of l-diversity
    diversity_kind: Literal["distinct", "entropy"] = "distinct"
    closeness: float | None = None  # the t of t-closeness

    @property
    def k(self) -> int | None:
        """The minimum class size that the step guarantees, or None.

        A plan checks this size on the released values of every block of columns.
        """
        return None

    @property
    def unit_column(self) -> str | None:
        """The column whose values k counts, or None if it counts records."""
        return self.unit if self.unit is not None else self.household

    @property
    def guarantee(self) -> str:
        """What the step guarantees about the released columns, in sentences for the report."""
        raise NotImplementedError

    @property
    def former_guarantees(self) -> tuple[str, ...]:
        """The sentences of `guarantee` in earlier versions, which their manifests state."""
        return ()

    @property
    def drops_incomplete(self) -> bool:
        """Whether records with a missing value in the columns are dropped."""
        return False

    @property
    def strata(self) -> list[str]:
        """The columns that split the records into strata; the step does not mask them."""
        return []

    @property
    def column_blocks(self) -> list[list[str]]:
        """The columns that are masked together, block by block."""
        return [self.columns]

    @property
    def recoded_columns(self) -> list[str]:
        """The columns whose release may contain categories that the original lacks."""
        return []

    @property
    def keeps_classes(self) -> bool:
        """Whether records with equal values in a column have equal values of it afterwards."""
        return False

    @property
    def wildcard_columns(self) -> list[str]:
        """The columns in which a missing cell of the release counts as equal to every value."""
        return []

    @property
    def numeric_columns(self) -> list[str]:
        """The columns that the step computes with."""
        return self.columns if self.computes_with_values else []

    @property
    def is_random(self) -> bool:
        """Whether the step itself draws random numbers, with its ``random_state``."""
        return "random_state" in vars(self)

    @property
    def seeds(self) -> tuple[int | None, ...]:
        """The seeds of the step; None stands for a seed that is not drawn yet."""
        return (vars(self)["random_state"],) if self.is_random else ()

    def apply(
        self, frame: Frame, confidential: Sequence[str], types: Mapping[str, Type] | None = None
    ) -> StepResult:
        """Return the masked values of ``frame``, with the groups if the step forms any."""
        raise NotImplementedError

    def draw_missing_seeds(self, generator: np.random.Generator | None = None) -> Self:
        """Return the step with every missing seed drawn, so that its result can be repeated.

        Seeds are drawn from ``generator``, or from the secure source of the operating system.
        """
        needs_seed = self.is_random and vars(self)["random_state"] is None
        return self.replace(random_state=draw_seed(generator)) if needs_seed else self

    def replace(self, **changes: Any) -> Self:
        """Return the step with some parameters replaced."""
        return type(self)(**{**parameters.non_default_parameters(self), **changes})

    def __repr__(self) -> str:
        options = (
            f"{name}={value!r}" for name, value in parameters.non_default_parameters(self).items()
        )
        return f"{type(self).__name__}({', '.join(options)})"

    def _validate(self) -> None:
        """Check the stored parameters."""
        parameters.validate(self, f"the step {self.name!r}")
        if self.is_random:
            vars(self)["random_state"] = as_seed(vars(self)["random_state"])
        if not self.columns:
            raise PlanError(
                f"The step {self.name!r} masks no column. Name at least one.", code="nothing-masked"
            )
        repeated_columns = [
            name for name in dict.fromkeys(self.columns) if self.columns.count(name) > 1
        ]
        if repeated_columns:
            raise PlanError(
                f"The step {self.name!r} names"
                f" {name_columns(repeated_columns, 'column', 'columns')} more than once. Name each"
                " column once.",
                code="masked-twice",
            )


class GroupingStep(Step):
    """Base of the steps that group records by a partitioner."""

    partitioner: Partitioner
    within: str | Sequence[str] | None

    @property
    def strata(self) -> list[str]:
        """The columns that split the records into strata."""
        return [] if self.within is None else as_list(self.within)

    @property
    def seeds(self) -> tuple[int | None, ...]:
        """The seeds of the step and of its partitioner; None stands for a seed not drawn yet."""
        name = _seed_parameter(self.partitioner)
        if name is None:
            return super().seeds
        return (*super().seeds, self.partitioner.get_params()[name])

    def draw_missing_seeds(self, generator: np.random.Generator | None = None) -> Self:
        """Return the step with every missing seed drawn, including the seed of its partitioner."""
        step = super().draw_missing_seeds(generator)
        name = _seed_parameter(self.partitioner)
        if name is None or self.partitioner.get_params()[name] is not None:
            return step
        drawn_seed = {name: draw_seed(generator)}
        return step.replace(partitioner=clone(self.partitioner).set_params(**drawn_seed))

    def _validate(self) -> None:
        super()._validate()
        k = self.partitioner.k
        if not isinstance(k, Integral) or isinstance(k, bool) or k < 1:
            # Other parameters are checked when the partitioner is fitted, as in scikit-learn.
            parameters.validate(self.partitioner, f"the method {method_name(self.partitioner)!r}")
        self.partitioner = with_drawn_seeds(self.partitioner)
        check_strata(self.strata, self.columns)


def _seed_parameter(partitioner: Partitioner) -> str | None:
    """Return the name of the parameter with the seed of a partitioner, or None if it has no seed.

    A refiner passes its seed on to the method that it starts from, so only the outermost seed
    counts.
    """
    names = [name for name in partitioner.get_params() if name.split("__")[-1] == "random_state"]
    return min(names, key=len, default=None)
