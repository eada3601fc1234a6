"""Measured times of methods and measures."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from making.grid import grid

KINDS = {"clustered": "clustered", "gaussian": "Gaussian"}


@cache
def measurements(root: Path) -> list[dict[str, Any]]:
    """Return what `benchmarks/costs.py` found."""
    path = root / "benchmarks" / "results" / "costs.json"
    actual: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["measurements"]
    return actual


def table(root: Path, what: str, name: str) -> str:
    """Return the measured times of a method or a measure, or a note that there are none."""
    rows = [
        [
            f"{entry['n']:,}",
            KINDS.get(entry["kind"], entry["kind"]),
            str(entry["p"]),
            str(entry.get("k", "")),
            f"{entry['cpu_seconds']:.2g}",
            f"{entry['megabytes']:g}" if entry.get("megabytes") is not None else "",
        ]
        for entry in measurements(root)
        if entry["what"] in (what, "budget") and entry["name"] == name and "skipped" not in entry
    ]
    if not rows:
        return "It is not among the measurements of [costs.md](../costs.md)."
    head = ["Records", "Kind", "Columns", "k", "CPU seconds", "MB"]
    return (
        f"{grid(head, rows, 4)}\n\nMeasured by `benchmarks/costs.py`; [costs.md](../costs.md)"
        " says how, and compares all."
    )
