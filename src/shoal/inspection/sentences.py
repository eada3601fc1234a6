"""Sentences of an inspection about a table, besides roles and kinds."""

from collections.abc import Sequence
from typing import NamedTuple

from shoal._text import count, join_names
from shoal.frame.categories import CellTexts, find_suspected_kind, texts_and_index
from shoal.frame.codes import value_ranks
from shoal.frame.roles import UNIT_ROLES, name_columns
from shoal.frame.tables import Frame, arrow
from shoal.inspection.column_entry import ColumnEntry
from shoal.inspection.relations import Relation
from shoal.metrics.findings.row_order import order_correlation

MIN_RECORDS = 10  # fewer records may be sorted by chance
MIN_SORTED_CORRELATION = 0.999  # rank correlation with the row number of a sorted column
MIN_KEY_SHARE = 0.5  # share of unique values from which a confidential column works as a key
MAX_RELATIONS = 10  # derived columns that are named; the others are counted
MAX_ORDER_COLUMNS = 50  # columns that are compared with the order of records


class Sentence(NamedTuple):
    """A sentence on a table, with a stable code and the columns that it concerns."""

    code: str
    text: str
    columns: tuple[str, ...]


def describe_table(
    frame: Frame, columns: Sequence[ColumnEntry], relations: Sequence[Relation]
) -> list[Sentence]:
    """Return the sentences on a table: kinds, missing codes, units, derived columns and more."""
    return [
        *_inferred_kinds(columns),
        *_ambiguous_dates(columns),
        *_disguised_columns(frame, columns),
        *_missing_codes(columns),
        *_unit_columns(columns, len(frame)),
        *_derived_columns(relations),
        *_confidential_keys(columns),
        *_sorted_columns(frame, columns),
        *_constant_columns(columns),
        *_suggested_hierarchies(columns),
    ]


def _inferred_kinds(columns: Sequence[ColumnEntry]) -> list[Sentence]:
    """Name the kinds that do not follow from the types of the table."""
    sentences = []
    for entry in columns:
        if entry["inferred"]:
            labels = ", ".join(f"{value} {text}" for value, text in entry["labels"].items())
            label_clause = f" ({labels})" if labels else ""
            text = f"{entry['name']!r} is {entry['kind']}: {entry['why_kind']}{label_clause}."
            sentences.append(Sentence("kind-inferred", text, (entry["name"],)))
    return sentences


def _ambiguous_dates(columns: Sequence[ColumnEntry]) -> list[Sentence]:
    """Name the dates that can be read in two ways."""
    return [
        Sentence(
            "dates-ambiguous",
            f"The dates in {entry['name']!r} can be read as {entry['formats'][0]} or as"
            f" {entry['formats'][1]}: declare the format that is right.",
            (entry["name"],),
        )
        for entry in columns
        if entry["formats"]
    ]


def _disguised_columns(frame: Frame, columns: Sequence[ColumnEntry]) -> list[Sentence]:
    """Name text columns in which most cells can be read as numbers or dates."""
    sentences = []
    for entry in columns:
        if entry["type"] != "text" or entry["kind"] != "nominal" or entry["inferred"]:
            continue
        texts, index = texts_and_index(arrow(frame, entry["name"]))
        cells = CellTexts(index)
        suspected_kind = find_suspected_kind(texts, cells)
        if suspected_kind is None or 2 * suspected_kind.n_cells < cells.n_known:
            continue
        verb_phrase = f"of {entry['name']!r} can be read as {suspected_kind.kind} values"
        first_exception = suspected_kind.first_exception
        location = (
            f", and the first that cannot is in record {first_exception:,}"
            if first_exception
            else ""
        )
        text = (
            f"{suspected_kind.n_cells:,} of {cells.n_known:,} cells {verb_phrase}{location}."
            " Correct the other cells, or keep the column as nominal."
        )
        if suspected_kind.n_cells == cells.n_known:
            text = (
                f"All {cells.n_known:,} cells {verb_phrase}. Declare the column as"
                f" {suspected_kind.kind} or nominal."
            )
        sentences.append(Sentence("text-disguises-values", text, (entry["name"],)))
    return sentences


