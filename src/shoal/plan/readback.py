"""Judge a written file by what can be read from it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from shoal.errors import FileError, GuaranteeBroken, InputError
from shoal.frame import tables
from shoal.frame.codes import codes
from shoal.frame.roles import columns_with, name_columns
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.io.source import Source
from shoal.io.type_restoration import cast_like
from shoal.metrics import classes, compute
from shoal.plan.definition.other_columns import unnamed_columns
from shoal.plan.draft import Draft
from shoal.plan.evidence import Evidence
from shoal.plan.guarantees import check_guarantees, judge
from shoal.plan.verdict import Verdict

if TYPE_CHECKING:
    from shoal.plan.plan import Plan


class JudgedFile(NamedTuple):
    """The verdict on a file, its measures and its columns."""

    verdict: Verdict
    measures: dict[str, Any]
    columns: tuple[str, ...]


def judge_file(draft: Draft, written_source: Source, name: str) -> JudgedFile:
    """Judge a release as read back from its file; refuse one that protects less than the table.

    Parameters
    ----------
    draft : Draft
        The release as it was in memory.
    written_source : Source
        The file, opened again.
    name : str
        Name of the file, for messages.

    Returns
    -------
    JudgedFile
        The verdict on the file, and the measures, with the measures of classes counted again.
    """
    evidence, plan = draft.evidence, draft.evidence.plan
    released = read_frame(written_source, plan, like=tables.to_native(evidence.released))
    _check_shape(evidence.released, released, name)
    confidential = columns_with(plan.roles, "confidential")
    try:
        intact_steps = [step for step in plan.steps if plan.is_intact(step)]
        check_guarantees(intact_steps, released, confidential, plan.types, evidence.units)
        file_evidence = replace(evidence, released=released)
        verdict = judge(file_evidence)
    except (GuaranteeBroken, InputError) as error:
        changed = _columns_with_other_classes(
            evidence.released, released, [*plan.quasi_identifiers, *confidential]
        )
        if not changed:
            raise
        raise _not_representable_error(name, changed, error) from None
    measures = {**(evidence.measures or {}), **_recounted_class_measures(evidence, file_evidence)}
    return JudgedFile(verdict, measures, tuple(released.columns))


def read_frame(written_source: Source, plan: "Plan", *, like: Any | None = None) -> Frame:
    """Return a released file as a frame, with missing codes as values and the types of ``like``.

    Parameters
    ----------
    written_source : Source
        The file, opened again.
    plan : Plan
        The plan of the release.
    like : pyarrow.Table, optional
        The release in memory, or an empty table of its types; text that represents its dates or
        numbers is parsed.

    Returns
    -------
    Frame
        The released table, without columns that the plan drops and a fixed-width file keeps as
        blanks.
    """
    numeric = [name for name in plan.numeric_columns if name not in plan.recoded]
    table = written_source.table_with_numbers(numeric, plan.categorical_columns)
    if like is not None:
        table = cast_like(table, like)
    table = written_source.codes_as_categories(table, coded_columns(plan, plan.types))
    unnamed = unnamed_columns(plan, table.column_names) if plan.other_columns == "drop" else []
    return tables.open_frame(written_source.without_blank_columns(table, [*plan.dropped, *unnamed]))


def coded_columns(plan: "Plan", types: Mapping[str, Type]) -> list[str]:
    """Return the columns in which different missing codes count as different values.

    These are the strata and, if a step constrains their values, the confidential columns.
    """
    strata = [name for step in plan.steps for name in step.strata]
    are_constrained = any(step.diversity or step.closeness is not None for step in plan.steps)
    # Distances that depend on confidential columns need these as numbers.
    are_numbers = any(getattr(step, "dependence", 0.0) for step in plan.steps)
    confidential = []
    if are_constrained and not are_numbers:
        confidential = [
            name for name in columns_with(plan.roles, "confidential") if name not in types
        ]
    return [name for name in dict.fromkeys([*strata, *confidential]) if name not in plan.masked]


def _check_shape(in_memory: Frame, in_file: Frame, name: str) -> None:
    """Refuse a file that has other records or columns than the table."""
    if set(in_memory.columns) != set(in_file.columns):
        raise FileError(
            f"{name!r} does not have the columns that were written. Nothing was released. Write"
            " another format.",
            code="columns-lost",
        )
    if len(in_file) > len(in_memory):
        raise FileError(
            f"{name!r} has {len(in_file):,} records instead of {len(in_memory):,}: this format"
            " splits records, for instance at line breaks. Nothing was released. Write another"
            " format.",
            code="records-lost",
            records=len(in_memory) - len(in_file),
        )
    if len(in_file) < len(in_memory):
        raise FileError(
            f"Only {len(in_file):,} of {len(in_memory):,} records are in {name!r}: this format"
            " cannot store records whose cells are all empty. Nothing was released. Drop such"
            " records, or write another format.",
            code="records-lost",
            records=len(in_memory) - len(in_file),
        )


def _columns_with_other_classes(
    in_memory: Frame, in_file: Frame, columns: Sequence[str]
) -> list[str]:
    """Return the columns whose classes of equal values differ between the table and the file."""
    return [
        name
        for name in dict.fromkeys(columns)
        if not _same_classes(codes(in_memory, [name]), codes(in_file, [name]))
    ]


def _same_classes(in_memory: Any, in_file: Any) -> bool:
    """Return whether two columns of codes divide the records into the same classes."""
    labels_in_memory, labels_in_file = classes(in_memory), classes(in_file)
    joint_labels = classes(np.column_stack([labels_in_memory, labels_in_file]))
    all_labels = labels_in_memory, labels_in_file, joint_labels
    greatest_labels = {int(labels.max()) for labels in all_labels}
    return len(greatest_labels) == 1


def _not_representable_error(
    name: str, columns: Sequence[str], error: Exception
) -> GuaranteeBroken:
    """Return the error that refuses a file which cannot represent the values of columns."""
    reason = str(error).replace(" No data were released. Please report this.", "")
    verb = "has" if len(columns) == 1 else "have"
    return GuaranteeBroken(
        f"{name!r} protects less than the table: {name_columns(columns)} {verb} values that differ"
        " in the table and are equal in the file, or vice versa (blanks at the end of a text,"
        f" empty and missing texts, digits that the format does not store). {reason} Nothing was"
        " released. Make such values equal before masking, or write another format, such as"
        " .parquet.",
        code="unrepresentable-values",
        columns=tuple(columns),
    )


def _recounted_class_measures(in_memory: Evidence, in_file: Evidence) -> Mapping[str, Any]:
    """Return the measures of the classes of the file if these differ from those in memory."""
    class_sizes = compute("class_sizes", {"released": in_file.joint_classes[:, np.newaxis]})
    if in_memory.measures and class_sizes == in_memory.measures["class_sizes"]:
        return {}
    return in_file.class_measures()
