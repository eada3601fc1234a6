"""Hierarchies that the values of quasi-identifiers suggest."""

import math
from typing import Any

import numpy as np

from shoal.frame import tables
from shoal.frame.notation.date_formats import parse_date
from shoal.frame.notation.texts import text_of
from shoal.frame.tables import Frame
from shoal.inspection.column_entry import ColumnEntry

INTERVAL_WIDTHS = (5, 10, 20)  # widths of intervals, before scaling by a power of ten
MAX_INTERVALS = 30  # intervals of the narrowest width
MIN_DISTINCT = 20  # distinct values from which intervals or periods are suggested


def suggest_hierarchy(frame: Frame, entry: ColumnEntry) -> dict[str, Any]:
    """Return keys of a column's type that make it a hierarchy, or none if nothing suggests one.

    Numbers of many values get intervals, dates periods, and codes of equal length prefixes.
    """
    if entry["role"] != "quasi-identifier" or entry["distinct"] < MIN_DISTINCT or entry["formats"]:
        return {}
    if entry["kind"] == "numeric" and entry["type"] in ("whole", "number"):
        return _intervals(frame, entry)
    if entry["kind"] == "date":
        return {"periods": ["month", "quarter", "year"]} if _has_days(frame, entry) else {}
    if entry["kind"] == "nominal" and "codes" in entry["why_kind"]:
        return _prefixes(frame, entry["name"])
    return {}


def _intervals(frame: Frame, entry: ColumnEntry) -> dict[str, Any]:
    """Return round widths of intervals, the narrowest of which give at most `MAX_INTERVALS`."""
    values = tables.floats(frame[entry["name"]])
    values = values[np.isfinite(values)]
    value_range = float(np.ptp(values)) if len(values) else 0.0
    if value_range <= 0:
        return {}
    power = max(
        math.ceil(math.log10(value_range / (INTERVAL_WIDTHS[0] * MAX_INTERVALS))),
        0 if entry["type"] == "whole" else -300,
    )
    return {
        "intervals": [
            width * 10**power if power >= 0 else width / 10**-power for width in INTERVAL_WIDTHS
        ]
    }


def _has_days(frame: Frame, entry: ColumnEntry) -> bool:
    declared_type = entry["declare"]
    date_format = declared_type.get("format", "") if isinstance(declared_type, dict) else ""
    texts = {text_of(value) for value in tables.arrow(frame, entry["name"]).drop_null().to_pylist()}
    dates = [parse_date(text, date_format) for text in texts]
    return all(date is not None for date in dates) and any(date.day > 1 for date in dates if date)


def _prefixes(frame: Frame, name: str) -> dict[str, Any]:
    texts = {text_of(value) for value in tables.arrow(frame, name).drop_null().to_pylist()}
    length = max(map(len, texts), default=0)
    if length < 2:
        return {}
    return {"prefixes": list(range(length - 1, 0, -1))[:3]}
