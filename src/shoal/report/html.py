"""A summary as one self-contained page."""

from pathlib import Path
from typing import Any

from shoal.release import Release
from shoal.report.layout import by_reason, numbers, shown, tables
from shoal.report.summary import summarise
from shoal.report.text import one_line
from shoal.table.publish import Publication


def render(summary: dict[str, Any]) -> str:
    """Return the page; names of columns and all else that comes from data are escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # a tenth of a second

    environment = Environment(
        loader=PackageLoader("shoal.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["shown"] = shown
    values = {entry["name"]: entry["value"] for entry in summary["measures"]}
    class_sizes = values.pop("class_sizes")
    return environment.get_template("report.html").render(
        summary,
        line=one_line(summary),
        about={entry["name"]: entry for entry in summary["measures"]},
        class_sizes=class_sizes,
        numbers=numbers(values),
        tables=tables(values),
        unmeasured=by_reason(summary["remarks"]),
    )


def write_report(release: Release, path: Path, *, force: bool = False) -> None:
    """Write the page of ``release`` to ``path``, whole or not at all."""
    with Publication(force=force) as publication:
        publication.add(path).write_text(render(summarise(release)), encoding="utf-8")
