"""`inspect`: describe the columns of a table and suggest their roles."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from shoal.frame import tables
from shoal.frame.codes import codes
from shoal.frame.description.properties import ColumnProperties, column_properties
from shoal.frame.inference.kinds import Decision, decide_kind, missing_words
from shoal.frame.inference.sentinels import sentinels
from shoal.frame.missing_codes import without_codes
from shoal.frame.notation.text_columns import text_to_numbers
from shoal.frame.notation.texts import text_of
from shoal.frame.roles import UNIT_ROLES
from shoal.frame.tables import Frame, IntoDataFrame
from shoal.frame.types import Type
from shoal.inspection.column_entry import ColumnEntry
from shoal.inspection.inspection import Inspection
from shoal.inspection.relations import Relation, find_relations
from shoal.inspection.sentences import describe_table
from shoal.inspection.suggest_hierarchies import suggest_hierarchy
from shoal.inspection.suggest_roles import RoleFacts, code_word, suggest_by_uniqueness, suggest_role
from shoal.inspection.uniqueness import (
    Codes,
    revealing_combinations,
    share_unique,
    suggest_by_combination,
)
from shoal.io.files import open_source
from shoal.io.metadata import FileMetadata
from shoal.io.source import Source
from shoal.plan.interpretation import decide_kinds_in_source

MAX_LABELS = 8  # value labels of a column that are shown


def inspect(data: IntoDataFrame | str | Path) -> Inspection:
    """Inspect a table before it is masked: kinds and roles of columns, and what identifies records.

    Parameters
    ----------
    data : pandas, polars or pyarrow table, str or Path
        The table, or a file that contains it. Only a file has labels and levels of measurement.

    Returns
    -------
    Inspection
        The columns with their kinds, suggested roles and reasons, the combinations of columns in
        which records are unique, and sentences on derived columns, missing codes, the order of
        records and more. ``Inspection.plan(k)`` is a plan to start from.

    Examples
    --------
    >>> from shoal import datasets
    >>> inspection = inspect(datasets.sme())
    >>> inspection["surface"]["role"]
    'quasi-identifier'
    """
    if isinstance(data, str | Path):
        return inspect_source(open_source(data, numbers=()), Path(data).name)
    frame = tables.open_frame(data)
    decisions = {name: decide_kind(name, tables.arrow(frame, name)) for name in frame.columns}
    return _inspect(frame, decisions, FileMetadata(), "the table")


def inspect_source(source: Source, name: str) -> Inspection:
    """Return the inspection of an open file, with the labels that it contains."""
    names = source.table.column_names
    decisions = decide_kinds_in_source(source, names)
    frame = tables.open_frame(source.table_with_numbers(names))
    decimal = "." if source.text_dialect is None else source.text_dialect.decimal
    return _inspect(frame, decisions, source.metadata, name, decimal)


def _inspect(
    frame: Frame,
    decisions: Mapping[str, Decision],
    metadata: FileMetadata,
    name: str,
    decimal: str = ".",
) -> Inspection:
    """Describe every column, then suggest roles: by name, relation, uniqueness, combination."""
    frame = _read_numbers_in_text(frame, decisions, decimal)
    column_codes = codes(frame, frame.columns)
    columns = [
        _describe_column(frame, column, column_codes[:, i], decisions[column], metadata)
        for i, column in enumerate(frame.columns)
    ]
    _choose_unit_column(columns)
    numeric = [
        entry["name"]
        for entry in columns
        if entry["type"] in ("whole", "number") and entry["role"] != "identifier"
    ]
    relations = find_relations(frame, numeric)
    _suggest_roles_by_relations(columns, relations)
    for entry in columns:
        if entry["role"] is None:
            entry["role"], entry["why"] = suggest_by_uniqueness(entry["unique"])
    suggest_by_combination(column_codes, _quasi_identifiers(columns), columns)
    if not _quasi_identifiers(columns):
        _suggest_masking_unassigned(columns)
    for entry in columns:
        entry["hierarchy"] = suggest_hierarchy(frame, entry)
    return Inspection(
        name,
        len(frame),
        columns,
        revealing_combinations(column_codes, _quasi_identifiers(columns), columns),
        describe_table(frame, columns, relations),
    )


def _read_numbers_in_text(frame: Frame, decisions: Mapping[str, Decision], decimal: str) -> Frame:
    """Return the table with numbers in place of text in columns that were decided to be numeric."""
    text_columns = [
        name
        for name, decision in decisions.items()
        if decision.inferred and decision.kind == "numeric"
    ]
    codes_by_column = {
        name: decisions[name].missing_codes
        for name in text_columns
        if decisions[name].missing_codes
    }
    return text_to_numbers(without_codes(frame, codes_by_column), text_columns, decimal)


def _quasi_identifiers(columns: Sequence[ColumnEntry]) -> list[int]:
    """Return the positions of the columns that are suggested as quasi-identifiers."""
    return [i for i, entry in enumerate(columns) if entry["role"] == "quasi-identifier"]


def _describe_column(
    frame: Frame, name: str, codes: Codes, decision: Decision, metadata: FileMetadata
) -> ColumnEntry:
    """Return the entry of a column, with the role that its name, type and values suggest."""
    properties = column_properties(frame, name)
    facts = _role_facts(frame, name, codes, decision, properties)
    role, why = suggest_role(facts)
    declared_type, why_kind, inferred = _suggest_type(facts, decision)
    labels = metadata.of_column(name).value_labels
    return {
        "name": name,
        "label": metadata.of_column(name).label,
        "type": facts.type,
        "kind": declared_type.kind,
        "why_kind": why_kind,
        "inferred": inferred,
        "declare": declared_type.to_entry() if inferred or facts.type == "text" else "",
        "formats": list(decision.formats),
        "labels": {text_of(value): text for value, text in list(labels.items())[:MAX_LABELS]},
        "missing_codes": _suggest_missing_codes(
            frame, name, properties, declared_type, decision, has_labels=bool(labels)
        ),
        "missing": properties.missing,
        "distinct": facts.distinct,
        "unique": facts.unique,
        "role": role,
        "why": why,
        "hierarchy": {},  # follows from the role, which other columns may change
    }


def _role_facts(
    frame: Frame, name: str, codes: Codes, decision: Decision, properties: ColumnProperties
) -> RoleFacts:
    """Return the facts that determine the suggested role of a column."""
    shown_type = "date" if decision.kind == "date" else properties.value_type
    if decision.kind == "numeric" and properties.value_type == "text":
        shown_type = "number"
    return RoleFacts(
        name,
        shown_type,
        len(frame),
        distinct=len(set(codes.tolist())) - (properties.missing > 0),
        unique=share_unique(
            codes, tables.has_missing(frame, [name]) if properties.missing else None
        ),
        is_sequence=properties.is_sequence,
        is_positive=properties.is_positive,
        missing=properties.missing,
        is_ascending=properties.is_ascending,
        is_whole=properties.is_whole,
    )


def _suggest_type(facts: RoleFacts, decision: Decision) -> tuple[Type, str, bool]:
    """Return the type of a column, the reason, and whether the table has another type."""
    word = code_word(facts)
    if word is None or decision.kind != "numeric" or decision.inferred:
        return decision.type, decision.why, decision.inferred
    why = f"its name suggests that the numbers are codes ({word})"
    return Type("nominal"), why, True


def _suggest_missing_codes(
    frame: Frame,
    name: str,
    properties: ColumnProperties,
    declared_type: Type,
    decision: Decision,
    *,
    has_labels: bool,
) -> list[str]:
    """Return the values of a column that seem to stand for missing ones."""
    missing_codes = decision.missing_codes
    if (
        declared_type.kind == "numeric"
        and properties.value_type in ("whole", "number")
        and not has_labels
    ):
        missing_codes = (*missing_codes, *sentinels(tables.floats(frame[name]).tolist()))
    if properties.value_type == "text" and not missing_codes:
        missing_codes = missing_words(tables.arrow(frame, name))
    return list(missing_codes)


def _choose_unit_column(columns: list[ColumnEntry]) -> None:
    """Choose one column of units: households if suggested, else the column with the fewest values.

    A column of units must be complete; one with missing values becomes an identifier.
    """
    units = [entry for entry in columns if entry["role"] in UNIT_ROLES]
    complete_units = [entry for entry in units if not entry["missing"]]
    chosen_entry = min(
        complete_units,
        key=lambda entry: (entry["role"] != "household", entry["distinct"]),
        default=None,
    )
    for entry in units:
        if entry is not chosen_entry:
            entry["role"] = "identifier"
            reason = (
                "k counts another column" if entry in complete_units else "some values are missing"
            )
            entry["why"] += f"; {reason}"


def _suggest_roles_by_relations(columns: list[ColumnEntry], relations: list[Relation]) -> None:
    """Suggest the role of a column for all columns that can be computed with it."""
    entries = {entry["name"]: entry for entry in columns}
    for relation in relations:
        related = [entries[name] for name in (relation.column, *relation.sources)]
        roles = [entry["role"] for entry in related]
        role = next((r for r in ("quasi-identifier", "confidential") if r in roles), None)
        for entry in related:
            if role is not None and entry["role"] is None:
                entry["role"] = role
                names = ", ".join(
                    repr(related_entry["name"])
                    for related_entry in related
                    if related_entry is not entry
                )
                entry["why"] = f"it can be computed with {names}"


def _suggest_masking_unassigned(columns: list[ColumnEntry]) -> None:
    """Suggest masking the columns without a role, in a table without quasi-identifiers.

    If every column has a role, suggest masking the constant columns.
    """
    unassigned_entries = [entry for entry in columns if entry["role"] is None]
    constant_entries = [entry for entry in columns if entry["role"] == "non-confidential"]
    for entry in unassigned_entries or constant_entries:
        entry["role"] = "quasi-identifier"
        entry["why"] = "no name suggests a role, so every such column is masked"
