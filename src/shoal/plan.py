"""A plan says what is done; running it on a table gives a release."""

import sys
import warnings
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from shoal import document, parameters
from shoal.assessment import Assessment, assess_frames, linear
from shoal.errors import (
    HomogeneousGroup,
    InputError,
    MissingValues,
    NoPromise,
    PlanError,
    ShoalWarning,
    UnderProtection,
    Unfinished,
    UnprotectedColumn,
)
from shoal.mask import Grouping, Microaggregate, Outcome, Step
from shoal.mask.homogeneity import told
from shoal.mask.survey import weight_told, with_roles
from shoal.partitioners import Partitioner, partitioner, way_taken
from shoal.profile import profile
from shoal.promise import check_promise
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
        ``"quasi-identifier"``, ``"confidential"``, ``"non-confidential"``, ``"weight"``
        (counts in every mean of groups; released unchanged) or ``"household"`` (dropped).
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
        steps: Sequence[Step],
        types: Mapping[str, Any] | None = None,
    ):
        check_roles(roles)
        self.roles, self.steps = with_roles(roles, steps)
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
    def k(self) -> int | None:
        """The least k that the steps promise; None where some step promises none.

        Steps that mask confidential columns alone have no say.
        """
        promised = [step.k for step in self._hiding]
        found = [k for k in promised if k is not None]
        return min(found) if len(found) == len(promised) else None

    @property
    def masked(self) -> list[str]:
        """The columns that some step masks."""
        return [name for step in self.steps for name in step.columns]

    @property
    def known(self) -> list[str]:
        """The columns that an attacker may know: those that split strata and masked ones.

        A confidential column that is masked is still not one that attackers know.
        """
        confidential = columns_with(self.roles, "confidential")
        strata = [name for step in self.steps for name in step.strata]
        masked = [name for name in self.masked if name not in confidential]
        return list(dict.fromkeys([*masked, *strata]))

    @property
    def dropped(self) -> list[str]:
        """The columns that never leave: identifiers, and households by which members are linked."""
        return [*columns_with(self.roles, "identifier"), *columns_with(self.roles, "household")]

    @property
    def weight(self) -> str | None:
        """The column of survey weights, if there is one."""
        found = [*columns_with(self.roles, "weight"), *(step.weight for step in self.steps)]
        return next((name for name in found if name is not None), None)

    @property
    def numbers(self) -> list[str]:
        """The columns that the plan computes or measures with, unless declared to be no numbers."""
        computed = [name for step in self.steps for name in step.numbers]
        named = dict.fromkeys([*computed, *columns_with(self.roles, "confidential")])
        named |= {} if self.weight is None else {self.weight: None}
        return [n for n in named if n not in self.types or self.types[n].kind == "numeric"]

    @property
    def words(self) -> list[str]:
        """The masked columns that are declared to be no numbers, and the households."""
        households = [step.household for step in self.steps if step.household is not None]
        return [name for name in (*self.masked, *households) if name not in self.numbers]

    @property
    def _hiding(self) -> list[Step]:
        """The steps that mask a column which attackers may know."""
        return [step for step in self.steps if set(step.columns) & set(self.known)]

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
        plan = Plan(self.roles, [step.seeded() for step in self.steps], self.types)
        confidential = columns_with(self.roles, "confidential")
        kept = self._complete(frame)
        whole, frame = frame, tables.where(frame, kept)
        outcomes = [step.apply(frame, confidential, self.types) for step in plan.steps]
        values = {name: new for outcome in outcomes for name, new in outcome.values.items()}
        masked = tables.with_values(frame, values)
        check_promise(self.steps, masked, confidential, self.types)
        # Columns masked apart, or without k, can be linked again; that risk is worth a search.
        apart = sum(len(step.column_blocks) for step in self._hiding) > 1
        wanted = [*linear(), *(["linkage"] if apart or self.k is None else [])]
        bounds = [outcome.bound for outcome in outcomes if outcome.bound is not None]
        bound = sum(bounds) if len(bounds) == len(outcomes) else None
        if bound is not None:
            wanted.append("certified_gap")
        if self.weight is not None:
            wanted.append("weighted_total_change")
        measures = assess_frames(
            frame,
            masked,
            self.known,
            self.masked,
            confidential,
            wanted,
            self.types,
            weight=self.weight,
            lower_bound=bound,
        )
        found = [
            *self._dropped(whole, kept),
            *self._unprotected(whole),
            *(
                []
                if self.weight is None
                else weight_told(self.weight, self.roles, masked, self.known)
            ),
            *(warning for outcome in outcomes for warning in outcome.warnings),
            *_unfinished(outcomes),
            *self._without_promise(),
            *self._under_protection(measures),
            *self._homogeneous(measures),
        ]
        for warning in found:
            warnings.warn(warning, stacklevel=_level_of_caller())
        released = tables.without(masked, self.dropped)
        return Release(
            data=tables.to_native(released),
            plan=plan._settled(outcomes),
            partitions=tuple(groups for outcome in outcomes for groups in outcome.partitions),
            measures=dict(measures),
            remarks=measures.remarks,
            warnings=tuple(str(warning) for warning in found),
            unchanged=tuple(n for n in released.columns if n not in (*self.masked, *values)),
            provenance=_provenance(outcomes, masked, self.known),
            drawn_seeds=self._drawn(plan),
            kept=None if kept.all() else kept,
            profile=profile(self, frame, masked, outcomes),
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
        return f"Plan({', '.join(_phrase(step) for step in self.steps)})"

    def _check(self) -> None:
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
        crossed = [name for step in self.steps for name in step.strata if name in self.masked]
        if crossed:
            raise PlanError(
                f"{listed(crossed)} cannot be masked by one step and split the strata of another."
                " Choose one."
            )
        for step in self.steps if self.types else ():
            kinds = [n for n in step.columns if n in self.types and n not in self.numbers]
            if kinds and not step.of_any_kind:
                raise PlanError(
                    f"The step {step.name!r} computes with numbers, and {listed(kinds)} would be"
                    " none by the types of the plan. Leave the type out, or use another step."
                )
        if not self.known:
            raise PlanError(
                "The plan masks confidential columns alone, so nothing tells what an attacker may"
                " know. Mask the quasi-identifiers too, or leave the role out."
            )
        beyond = [
            name
            for step in self.steps
            if isinstance(step, Microaggregate)
            for name in ("diversity", "closeness")
            if getattr(step, name) is not None
        ]
        if beyond and len(self.steps) > 1:
            raise PlanError(
                f"{beyond[0]} is promised for all that an attacker may know, so no other step may"
                " mask columns. Mask them in one step, or leave it out."
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
        return [name for step in self.steps if step.drops_incomplete for name in step.columns]

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

    def _settled(self, outcomes: Sequence[Outcome]) -> "Plan":
        """Return the plan that makes the same groups again, whatever the clock says."""
        steps = [
            step if outcome.settled is None else step.having(partition=outcome.settled)
            for step, outcome in zip(self.steps, outcomes, strict=True)
        ]
        return Plan(self.roles, steps, self.types)

    def _drawn(self, seeded: "Plan") -> tuple[int, ...]:
        """Return the seeds that this plan lacks and ``seeded`` has."""
        pairs = zip(self.steps, seeded.steps, strict=True)
        seeds = [zip(old.seeds, new.seeds, strict=True) for old, new in pairs]
        return tuple(new for step in seeds for old, new in step if old is None and new is not None)

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

    def _without_promise(self) -> list[ShoalWarning]:
        """Warn of columns that attackers may know and that are masked without k-anonymity."""
        return [
            NoPromise(
                f"{listed([n for n in step.columns if n in self.known])}: NO k-anonymity is"
                f" promised. {step.guarantee}"
            )
            for step in self._hiding
            if step.k is None
        ]

    def _under_protection(self, measures: Assessment) -> list[ShoalWarning]:
        attained = measures["smallest_class"]
        if self.k is None or attained >= self.k:
            return []
        linked = (
            f" An attacker who knows them all links {100 * measures['linkage']:.1f}% of the records"
            " rightly."
            if "linkage" in measures
            else ""
        )
        return [
            UnderProtection(
                f"The quasi-identifiers together attain k={attained}, not k={self.k}: they were"
                f" masked in separate blocks or steps.{linked} Mask them in one step if that may"
                " be."
            )
        ]

    def _homogeneous(self, measures: Assessment) -> list[ShoalWarning]:
        """Warn of classes that share a confidential value, or refuse where a step says so."""
        classes = sum(measures["class_sizes"].values())
        reason = told(measures.get("homogeneous_classes", {}), classes)
        if reason and any(
            isinstance(step, Microaggregate) and step.homogeneity == "refuse" for step in self.steps
        ):
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
    small_strata: str = "refuse",
    household: str | None = None,
    weight: str | None = None,
    weighted_distances: bool = False,
    missing: str = "refuse",
    types: Mapping[str, Any] | None = None,
    standardise: str = "zscore",
    aggregate: str = "mean",
    trim: float | None = None,
    decimals: int | None = None,
    homogeneity: str = "warn",
    diversity: float | None = None,
    diversity_kind: str = "distinct",
    closeness: float | None = None,
    closeness_by: str = "merge",
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
        How hard to try after the method: ``"quick"`` not at all, ``"refine"`` until no
        small change helps, ``"search"`` as long as the budget says, ``"prove"`` with a
        bound that no groups go below. ``"auto"`` refines.
    budget : float, optional
        Seconds for ``"search"`` or ``"prove"``.
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
    small_strata : str
        What to do with a stratum of fewer than k records: ``"refuse"`` or ``"merge"``.
    household : str, optional
        Column of households: members stay in one group, k counts households, and the
        column is dropped.
    weight : str, optional
        Column of survey weights, which count in what stands for a group. It is released
        unchanged, with a warning; named under ``identifiers`` too, it is dropped.
    weighted_distances : bool
        Whether distances are taken in units of the weighted standard deviations.
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
    diversity : float, optional
        Least number of values of each confidential column in every group: the *l* of
        l-diversity.
    diversity_kind : str
        How they are counted: ``"distinct"`` or ``"entropy"``.
    closeness : float, optional
        Greatest distance of each confidential column in every group from the table:
        the *t* of t-closeness.
    closeness_by : str
        How it is reached: ``"merge"``, ``"swap"`` or ``"first"``.
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
    if random_state is not None:
        options["random_state"] = random_state
    return Plan.of(
        columns,
        partitioner(method, {"k": k, "effort": effort, "budget": budget, **options}),
        identifiers=identifiers,
        confidential=confidential or (),
        within=within,
        small_strata=small_strata,
        household=household,
        weight=weight,
        weighted_distances=weighted_distances,
        dependence=dependence,
        blocks=blocks,
        missing=missing,
        types=types,
        standardise=standardise,
        aggregate=aggregate,
        trim=trim,
        decimals=decimals,
        homogeneity=homogeneity,
        diversity=diversity,
        diversity_kind=diversity_kind,
        closeness=closeness,
        closeness_by=closeness_by,
    ).run(data)


def _unfinished(outcomes: Sequence[Outcome]) -> list[ShoalWarning]:
    """Warn of efforts that the clock or somebody ended: the plan alone does not repeat them."""
    ended = [way_taken(used) for o in outcomes for used in o.fitted if used.cut_short_]
    return [
        Unfinished(
            f"{way} ended before it was done, with the best groups until then. Running the plan"
            " again may give other groups."
        )
        for way in dict.fromkeys(ended)
    ]


def _phrase(step: Step) -> str:
    by = f" by {step.partition}" if isinstance(step, Grouping) else ""
    return f"{step.name} {len(step.columns)} columns{by}"


def _level_of_caller() -> int:
    """Return the stacklevel of the first frame outside this package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("shoal."):
        level, frame = level + 1, frame.f_back
    return level


def _provenance(outcomes: Sequence[Outcome], masked: Frame, known: Sequence[str]) -> dict[str, Any]:
    used: list[Any] = [fitted for outcome in outcomes for fitted in outcome.fitted]
    return {
        "records": len(masked),
        "missing": tables.holes(masked, known),
        "methods": list(dict.fromkeys(way_taken(fitted) for fitted in used)),
        "versions": {name: version(name) for name in ("shoal", "numpy", "numba", "scikit-learn")},
    }