def _missing_codes(columns: Sequence[ColumnEntry]) -> list[Sentence]:
    """Name the values that seem to stand for missing ones, with their columns."""
    by_codes: dict[str, list[str]] = {}
    for entry in columns:
        if entry["missing_codes"]:
            by_codes.setdefault(", ".join(entry["missing_codes"]), []).append(entry["name"])
    return [
        Sentence(
            "missing-codes",
            f"Values that look like codes of missing values: {codes} in"
            f" {name_columns(names, 'column', 'columns')}.",
            tuple(names),
        )
        for codes, names in by_codes.items()
    ]


def _unit_columns(columns: Sequence[ColumnEntry], records: int) -> list[Sentence]:
    """Name the column whose values k should count."""
    return [
        Sentence(
            "unit",
            f"{entry['name']!r} has {entry['distinct']:,} values in {records:,} records: k should"
            f" count its values, not records (role {entry['role']}).",
            (entry["name"],),
        )
        for entry in columns
        if entry["role"] in UNIT_ROLES
    ]


def _derived_columns(relations: Sequence[Relation]) -> list[Sentence]:
    """Name the columns that can be computed from others, and count those beyond the first few."""
    sentences = []
    for relation in relations[:MAX_RELATIONS]:
        by_transformation = f" by {relation.transformation}" if relation.transformation else ""
        sources = join_names([*map(repr, relation.sources)])
        text = f"{relation.column!r} can be computed from {sources}{by_transformation}."
        sentences.append(Sentence("derived-column", text, (relation.column, *relation.sources)))
    n_hidden = len(relations) - MAX_RELATIONS
    if n_hidden > 0:
        names = tuple(relation.column for relation in relations[MAX_RELATIONS:])
        text = f"{count(n_hidden, 'more column')} can be computed from others."
        sentences.append(Sentence("derived-column", text, names))
    return sentences


def _confidential_keys(columns: Sequence[ColumnEntry]) -> list[Sentence]:
    """Name the confidential columns in which most records have a unique value."""
    names = [
        entry["name"]
        for entry in columns
        if entry["role"] == "confidential" and entry["unique"] > MIN_KEY_SHARE
    ]
    if not names:
        return []
    text = (
        f"{name_columns(names, 'Confidential column', 'Confidential columns')}: most records have a"
        " unique value, so anyone who knows the value can find the record. Round or mask the"
        " columns whose values an attacker may know."
    )
    return [Sentence("confidential-key", text, tuple(names))]


def _sorted_columns(frame: Frame, columns: Sequence[ColumnEntry]) -> list[Sentence]:
    """Name the masked and dropped columns that the records are sorted by."""
    masked_roles = ("identifier", "quasi-identifier", *UNIT_ROLES)
    names = [
        entry["name"]
        for entry in columns
        if entry["role"] in masked_roles and entry["distinct"] > 1
    ]
    names = names[:MAX_ORDER_COLUMNS] if len(frame) >= MIN_RECORDS else []
    sorted_columns = []
    for name in names:
        ranks = value_ranks(frame, name)
        if ranks is not None and abs(order_correlation(ranks)) > MIN_SORTED_CORRELATION:
            sorted_columns.append(name)
    if not sorted_columns:
        return []
    text = (
        f"The records are sorted by {name_columns(sorted_columns, 'column', 'columns')}, so a"
        " record may be identified by its position: release the records in random order (shuffle)."
    )
    return [Sentence("order-follows-column", text, tuple(sorted_columns))]


def _constant_columns(columns: Sequence[ColumnEntry]) -> list[Sentence]:
    """Name the columns that have a single value."""
    names = [entry["name"] for entry in columns if entry["distinct"] <= 1]
    if not names:
        return []
    text = f"{name_columns(names)} {'has' if len(names) == 1 else 'have'} one value throughout."
    return [Sentence("constant-column", text, tuple(names))]


def _suggested_hierarchies(columns: Sequence[ColumnEntry]) -> list[Sentence]:
    """Name the hierarchies that columns could be recoded by."""
    hierarchy_rules = {entry["name"]: entry["hierarchy"] for entry in columns if entry["hierarchy"]}
    if not hierarchy_rules:
        return []
    suggestions = "; ".join(
        f"{name!r} by {key} of {', '.join(map(str, levels))}"
        for name, rule in hierarchy_rules.items()
        for key, levels in rule.items()
    )
    text = (
        f"Columns that could be recoded by a hierarchy, if their types declare it: {suggestions}."
    )
    return [Sentence("hierarchy-suggested", text, tuple(hierarchy_rules))]
