"""Metadata in Arrow schemas.

Any program may have written this metadata, which may name dropped columns or contain the extremes
of a column. So only keys that are known to be harmless are released, and the metadata of pandas is
created anew for the released columns.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from shoal.io.metadata import ColumnMetadata, FileMetadata
from shoal.io.source import Source

LABELS = ("label", "description", "comment", "long_name")
HARMLESS = ("unit", "units", "PARQUET:field_id")
SUPPORTED_METADATA = ("labels", "value labels")
VALUE_LABELS = "value_labels"
_NUMPY_TYPE = re.compile(
    r"(U?Int|u?int)\d+|bool(ean)?|object|str(ing)?(\[\w+\])?|category|datetime64\[[\w, /+-]+\]"
)


def source_of(table: pa.Table) -> Source:
    """Return a table read by Arrow with its metadata, in types that Arrow's functions support.

    The offsets or codes of a damaged file may point outside the table, which would crash the
    process later; the full validation refuses such a table.
    """
    table.validate(full=True)
    metadata = metadata_of(table.schema)
    for i, field in enumerate(table.schema):
        supported = _supported_type(field.type)
        if supported != field.type:
            column = table.column(i).cast(supported)
            table = table.set_column(i, field.with_type(supported), column)
    return Source(table, metadata)


def metadata_of(schema: pa.Schema) -> FileMetadata:
    """Return the metadata of a schema."""
    free_text = _decode(schema.metadata)
    pandas_metadata = _parse_json(free_text.pop("pandas", ""))
    return FileMetadata(
        family="arrow",
        columns={field.name: _parse_column_metadata(_decode(field.metadata)) for field in schema},
        free_text=free_text,
        pandas_metadata=pandas_metadata if isinstance(pandas_metadata, dict) else None,
    )


def with_schema_metadata(source: Source) -> pa.Table:
    """Return the table with the metadata of its file in its schema."""
    table, metadata = source.table, source.metadata
    fields = [
        field.with_metadata(_column_entries(metadata.of_column(field.name)) or None)
        for field in table.schema
    ]
    entries = {str(key): str(text) for key, text in metadata.free_text.items() if text}
    if metadata.pandas_metadata is not None:
        entries["pandas"] = json.dumps(_pandas_metadata(metadata.pandas_metadata, table))
    return pa.Table.from_arrays(table.columns, schema=pa.schema(fields, entries or None))


def _parse_column_metadata(entries: dict[str, str]) -> ColumnMetadata:
    label = next((entries[key] for key in LABELS if entries.get(key)), None)
    pairs = _parse_json(entries.pop(VALUE_LABELS, ""))
    value_labels = {
        pair[0]: str(pair[1])
        for pair in (pairs if isinstance(pairs, list) else [])
        if isinstance(pair, list) and len(pair) == 2 and not isinstance(pair[0], list | dict)
    }
    releasable_keys = (*LABELS, *HARMLESS)
    return ColumnMetadata(
        label=label,
        value_labels=value_labels,
        releasable_metadata={key: text for key, text in entries.items() if key in releasable_keys},
        other_metadata={key: text for key, text in entries.items() if key not in releasable_keys},
    )


def _column_entries(metadata: ColumnMetadata) -> dict[str, str]:
    entries = {**metadata.other_metadata, **metadata.releasable_metadata}
    if metadata.label and metadata.label not in entries.values():
        entries["label"] = metadata.label
    if metadata.value_labels:
        pairs = [[value, label] for value, label in metadata.value_labels.items()]
        entries[VALUE_LABELS] = json.dumps(pairs, ensure_ascii=False)
    return entries


def _pandas_metadata(pandas_metadata: Mapping[str, Any], table: pa.Table) -> dict[str, Any]:
    """Return the metadata of pandas for the released columns only."""
    schema = pa.Schema.from_pandas(
        table.slice(0, 0).to_pandas(ignore_metadata=True), preserve_index=False
    )
    new_metadata: dict[str, Any] = json.loads(schema.metadata[b"pandas"])
    index = [
        name
        for name in _list_of_entries(pandas_metadata, "index_columns")
        if name in table.column_names
    ]
    new_metadata["index_columns"] = index
    original_types = {
        column["field_name"]: column.get("numpy_type")
        for column in _list_of_entries(pandas_metadata, "columns")
        if isinstance(column, dict) and isinstance(column.get("field_name"), str)
    }
    types = dict(zip(table.column_names, table.schema.types, strict=True))
    for column in new_metadata["columns"]:
        name = column["field_name"]
        if name in index and name.startswith("__index_level_"):
            column["name"] = None
        original_type = original_types.get(name)
        if _NUMPY_TYPE.fullmatch(str(original_type)) and not pa.types.is_floating(types[name]):
            column["numpy_type"] = original_type
    return new_metadata


def _list_of_entries(pandas_metadata: Mapping[str, Any], key: str) -> list[Any]:
    entries = pandas_metadata.get(key)
    return entries if isinstance(entries, list) else []


def _supported_type(arrow_type: pa.DataType) -> pa.DataType:
    """Return the type with views replaced, which many Arrow functions do not support."""
    if pa.types.is_dictionary(arrow_type):
        return pa.dictionary(
            arrow_type.index_type, _supported_type(arrow_type.value_type), arrow_type.ordered
        )
    views = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
    return views.get(arrow_type, arrow_type)


def _decode(metadata: Mapping[bytes, bytes] | None) -> dict[str, str]:
    """Return metadata as text; entries that are not valid UTF-8 are dropped."""
    decoded = {}
    for key, value in (metadata or {}).items():
        try:
            decoded[key.decode()] = value.decode()
        except UnicodeDecodeError:
            continue
    return decoded


def _parse_json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None
