"""A plan says what is done; running it on a table gives a release."""

import secrets
import sys
import warnings
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from shoal import document, parameters
from shoal.assessment import Assessment, assess_frames, linear
from shoal.errors import (
    GuaranteeBroken,
    HomogeneousGroup,
    InputError,
    MissingValues,
    PlanError,
    ShoalWarning,
    UnderProtection,
    UnprotectedColumn,
)
from shoal.mask import Microaggregate, Outcome
from shoal.mask.homogeneity import told
from shoal.measure import smallest_class
from shoal.partitioners import Partitioner, method_name, partitioner
from shoal.partitioners.registry import refuse_effort
from shoal.release import Release
from shoal.table import frame as tables
from shoal.table.frame import Frame
from shoal.table.roles import as_list, check_roles, columns_with, listed
from shoal.table.types import as_types


class Plan:
    """Roles of columns and steps to take, ready to run on a table.

    Parameters
    ----------
    roles : mapping of str to str
        Role of each column: ``"identifier"`` (dropped from the release),
        ``"quasi-identifier"``, ``"confidential"`` or ``"non-confidential"``.
    steps : list of steps
        What is done, in order.
    types : mapping of str to str or mapping, optional
        What columns hold where the table does not say it: a kind (``"numeric"``,
        ``"ordinal"``, ``"nominal"``, ``"boolean"`` or ``"date"``), or a mapping with the
        ``kind`` and an ``order``, a ``hierarchy`` or ``distances``.

    Examples
    --------
    >>> from shoal.partitioners import MDAV
    >>> plan = Plan({"name": "identifier"}, [Microaggregate(["age"], MDAV(k=5))])
    >>> plan.to_dict()["steps"]
    [{'method': 'microaggregate', 'columns': ['age'], 'partition': {'method': 'mdav', 'k': 5}}]
    """

    def __init__(
        self,
        roles: Mapping[str, str],
        steps: Sequence[Microaggregate],
        types: Mapping[str, Any] | None = None,
    ):
        self.roles = dict(roles)
        self.steps = list(steps)
        self.types = as_types(types)
        self._check()

    @classmethod
    def of(
        cls,
        columns: Sequence[str],
        partition: Partitioner,
        *,
        identifiers: Sequence[str] = (),
        confidential: Sequence[str] = (),
        types: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Self:
        """Make the plan of one microaggregation; ``options`` are those of the step."""
        columns, identifiers, confidential = map(as_list, (columns, identifiers, confidential))
        step = parameters.build(
            Microaggregate, {"columns": columns, "partition": partition, **options}
        )
        roles: dict[str, str] = {}
        for role, names in {
            "identifier": identifiers,
            "quasi-identifier": columns,
            "confidential": confidential,
        }.items():
            for name in names:
                if roles.setdefault(name, role) != role:
                    raise PlanError(
                        f"Column {name!r} is named as {roles[name]} and as {role}. Choose one."
                    )
        return cls(roles, [step], types)

    @property
    def k(self) -> int:
        """The least k that the steps promise."""
        return min(int(step.partition.k) for step in self.steps)

    @property
    def masked(self) -> list[str]:
        """The columns that some step masks."""
        return [name for step in self.steps for name in step.columns]

    @property
    def known(self) -> list[str]:
        """The columns that an attacker may know: masked ones and those that split strata."""
        strata = [name for step in self.steps for name in step.strata]
        return list(dict.fromkeys([*self.masked, *strata]))

    @property
    def numbers(self) -> list[str]:
        """The columns that the plan computes or measures with, unless declared to be no numbers."""
        named = [*self.masked, *columns_with(self.roles, "confidential")]
        return [n for n in named if n not in self.types or self.types[n].kind == "numeric"]

    @property
    def words(self) -> list[str]:
        """The masked columns that are declared to be no numbers."""
        return [name for name in self.masked if name not in self.numbers]

    def run(self, data: Any) -> Release:
        """Mask ``data`` and measure the result.

        Parameters
        ----------
        data : pandas, polars or pyarrow table
            The table; it is left as it is.

        Returns
        -------
        Release
            The masked table of the same kind, with what was done and measured.
        """
        frame = tables.open_frame(data)
        tables.check_columns(frame, [*self.roles, *self.types])
        plan = self._seeded()
        confidential = columns_with(self.roles, "confidential")
        kept = self._complete(frame)
        whole, frame = frame, tables.where(frame, kept)
        outcomes = [step.apply(frame, confidential, self.types) for step in plan.steps]
        values = {name: new for outcome in outcomes for name, new in outcome.values.items()}
        masked = tables.with_values(frame, values)
        self._check_promise(masked, outcomes)
        # Columns masked apart can be linked again; what that risks is worth a search.
        apart = sum(len(outcome.partitions) for outcome in outcomes) > 1
        wanted = [*linear(), *(["linkage"] if apart else [])]
        measures = assess_frames(
            frame, masked, self.known, self.masked, confidential, wanted, self.types
        )
        found = [
            *self._dropped(whole, kept),
            *self._unprotected(whole),
            *(warning for outcome in outcomes for warning in outcome.warnings),
            *self._under_protection(measures),
            *self._homogeneous(measures),
        ]
        for warning in found:
            warnings.warn(warning, stacklevel=_level_of_caller())
        released = tables.without(masked, columns_with(self.roles, "identifier"))
        return Release(
            data=tables.to_native(released),
            plan=plan,
            partitions=tuple(groups for outcome in outcomes for groups in outcome.partitions),
            measures=dict(measures),
            remarks=measures.remarks,
            warnings=tuple(str(warning) for warning in found),
            unchanged=tuple(name for name in released.columns if name not in self.masked),
            provenance=_provenance(outcomes, masked, self.known),
            drawn_seeds=self._drawn(plan),
            kept=None if kept.all() else kept,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as a document: decisions only, defaults left out."""
        return document.to_dict(self.roles, self.steps, self.types)

    @classmethod
    def from_dict(cls, entries: Mapping[str, Any], folder: str | Path = "") -> Self:
        """Make a plan from a document; files that it names lie in ``folder``."""
        return cls(*document.from_dict(entries, Path(folder)))

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the plan to a ``.toml`` or ``.json`` file; ``force`` replaces one that exists."""
        document.save(self.to_dict(), Path(path), force=force)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a plan from a ``.toml`` or ``.json`` file."""
        return cls.from_dict(document.load(Path(path)), Path(path).parent)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plan) and self.to_dict() == other.to_dict()

    def __repr__(self) -> str:
        steps = ", ".join(
            f"microaggregate {len(step.columns)} columns by {step.partition}" for step in self.steps
        )
        return f"Plan({steps})"

    def _check(self) -> None:
        check_roles(self.roles)
        if not self.steps:
            raise PlanError("The plan has no step. Add at least one.")
        twice = [name for name in dict.fromkeys(self.masked) if self.masked.count(name) > 1]
        if twice:
            raise PlanError(f"{listed(twice)} would be masked twice. Leave one step.")
        dropped = [name for name in columns_with(self.roles, "identifier") if name in self.masked]
        if dropped:
            raise PlanError(
                f"{listed(dropped)} cannot be masked: identifiers are dropped from the release."
                " Change the role, or leave it out of the step."
            )
        bare = [
            name for name in columns_with(self.roles, "quasi-identifier") if name not in self.known
        ]
        if bare:
            raise PlanError(
                f"{listed(bare, 'Quasi-identifier', 'Quasi-identifiers')} would leave unmasked. Add"
                " to a step, use within=, or give another role."
            )

    @property
    def _needed(self) -> list[str]:
        """The columns whose missing values drop a record."""
        dropping = [step.columns for step in self.steps if step.missing == "drop"]
        return [name for columns in dropping for name in columns]

    def _complete(self, frame: Frame) -> NDArray[np.bool_]:
        """Say which records no step drops because a value is missing."""
        kept = ~tables.incomplete(frame, self._needed)
        if not kept.any():
            raise InputError(
                f"Every one of the {len(frame)} records has a missing value, so"
                ' missing="drop" would leave none. Use "own-groups" or "impute".'
            )
        return np.asarray(kept)

    def _dropped(self, frame: Frame, kept: NDArray[np.bool_]) -> list[ShoalWarning]:
        if kept.all():
            return []
        number = int((~kept).sum())
        counts = tables.holes(frame, self._needed)
        missing = ", ".join(f"{name!r} {count}" for name, count in counts.items())
        verb = "was" if number == 1 else "were"
        return [
            MissingValues(
                f"{number} of {len(kept)} records {verb} dropped because values are missing:"
                f" {missing}."
            )
        ]

    def _seeded(self) -> "Plan":
        """Return the plan with every seed drawn, so that the release can be repeated."""
        steps = [
            _with_partition(
                step,
                clone(step.partition).set_params(random_state=secrets.randbelow(2**31))
                if step.partition.get_params().get("random_state", 0) is None
                else step.partition,
            )
            for step in self.steps
        ]
        return Plan(self.roles, steps, self.types)

    def _drawn(self, seeded: "Plan") -> tuple[int, ...]:
        """Return the seeds that this plan lacks and ``seeded`` has."""
        pairs = zip(self.steps, seeded.steps, strict=True)
        return tuple(
            new.partition.random_state for old, new in pairs if old.partition is not new.partition
        )

    def _unprotected(self, frame: Frame) -> list[ShoalWarning]:
        free = [name for name in frame.columns if name not in self.roles and name not in self.known]
        found: list[ShoalWarning] = []
        if tables.has_own_index(frame):
            found.append(
                UnprotectedColumn(
                    "The index is released unchanged. If it names records, drop it first:"
                    " data.reset_index(drop=True)."
                )
            )
        if free:
            has, is_ = ("has", "is") if len(free) == 1 else ("have", "are")
            found.append(
                UnprotectedColumn(
                    f"{listed(free)} {has} no role and {is_} released unchanged. What an attacker"
                    " may know is a quasi-identifier: give every column a role."
                )
            )
        return found

    def _check_promise(self, masked: Frame, outcomes: Sequence[Outcome]) -> None:
        """Count on the released values what every block of every step attains."""
        for step, outcome in zip(self.steps, outcomes, strict=True):
            for block, groups in zip(step.column_blocks, outcome.partitions, strict=True):
                attained = smallest_class(tables.codes(masked, [*block, *step.strata]))
                if attained < groups.k:
                    raise GuaranteeBroken(
                        f"The smallest class of the released values holds {attained} records;"
                        f" k={groups.k} was promised. Please report this: no data were released."
                    )

    def _under_protection(self, measures: Assessment) -> list[ShoalWarning]:
        attained = measures["smallest_class"]
        if attained >= self.k:
            return []
        linked = 100 * measures["linkage"]
        return [
            UnderProtection(
                f"The quasi-identifiers together attain k={attained}, not k={self.k}: they were"
                f" masked in separate blocks or steps. An attacker who knows them all links"
                f" {linked:.1f}% of the records rightly. Mask them in one step if that may be."
            )
        ]

    def _homogeneous(self, measures: Assessment) -> list[ShoalWarning]:
        """Warn of classes that share a confidential value, or refuse where a step says so."""
        classes = sum(measures["class_sizes"].values())
        reason = told(measures.get("homogeneous_classes", {}), classes)
        if reason and any(step.homogeneity == "refuse" for step in self.steps):
            raise InputError(f"{reason} Mask the columns in one step, or raise k.")
        way_out = 'Set homogeneity="merge" to join such groups with their neighbours, or raise k.'
        return [HomogeneousGroup(f"{reason} {way_out}")] if reason else []


def microaggregate(
    data: Any,
    columns: Sequence[str],
    *,
    k: int,
    method: str | Partitioner = "auto",
    effort: str | None = None,
    budget: float | None = None,
    confidential: Sequence[str] | None = None,
    identifiers: Sequence[str] = (),
    dependence: float = 0.0,
    blocks: int | Sequence[Sequence[str]] | None = None,
    within: str | Sequence[str] | None = None,
    missing: str = "refuse",
    types: Mapping[str, Any] | None = None,
    standardise: str = "zscore",
    aggregate: str = "mean",
    trim: float | None = None,
    decimals: int | None = None,
    homogeneity: str = "warn",
    random_state: int | None = None,
    **options: Any,
) -> Release:
    """Hide each record of a table in a group of at least ``k``: a plan of one step.

    Parameters
    ----------
    data : pandas, polars or pyarrow table
        The table; it is left as it is.
    columns : list of str
        Quasi-identifiers to mask, of any kind.
    k : int
        Least number of records that look alike. It has no default: it is the
        guarantee.
    method : str or Partitioner
        A name in `shoal.METHODS`, or a partitioner. ``"auto"`` is our advice.
    effort : str, optional
        Not available yet.
    budget : float, optional
        Not available yet.
    confidential : list of str, optional
        Columns that nobody should learn about a person; released unchanged.
    identifiers : list of str
        Columns that name a person; dropped from the release.
    dependence : float
        Share of the confidential columns in the distances, in [0, 1].
    blocks : int or list of list of str, optional
        Columns to microaggregate apart from the others; see `Microaggregate`.
    within : str or list of str, optional
        Columns that split the records into strata; groups never cross them.
    missing : str
        What to do with missing values: ``"refuse"`` them, ``"own-groups"``,
        ``"impute"`` or ``"drop"``; see `Microaggregate`.
    types : mapping of str to str or mapping, optional
        What columns hold where the table does not say it; see `Plan`.
    standardise : str
        ``"zscore"`` or ``"none"``.
    aggregate : str
        What is released of numbers: ``"mean"``, ``"median"``, ``"trimmed-mean"`` or
        ``"geometric-mean"``.
    trim : float, optional
        Share of a group that a trimmed mean leaves out at each end.
    decimals : int, optional
        Round the released values to so many decimals.
    homogeneity : str
        What to do with groups in which a confidential column has one value:
        ``"warn"``, ``"merge"`` them with the nearest group, or ``"refuse"``.
    random_state : int, optional
        Seed of a method that draws; where None, one is drawn and noted in the
        release's plan.
    **options
        Further parameters of the method.

    Returns
    -------
    Release
        The masked table, with what was done and measured.

    Examples
    --------
    >>> import pandas as pd
    >>> firms = pd.DataFrame({"surface": [790, 710, 50, 60], "employees": [55, 44, 12, 10]})
    >>> microaggregate(firms, ["surface", "employees"], k=2).data
       surface  employees
    0    750.0       49.5
    1    750.0       49.5
    2     55.0       11.0
    3     55.0       11.0
    """
    refuse_effort(effort, budget)
    if random_state is not None:
        options["random_state"] = random_state
    return Plan.of(
        columns,
        partitioner(method, {"k": k, **options}),
        identifiers=identifiers,
        confidential=confidential or (),
        within=within,
        dependence=dependence,
        blocks=blocks,
        missing=missing,
        types=types,
        standardise=standardise,
        aggregate=aggregate,
        trim=trim,
        decimals=decimals,
        homogeneity=homogeneity,
    ).run(data)


def _with_partition(step: Microaggregate, partition: Partitioner) -> Microaggregate:
    return Microaggregate(**{**parameters.decisions(step), "partition": partition})


def _level_of_caller() -> int:
    """Return the stacklevel of the first frame outside this package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("shoal."):
        level, frame = level + 1, frame.f_back
    return level


def _provenance(outcomes: Sequence[Outcome], masked: Frame, known: Sequence[str]) -> dict[str, Any]:
    used: list[Any] = [fitted for outcome in outcomes for fitted in outcome.fitted]
    chosen = [getattr(fitted, "chosen_", fitted) for fitted in used]
    return {
        "records": len(masked),
        "missing": tables.holes(masked, known),
        "methods": list(dict.fromkeys(method_name(fitted) for fitted in chosen)),
        "versions": {name: version(name) for name in ("shoal", "numpy", "numba", "scikit-learn")},
    }
