"""The class `Plan`: the roles of columns, and the steps that mask them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from shoal import _params as parameters
from shoal._params import RandomState
from shoal._progress import shows_progress
from shoal._seeds import as_seed
from shoal._text import count
from shoal.errors import PlanError
from shoal.frame.edits import Edit, as_edits
from shoal.frame.missing_codes import as_missing_codes
from shoal.frame.roles import as_list, check_roles
from shoal.frame.tables import Frame, IntoDataFrame
from shoal.frame.types import as_types
from shoal.metrics.limits import Limits
from shoal.partitioners import Partitioner
from shoal.plan.chaining import guarantee_of, is_intact
from shoal.plan.definition import document
from shoal.plan.definition.columns import PlanColumns
from shoal.plan.definition.limits import as_limits
from shoal.plan.definition.other_columns import OtherColumns, check_other_columns
from shoal.plan.definition.repair import Repair, check_repair, join_blocks
from shoal.plan.definition.units import refuse_repeated_identifiers, resolve_unit
from shoal.plan.definition.validation import check_consistent, check_steps, roles_of
from shoal.plan.definition.weights import resolve_weight
from shoal.plan.draft import Draft
from shoal.plan.guarantees import judge
from shoal.plan.interpretation import Interpretation
from shoal.plan.masking import draft_release
from shoal.plan.release import Release
from shoal.plan.thresholds import Thresholds, as_thresholds
from shoal.steps import GroupingStep, Microaggregate, Step
from shoal.steps.constraints.units import read_units

# The parameters of a plan.
FIELDS = (
    "roles", "steps", "types", "missing_codes", "thresholds", "unit", "other_columns", "shuffle",
    "random_state", "edits", "repair", "limits",
)  # fmt: skip


class Plan(PlanColumns):
    """Roles of columns and steps to take, ready to run on a table.

    Parameters
    ----------
    roles : mapping of str to str
        Role of each column: ``"identifier"`` (dropped from the release),
        ``"quasi-identifier"``, ``"confidential"``, ``"non-confidential"``, ``"weight"`` (survey
        weights of all aggregates; released unchanged), ``"unit"`` (k counts its values;
        dropped), ``"household"`` (the same, for households) or ``"unassigned"`` (no decision
        yet; released unchanged, with a warning).
    steps : list of steps
        The steps, in order.
    types : mapping of str to str or mapping, optional
        Kinds of columns if the table does not determine them: a kind (``"numeric"``,
        ``"ordinal"``, ``"nominal"``, ``"boolean"`` or ``"date"``), a `shoal.Hierarchy`, or a
        mapping with the ``kind`` and an ``order``, a ``hierarchy``, ``distances`` or a ``format``;
        see `shoal.frame.types.Type`. Other kinds are inferred and recorded in the plan of the
        release.
    thresholds : Thresholds or mapping, optional
        Thresholds above which figures of the release become findings of its verdict; see
        `shoal.plan.thresholds.Thresholds`.
    unit : str, optional
        What k counts: ``"record"``, or the column of the persons, households or firms to
        protect. By default k counts records; if an identifier repeats, the unit must be stated.
    other_columns : {"refuse", "drop", "release"}, default="refuse"
        What to do with columns of a table that the plan does not name: refuse the table, drop
        the columns, or release them unchanged, with a warning.
    shuffle : bool
        Whether to release the records in random order. Otherwise they keep their order, which
        may identify them.
    random_state : int, Generator, RandomState or None
        Seed of the random order; if None, a seed is drawn and recorded in the plan of the release.
    missing_codes : mapping of str to list, optional
        Values of masked columns that stand for a missing value, such as ``{"income": [98, 99]}``.
    edits : list of str
        Linear rules that the records obey, such as ``"total == a + b"`` or ``"age >= 0"``. The
        records that break a rule are counted before and after masking; a rule that masking breaks
        qualifies the verdict. Put column names that are not valid Python names in backquotes.
    repair : {"refuse", "regroup"}, optional
        What to do about edits that masking breaks: refuse the release, or regroup the columns of
        each edit in one block, and refuse the release if that is not enough.
    limits : Limits, mapping, path or None
        Maximum and minimum values of figures that the release must keep, such as
        ``{"max_linkage": 0.1}``; see `shoal.Limits`. A limit that is not met breaks the guarantee.

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
        thresholds: Thresholds | Mapping[str, Any] | None = None,
        unit: str | None = None,
        other_columns: OtherColumns = "refuse",
        shuffle: bool = False,
        random_state: RandomState = None,
        missing_codes: Mapping[str, Any] | None = None,
        edits: Sequence[str | Edit] = (),
        repair: Repair | None = None,
        limits: Limits | Mapping[str, Any] | str | Path | None = None,
    ):
        check_roles(roles)
        check_steps(steps)
        roles, steps, self.unit = resolve_unit(roles, steps, unit)
        self.roles, self.steps = resolve_weight(roles, steps)
        self.types = as_types(types)
        self.missing_codes = as_missing_codes(missing_codes)
        self.thresholds = as_thresholds(thresholds)
        self.other_columns = check_other_columns(other_columns)
        self.shuffle = shuffle
        self.random_state = as_seed(random_state)
        self.edits = as_edits(edits)
        self.repair = check_repair(repair, self.edits)
        self.limits = as_limits(limits)
        if self.repair == "regroup":
            self.steps = join_blocks(self.steps, self.edits)
        check_consistent(self)

    @classmethod
    def of(
        cls,
        columns: Sequence[str],
        partitioner: Partitioner,
        *,
        identifiers: Sequence[str] = (),
        confidential: Sequence[str] = (),
        types: Mapping[str, Any] | None = None,
        unit: str | None = None,
        other_columns: OtherColumns = "refuse",
        shuffle: bool = False,
        random_state: RandomState = None,
        missing_codes: Mapping[str, Any] | None = None,
        edits: Sequence[str] = (),
        repair: Repair | None = None,
        limits: Limits | Mapping[str, Any] | str | Path | None = None,
        **options: Any,
    ) -> Self:
        """Return a plan of one microaggregation with the given options of the step."""
        columns, identifiers, confidential = map(as_list, (columns, identifiers, confidential))
        if options.get("homogeneity") == "noise":
            options = {**options, "random_state": random_state}
        step = parameters.build(
            Microaggregate,
            {"columns": columns, "partitioner": partitioner, **options},
            "the step 'microaggregate'",
        )
        roles = roles_of(columns, identifiers, confidential)
        return cls(
            roles,
            [step],
            types,
            unit=unit,
            other_columns=other_columns,
            shuffle=shuffle,
            random_state=random_state if shuffle else None,
            missing_codes=missing_codes,
            edits=edits,
            repair=repair,
            limits=limits,
        )

    def replace(self, **changes: Any) -> "Plan":
        """Return the plan with some of its parameters replaced."""
        return Plan(**{name: getattr(self, name) for name in FIELDS} | changes)

    def shuffled(self) -> "Plan":
        """Return the plan with the released records in random order."""
        return self if self.shuffle else self.replace(shuffle=True)

    @property
    def k(self) -> int | None:
        """The smallest k that the steps guarantee, or None if a step guarantees none.

        Steps that mask only confidential columns do not count, nor do steps whose columns are
        masked again by later steps.
        """
        k_values = [step.k if self.is_intact(step) else None for step in self.deciding_steps]
        guaranteed = [k for k in k_values if k is not None]
        return min(guaranteed) if len(guaranteed) == len(k_values) else None

    def is_intact(self, step: Step) -> bool:
        """Return whether no later step may split the classes of a step."""
        return is_intact(self.steps, step)

    @property
    def guarantees(self) -> list[str]:
        """What each step guarantees of the release, in sentences."""
        return [guarantee_of(self.steps, step) for step in self.steps]

    @shows_progress
    def run(self, data: IntoDataFrame) -> Release:
        """Mask ``data`` and measure the result.

        Parameters
        ----------
        data : pandas, polars or pyarrow table
            The table; it is not modified.

        Returns
        -------
        Release
            The masked table, of the same kind, with its measures and verdict.
        """
        draft = draft_release(self, data)
        return draft.to_release(judge(draft.evidence))

    def draft(self, data: IntoDataFrame, interpretation: Interpretation) -> Draft:
        """Mask ``data`` without a verdict, for a file that is judged as read back.

        Parameters
        ----------
        data : pandas, polars or pyarrow table
            The table of a file; it is not modified.
        interpretation : Interpretation
            How its columns are read, as the file shows them.

        Returns
        -------
        Draft
            The release that `run` returns, except for its verdict, and the input of the verdict.
        """
        return draft_release(self, data, interpretation)

    def units_in(self, frame: Frame) -> NDArray[np.int64] | None:
        """Return the unit of each record as an integer, or None if k counts records.

        Refuse identifiers that repeat, if the plan does not state what k counts.
        """
        if self.unit_column is not None:
            return read_units(frame, self.unit_column)
        refuse_repeated_identifiers(frame, self.identifiers_to_check)
        return None

    def to_dict(self, *, drawn_seeds: bool = True) -> dict[str, Any]:
        """Return the plan as a document, without parameters that have their defaults.

        Parameters
        ----------
        drawn_seeds : bool
            Whether to keep the seeds that a run drew. They are as secret as keys; printing does
            not show them.

        Returns
        -------
        dict
            The document as plain data, which `from_dict` reads.
        """
        entries = document.to_dict(**{name: getattr(self, name) for name in FIELDS})
        return entries if drawn_seeds else document.without_drawn_seeds(entries)

    @classmethod
    def from_dict(cls, entries: Mapping[str, Any], folder: str | Path | None = "") -> Self:
        """Return the plan of a document.

        Files that the document names must be in ``folder``; if ``folder`` is None, the document
        must not name files.
        """
        try:
            return cls(**document.from_dict(entries, None if folder is None else Path(folder)))
        except RecursionError:
            raise PlanError(
                "The plan cannot be read: tables and lists are nested too deeply.",
                code="plan-unreadable",
            ) from None

    def save(self, path: str | Path, *, force: bool = False, drawn_seeds: bool = False) -> None:
        """Write the plan to a ``.toml`` or ``.json`` file.

        Anyone who has its seeds can subtract noise, undo swaps and restore the order of shuffled
        records. The plan of a release contains the seeds that its run drew. By default they are
        not written, so the file can be shared, and new seeds are drawn when the plan is run. Seeds
        that the author of the plan wrote are kept.

        Parameters
        ----------
        path : str or Path
            The file.
        force : bool
            Whether to replace an existing file.
        drawn_seeds : bool
            Whether to write drawn seeds too. The file then reproduces the release byte for byte,
            and must be kept as secret as the original data.
        """
        document.save(self.to_dict(drawn_seeds=drawn_seeds), Path(path), force=force)

    @classmethod
    def load(cls, path: str | Path, *, shuffle: bool = False, limits: Limits | None = None) -> Self:
        """Read a plan from a ``.toml`` or ``.json`` file.

        Parameters
        ----------
        path : str or Path
            The file.
        shuffle : bool
            Whether to release the records in random order even if the file does not say so.
        limits : Limits, optional
            Limits that the release must keep besides the limits of the file.

        Returns
        -------
        Plan
            The plan of the file, with ``shuffle`` and ``limits`` applied.
        """
        entries = document.load(Path(path))
        if shuffle and not entries.get("shuffle"):
            entries["shuffle"] = True
        if limits is not None:
            entries["limits"] = as_limits(entries.get("limits")).merged(limits)
        return cls.from_dict(entries, Path(path).parent)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plan) and self.to_dict() == other.to_dict()

    def __repr__(self) -> str:
        return f"Plan({', '.join(_describe(step) for step in self.steps)})"

    def _repr_html_(self) -> str:
        from shoal.report.notebook import plan_html  # see docs/architecture.md

        return plan_html(self)


def _describe(step: Step) -> str:
    by = f" by {step.partitioner}" if isinstance(step, GroupingStep) else ""
    return f"{step.name} {count(len(step.columns), 'column')}{by}"
