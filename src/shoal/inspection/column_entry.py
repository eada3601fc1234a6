"""The entry of a column in an inspection."""

from typing import Any, TypedDict


class ColumnEntry(TypedDict):
    """A column of an inspected table, as plain data: `Inspection.to_dict` contains it."""

    name: str
    label: str | None  # description of the column in the file
    type: str  # of the values: "whole", "number", "date", "yes/no" or "text"
    kind: str  # how distances treat the values: "numeric", "nominal", "ordinal", ...
    why_kind: str  # the reason for the kind
    inferred: bool  # whether the kind differs from what the column's type in the table implies
    declare: Any  # the type as a plan would declare it; "" if it need not be declared
    formats: list[str]  # the possible formats of dates that can be read in two ways
    labels: dict[str, str]  # labels of the first few values
    missing_codes: list[str]  # values that seem to stand for missing ones
    missing: int  # number of missing values
    distinct: int  # number of distinct values, without missing ones
    unique: float  # share of the records with a unique value
    role: str | None  # the suggested role
    why: str  # the reason for the role
    hierarchy: dict[str, Any]  # keys of a type that would make it a hierarchy, if suggested
