"""How a plan reads the columns of a table: kinds and missing codes, declared or inferred."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from shoal.frame import tables
from shoal.frame.columns import category_order
from shoal.frame.inference.column_facts import Metadata
from shoal.frame.inference.kinds import Decision, decide_kind
from shoal.frame.missing_codes import MissingCodes
from shoal.frame.notation.texts import text_of
from shoal.frame.roles import columns_with
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.plan.definition.validation import check_kinds
from shoal.steps import Microaggregate

if TYPE_CHECKING:
    from shoal.io.source import Source
    from shoal.plan.plan import Plan


@dataclass(frozen=True)
class Interpretation:
    """How a plan reads the columns of a table: as it declares, or else as the table shows.

    Parameters
    ----------
    types : mapping of str to Type
        The declared and the inferred types.
    missing_codes : mapping of str to tuple of str
        The values of masked columns that stand for a missing value, declared or inferred.
    decimals : mapping of str to int
        The decimals that the microaggregated columns of a file show. There are none for a table in
        memory.
    """

    types: Mapping[str, Type]
    missing_codes: MissingCodes
    decimals: Mapping[str, int] = field(default_factory=dict)

    def with_decimals(self, plan: "Plan", source: "Source", table: Any) -> "Interpretation":
        """Return the interpretation with the decimals of the columns that a plan averages.

        ``table`` is the table of the source with its numbers parsed.
        """
        names = [
            name for step in plan.steps if isinstance(step, Microaggregate) for name in step.columns
        ]
        return replace(self, decimals=source.shown_decimals(table, dict.fromkeys(names)))


def interpret_source(plan: "Plan", source: "Source") -> Interpretation:
    """Return how a plan reads the columns of a file.

    The kinds of columns without a declared type are inferred from labels, levels of measurement and
    the text of the cells.
    """
    decisions = decide_kinds_in_source(source, _undeclared_columns(plan))
    metadata = {name: source.metadata.of_column(name) for name in decisions}
    interpretation = _from_decisions(plan, decisions, metadata)
    types = _with_coded_hierarchies(interpretation.types, source)
    return replace(interpretation, types=_with_orders(plan, types, source))


def types_of_columns(
    source: "Source", names: Sequence[str], declared_types: Mapping[str, Type]
) -> dict[str, Type]:
    """Return the declared types and the types that a file gives to other columns."""
    return interpret_columns(source, names, declared_types, {})[0]


def interpret_columns(
    source: "Source",
    names: Sequence[str],
    types: Mapping[str, Type],
    missing_codes: Mapping[str, tuple[str, ...]],
) -> tuple[dict[str, Type], dict[str, tuple[str, ...]]]:
    """Return types and missing codes: as declared, or else as a file gives them to a column."""
    decisions = decide_kinds_in_source(source, [name for name in names if name not in types])
    inferred = {
        name: decision.type_with_reason for name, decision in decisions.items() if decision.inferred
    }
    codes = {
        name: decision.missing_codes
        for name, decision in decisions.items()
        if decision.missing_codes
    }
    return {**inferred, **types}, {**codes, **missing_codes}


def decide_kinds_in_source(source: "Source", names: Sequence[str]) -> dict[str, Decision]:
    """Return the kinds of columns of a file with their reasons; absent columns are left out."""
    parsed = source.table_with_numbers(names)
    cells = None
    decimal = "."
    if source.text_dialect is not None:
        cells = source.table_with_numbers((), text_columns=names)
        decimal = source.text_dialect.decimal
    position = {name: i for i, name in enumerate(parsed.column_names)}
    return {
        name: decide_kind(
            name,
            parsed.column(position[name]),
            source.metadata.of_column(name),
            text=None if cells is None else cells.column(position[name]),
            decimal=decimal,
        )
        for name in names
        if name in position
    }


def interpret_frame(plan: "Plan", frame: Frame) -> Interpretation:
    """Return how a plan reads the columns of a table in memory."""
    names = [name for name in plan.masked if name not in plan.types and name in frame.columns]
    decisions = {name: decide_kind(name, tables.arrow(frame, name)) for name in names}
    return _from_decisions(plan, decisions, {})


def _undeclared_columns(plan: "Plan") -> list[str]:
    names = [*plan.masked, *columns_with(plan.roles, "confidential")]
    return [name for name in dict.fromkeys(names) if name not in plan.types]


def _from_decisions(
    plan: "Plan", decisions: Mapping[str, Decision], metadata: Mapping[str, Metadata]
) -> Interpretation:
    """Return declared and inferred types, and missing codes of masked columns.

    Refuse steps that need numbers of a column of another kind.
    """
    masked = set(plan.masked)
    types: dict[str, Any] = {}
    for name, decision in decisions.items():
        has_labels = name in metadata and bool(metadata[name].value_labels)
        if decision.inferred and (name in masked or has_labels):
            types[name] = decision.type_with_reason
    codes = {
        name: decision.missing_codes
        for name, decision in decisions.items()
        if decision.missing_codes and name in masked and name not in plan.missing_codes
    }
    types = {**plan.types, **types}
    check_kinds(plan, types)
    return Interpretation(types, {**plan.missing_codes, **codes})


def _with_coded_hierarchies(types: Mapping[str, Type], source: "Source") -> dict[str, Type]:
    """Return the types with hierarchies of codes in place of hierarchies of their labels."""
    with_codes = dict(types)
    for name, column_type in types.items():
        codes_by_label: dict[str, list[str]] = {}
        for code, label in source.metadata.of_column(name).value_labels.items():
            codes_by_label.setdefault(label, []).append(text_of(code))
        if _lists_labels(column_type, codes_by_label):
            rows = [
                (code, *row[1:])
                for row in column_type.hierarchy
                for code in codes_by_label.get(row[0], row[:1])
            ]
            with_codes[name] = replace(column_type, hierarchy=tuple(rows))
    return with_codes


def _lists_labels(column_type: Type, codes_by_label: Mapping[str, Sequence[str]]) -> bool:
    """Return whether the hierarchy of a type lists labels of codes, and no code."""
    listed_values = {row[0] for row in column_type.hierarchy}
    codes = {code for label_codes in codes_by_label.values() for code in label_codes}
    return not listed_values.isdisjoint(codes_by_label) and listed_values.isdisjoint(codes)


def _with_orders(plan: "Plan", types: Mapping[str, Type], source: "Source") -> Mapping[str, Type]:
    """Return the types with the orders of confidential columns, if t-closeness depends on them.

    They are recorded because the format of the released file may not keep the order of categories.
    """
    if all(step.closeness is None for step in plan.steps):
        return types
    confidential = columns_with(plan.roles, "confidential")
    frame = tables.open_frame(source.table)
    names = [name for name in confidential if name not in types and name in frame.columns]
    orders = {name: category_order(tables.arrow(frame, name)) for name in names}
    ordinal = {name: Type("ordinal", order=order) for name, order in orders.items() if order}
    return {**types, **ordinal}
