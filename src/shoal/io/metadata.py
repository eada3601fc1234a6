"""Metadata of a file: labels, formats, missing codes and free text."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from shoal.frame.arrow_types import without_dictionary

# Kinds of metadata whose meaning depends on the family of the file format.
FAMILY_SPECIFIC = ("missing codes", "formats", "levels of measurement")


@dataclass(frozen=True, eq=False)
class ColumnMetadata:
    """Metadata of one column.

    Parameters
    ----------
    label : str or None
        Description of the column.
    value_labels : dict
        Labels of single values; a letter stands for a missing code.
    format : str or None
        Display format, as the file's family writes it.
    measure : str or None
        Level of measurement: ``"nominal"``, ``"ordinal"`` or ``"scale"``.
    width : int or None
        Display width.
    missing : list
        Values and ranges declared as missing.
    codes : pyarrow.Array or None
        Missing code of each cell, or null.
    sql_type : str or None
        Type of the column in a database.
    releasable_metadata : dict
        Schema metadata that may be released, by key.
    other_metadata : dict
        Other schema metadata, by key.
    """

    label: str | None = None
    value_labels: Mapping[Any, str] = field(default_factory=dict)
    format: str | None = None
    measure: str | None = None
    width: int | None = None
    missing: list[Any] = field(default_factory=list)
    codes: pa.Array | None = None
    sql_type: str | None = None
    releasable_metadata: Mapping[str, str] = field(default_factory=dict)
    other_metadata: Mapping[str, str] = field(default_factory=dict)

    def for_new_values(self, values: pa.ChunkedArray) -> "ColumnMetadata":
        """Return the metadata that is still valid and safe for masked values.

        A mean could equal a missing code, a format without decimals would hide decimals, and
        schema metadata may contain the original extremes. Labels are kept only for values that
        still occur: the others would disclose values of the original.
        """
        display_format = self.format if pa.types.is_temporal(values.type) else None
        return replace(
            self,
            value_labels=_labels_in_use(self.value_labels, values),
            format=display_format,
            missing=[],
            codes=None,
            sql_type=None,
            other_metadata={},
        )


_KINDS_OF_METADATA: dict[str, Callable[[ColumnMetadata], Any]] = {
    "labels": lambda metadata: metadata.label,
    "value labels": lambda metadata: metadata.value_labels,
    "missing codes": lambda metadata: metadata.missing or metadata.codes is not None,
    "formats": lambda metadata: metadata.format,
    "levels of measurement": lambda metadata: metadata.measure,
}


@dataclass(frozen=True, eq=False)
class FileMetadata:
    """Metadata of a file.

    Parameters
    ----------
    family : str
        Software family that formats and missing codes belong to, such as ``"stata"``.
    columns : dict
        Metadata of columns, by name.
    free_text : dict
        Free text about the whole file, by description.
    pandas_metadata : dict or None
        Metadata that pandas wrote.
    """

    family: str = ""
    columns: Mapping[str, ColumnMetadata] = field(default_factory=dict)
    free_text: Mapping[str, Any] = field(default_factory=dict)
    pandas_metadata: Mapping[str, Any] | None = None

    LABEL = "the file's label"
    NOTES = "its notes"

    def of_column(self, name: str) -> ColumnMetadata:
        """Return the metadata of one column."""
        return self.columns.get(name, ColumnMetadata())

    def for_release(
        self, data: pa.Table, unchanged: Collection[str], *, keep_free_text: bool = False
    ) -> "FileMetadata":
        """Return the metadata to release with ``data``: of its columns only, without free text.

        Free text may name persons or dropped columns, which no program can detect; pass
        ``keep_free_text`` once it has been checked.
        """
        columns = {}
        for name in data.column_names:
            metadata = self.of_column(name)
            if name not in unchanged:
                metadata = metadata.for_new_values(data.column(name))
            columns[name] = metadata if keep_free_text else replace(metadata, other_metadata={})
        return replace(self, columns=columns, free_text=self.free_text if keep_free_text else {})

    def describe_unreleased_text(self, *, keep_free_text: bool = False) -> list[str]:
        """Return a sentence about the free text that is not released, if there is any."""
        names = [name for name, text in self.free_text.items() if text]
        if keep_free_text or not names:
            return []
        return [
            f"Free text about the whole file is not released: {', '.join(names)}. It may name"
            " persons; read it, and if it may be published, use --keep-notes on the command line."
        ]

    def describe_loss(self, kind: str, supported: Collection[str], family: str) -> list[str]:
        """Return a sentence about metadata that a format cannot hold.

        ``supported`` lists the kinds of metadata and the free text that it can hold.
        """
        lost = [name for name, text in self.free_text.items() if text and name not in supported]
        for noun, get_metadata in _KINDS_OF_METADATA.items():
            names = [name for name, metadata in self.columns.items() if get_metadata(metadata)]
            is_foreign = noun in FAMILY_SPECIFIC and family != self.family
            if noun == "missing codes" and {family, self.family} == {"sas", "stata"}:
                is_foreign = False  # both use letters
            if names and (noun not in supported or is_foreign):
                first_names = ", ".join(repr(name) for name in names[:3])
                lost.append(f"{noun} of {first_names}{' and others' if len(names) > 3 else ''}")
        return [f"{kind} cannot hold: {'; '.join(lost)}."] if lost else []


def _labels_in_use(labels: Mapping[Any, str], values: pa.ChunkedArray) -> dict[Any, str]:
    """Return the labels of values that occur in a column; text may be labelled by a number."""
    if not labels:
        return {}
    present = set(pc.unique(without_dictionary(values)).to_pylist())
    present |= {value for value in labels if str(value) in present}
    return {value: label for value, label in labels.items() if value in present}


def with_codes(column: pa.Array, codes: pa.Array | None) -> pa.Array:
    """Return the column with its missing codes in place."""
    return column if codes is None else pc.coalesce(codes.cast(column.type), column)
