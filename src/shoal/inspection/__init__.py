"""Inspection of a table before masking: kinds, suggested roles, identifying columns, a plan."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.frame import tables
from shoal.frame.codes import codes
from shoal.frame.kinds import Decision, decide, missing_words
from shoal.frame.missing_codes import without_codes
from shoal.frame.numbers_in_text import text_to_numbers
from shoal.frame.overview import overview, sentinels
from shoal.frame.roles import UNIT_ROLES
from shoal.frame.tables import Frame, IntoDataFrame
from shoal.frame.types import text_of
from shoal.inspection.inspection import Inspection
from shoal.inspection.relations import Relation, find_relations
from shoal.inspection.sentences import describe
from shoal.inspection.suggest import Facts, name_of_codes, suggest, suggest_by_uniqueness
from shoal.inspection.suggest_hierarchies import suggest_hierarchy
from shoal.inspection.uniqueness import (
    Codes,
    revealing_combinations,
    share_unique,
    suggest_by_combination,
)
from shoal.io.files import open_source
from shoal.io.notes import Notes
from shoal.io.source import Source
from shoal.plan.interpretation import decide_in_source

__all__ = ["Inspection", "inspect", "inspect_source"]

MAX_LABELS = 8  # shown of a column


def inspect(data: IntoDataFrame | str | Path) -> Inspection:
    """Look at a table before it is masked: kinds and roles of columns, and what identifies records.

    Parameters
    ----------
    data : pandas, polars or pyarrow table, str or Path
        The table, or the file that holds it. Only a file has labels and levels of measurement.

    Returns
    -------
    Inspection
        The columns with their kinds, suggested roles and reasons, the combinations of columns that
        single out records, and sentences on derived columns, missing codes, the order of records
        and more. ``Inspection.plan(k)`` is a plan to start from.

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
    decisions = {name: decide(name, tables.arrow(frame, name)) for name in frame.columns}
    return _inspect(frame, decisions, Notes(), "the table")


def inspect_source(source: Source, name: str) -> Inspection:
    """Return the inspection of an open file, with the labels that it holds."""
    names = source.table.column_names
    decisions = decide_in_source(source, names)
    frame = tables.open_frame(source.with_numbers(names))
    decimal = "." if source.text is None else source.text.decimal
    return _inspect(frame, decisions, source.notes, name, decimal)


def _inspect(
    frame: Frame, decisions: Mapping[str, Decision], notes: Notes, name: str, decimal: str = "."
) -> Inspection:
    in_text = [
        name
        for name, decision in decisions.items()
        if decision.inferred and decision.kind == "numeric"
    ]
    words = {
        name: decisions[name].missing_codes for name in in_text if decisions[name].missing_codes
    }
    frame = without_codes(frame, words)
    frame = text_to_numbers(frame, in_text, decimal)
    column_codes = codes(frame, frame.columns)
    columns = [
        _describe_column(frame, column, column_codes[:, i], decisions[column], notes)
        for i, column in enumerate(frame.columns)
    ]
    _choose_unit(columns)
    numeric = [
        entry["name"]
        for entry in columns
        if entry["type"] in ("whole", "number") and entry["role"] != "identifier"
    ]
    relations = find_relations(frame, numeric)
    _add_derived(columns, relations)
    for entry in columns:
        if entry["role"] is None:
            entry["role"], entry["why"] = suggest_by_uniqueness(entry["unique"])
    quasi = [i for i, entry in enumerate(columns) if entry["role"] == "quasi-identifier"]
    suggest_by_combination(column_codes, quasi, columns)
    if not any(entry["role"] == "quasi-identifier" for entry in columns):
        _mask_unassigned(columns)
    quasi = [i for i, entry in enumerate(columns) if entry["role"] == "quasi-identifier"]
    for entry in columns:
        entry["hierarchy"] = suggest_hierarchy(frame, entry)
    return Inspection(
        name,
        len(frame),
        columns,
        revealing_combinations(column_codes, quasi, columns),
        describe(frame, columns, relations),
    )


def _describe_column(
    frame: Frame, name: str, code: Codes, decision: Decision, notes: Notes
) -> dict[str, Any]:
    summary = overview(frame, name)
    unique = share_unique(code, tables.has_missing(frame, [name]) if summary.missing else None)
    distinct = len(set(code.tolist())) - (summary.missing > 0)
    kind = {"date": "date"}.get(decision.kind, summary.type)
    if decision.kind == "numeric" and summary.type == "text":
        kind = "number"
    facts = Facts(
        name,
        kind,
        len(frame),
        distinct,
        unique,
        is_sequence=summary.is_sequence,
        positive=summary.positive,
        missing=summary.missing,
        is_ascending=summary.is_ascending,
    )
    role, why = suggest(facts)
    declared, why_kind, inferred = decision.type, decision.why, decision.inferred
    word = name_of_codes(facts)
    if word is not None and declared.kind == "numeric" and not inferred:
        why_kind, inferred = f"its name suggests that the numbers are codes ({word})", True
        declared = type(declared)("nominal")
    missing_codes = decision.missing_codes
    labels = notes.on(name).value_labels
    if declared.kind == "numeric" and summary.type in ("whole", "number") and not labels:
        missing_codes = (*missing_codes, *sentinels(tables.floats(frame[name]).tolist()))
    if summary.type == "text" and not missing_codes:
        missing_codes = missing_words(tables.arrow(frame, name))
    return {
        "name": name,
        "label": notes.on(name).label,
        "type": kind,
        "kind": declared.kind,
        "why_kind": why_kind,
        "inferred": inferred,
        "declare": declared.to_entry() if inferred or kind == "text" else "",
        "formats": list(decision.formats),
        "labels": {text_of(value): text for value, text in list(labels.items())[:MAX_LABELS]},
        "missing_codes": list(missing_codes),
        "missing": summary.missing,
        "distinct": distinct,
        "unique": unique,
        "role": role,
        "why": why,
    }


def _choose_unit(columns: list[dict[str, Any]]) -> None:
    """Keep one column of units: households if suggested, else that with the fewest values.

    A column of units must be complete; one with missing values becomes an identifier.
    """
    units = [entry for entry in columns if entry["role"] in UNIT_ROLES]
    complete = [entry for entry in units if not entry["missing"]]
    chosen = min(complete, key=lambda e: (e["role"] != "household", e["distinct"]), default=None)
    for entry in units:
        if entry is not chosen:
            entry["role"] = "identifier"
            reason = "k counts another column" if entry in complete else "some values are missing"
            entry["why"] += f"; {reason}"


def _add_derived(columns: list[dict[str, Any]], relations: list[Relation]) -> None:
    """Suggest a role for columns that can be computed with others: the role of these."""
    entries = {entry["name"]: entry for entry in columns}
    for relation in relations:
        others = [entries[name] for name in (relation.column, *relation.sources)]
        roles = [entry["role"] for entry in others]
        role = next((r for r in ("quasi-identifier", "confidential") if r in roles), None)
        for entry in others:
            if role is not None and entry["role"] is None:
                entry["role"] = role
                names = ", ".join(repr(other["name"]) for other in others if other is not entry)
                entry["why"] = f"it can be computed with {names}"


def _mask_unassigned(columns: list[dict[str, Any]]) -> None:
    """Suggest to mask the columns without a role, in a table without quasi-identifiers.

    If there is none, constant columns are masked.
    """
    unassigned = [entry for entry in columns if entry["role"] is None]
    constant = [entry for entry in columns if entry["role"] == "non-confidential"]
    for entry in unassigned or constant:
        entry["role"] = "quasi-identifier"
        entry["why"] = "no name suggests a role, so every such column is masked"
