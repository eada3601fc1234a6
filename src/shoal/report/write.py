"""Reports as files, in the format of their suffix."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from shoal.comparison.tradeoff import TradeoffPoint
from shoal.errors import FileError
from shoal.io.publish import Publication
from shoal.plan.release import ReleaseLike
from shoal.report.html import render
from shoal.report.identity import Identity, today
from shoal.report.summary import summarise
from shoal.report.text import whole_text


def as_json(summary: dict[str, Any]) -> str:
    """Return the summary as JSON."""
    return json.dumps(summary, indent=1, ensure_ascii=False) + "\n"


FORMATS = {".html": render, ".htm": render, ".json": as_json, ".txt": whole_text}


def check_report(path: Path) -> None:
    """Refuse a path whose suffix names no report format."""
    if path.suffix.lower() not in FORMATS:
        raise FileError(
            f"A report is an .html, .json or .txt file; {path.name!r} is none of them.",
            code="report-ending",
            file=path.name,
        )


def report_text(summary: dict[str, Any], path: Path) -> str:
    """Return the report in the format of ``path``."""
    check_report(path)
    return FORMATS[path.suffix.lower()](summary)


def write_report(
    release: ReleaseLike,
    path: Path,
    *,
    audience: str = "public",
    curve: Sequence[TradeoffPoint] = (),
    title: str = "",
    author: str = "",
    evidence: Mapping[str, Any] | None = None,
    force: bool = False,
) -> None:
    """Write the report on ``release`` to ``path``, completely or not at all."""
    identity = Identity(title, author, date=today())
    summary = summarise(release, audience, curve=curve, identity=identity, evidence=evidence)
    text = report_text(summary, path)
    with Publication(force=force) as publication:
        publication.add(path).write_text(text, encoding="utf-8")
