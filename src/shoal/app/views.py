"""Rendering of sessions with templates."""

import secrets
import shlex
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from shoal.app import column_settings, first_lines, form, labels, run_phrases
from shoal.app.messages import inspection_remarks
from shoal.app.requests import as_dialect
from shoal.app.risk_utility_map import draw_runs, front_of, recommend
from shoal.app.sessions import BackgroundTask, Run, Session, is_text, release_name
from shoal.app.worker import file_names
from shoal.errors import ShoalError
from shoal.inspection.text import join_columns
from shoal.io.dialect import Dialect
from shoal.io.formats import FORMATS
from shoal.report.html import styles, with_unbroken_percentages

EXAMPLES = ("survey", "sme")
EXAMPLE_DESCRIPTIONS = {
    "survey": "1,000 invented people of a health survey",
    "sme": "eleven companies, small enough to follow by hand",
}
# Fixed-width text needs a second file, and a database the name of a table.
WEB_FORMATS = [
    file_format for file_format in FORMATS if file_format.name not in ("fixed-width text", "DuckDB")
]
STATIC = {
    "app.css": "text/css",
    "app.js": "text/javascript",
    "common.js": "text/javascript",
    "upload.js": "text/javascript",
    "settings.js": "text/javascript",
    "runs.js": "text/javascript",
}


def whole_page(session: Session, limit: int) -> str:
    """Return the page of a session: without a file, while it is read, or with a table."""
    inspection = session.inspection
    common = {"message": session.message, "notice": session.notice, "revision": session.revision}
    if inspection is None or inspection.state in ("failed", "cancelled"):
        reason = inspection.reason if inspection else ""
        return page(
            "start.html",
            **common | {"message": session.message or reason},
            limit=limit,
            formats=[(file_format.name, file_format.suffixes) for file_format in WEB_FORMATS],
            examples=EXAMPLE_DESCRIPTIONS,
            reading=_reading_content(session),
            name=session.name,
        )
    if inspection.is_active:
        return page("reading.html", **common, name=session.name, task=inspection)
    return page(
        "table.html",
        **common,
        name=session.name,
        inspection=inspection.result,
        types=labels.TYPES,
        noticed=inspection_remarks(inspection.result["sentences"]),
        join_columns=join_columns,
        settings=session.settings,
        reading=_reading_content(session),
        undo=bool(session.undo_stack),
        redo=bool(session.redo_stack),
        earlier_steps=[
            form.describe_step(settings, session.columns)
            for settings in form.earlier_steps(session.settings)
        ],
        step_columns=session.settings.get("step_columns", "").split(),
        **form.catalogue(),
        **_run_content(session),
    )


def _reading_content(session: Session) -> dict[str, Any]:
    """Return the reading options of the stored file, with the first lines of a text file."""
    file = session.file
    inspection = session.inspection
    sheets = inspection.sheets if inspection else []
    if file is None or not (is_text(file) or sheets):
        return {
            "fields": session.stated_dialect,
            "text": True,
            "lines": "",
            "sheets": [],
            "stored": False,
        }
    fields = dict(session.stated_dialect)
    if is_text(file):
        detected = first_lines.detect_format(first_lines.read_sample(file))
        detected_settings = detected.to_dict() if detected else {}
        if inspection and inspection.state == "done":  # the file was read without it
            detected_settings.pop("missing", None)
        for name, value in detected_settings.items():
            fields[name] = fields.get(name) or {"\t": "tab"}.get(value, value)
    table = _lines_of(file, fields) if is_text(file) else ""
    return {
        "fields": fields,
        "text": is_text(file),
        "lines": table,
        "sheets": sheets,
        "stored": True,
    }


def _lines_of(file: Path, fields: dict[str, str]) -> str:
    try:
        return lines(file, as_dialect(fields))
    except ShoalError:
        return lines(file, Dialect())


def lines(file: Path | None, dialect: Dialect | None = None, *, reason: str = "") -> str:
    """Return the first lines of a file as an HTML table, or the reason why there are none."""
    content = {"rows": [], "message": reason}
    if file is not None and dialect is not None:
        content = first_lines.preview_lines(file, dialect)
    return page("lines.html", **content)


def runs(session: Session) -> str:
    """Return the part of the page that shows the runs."""
    return page("runs.html", **_run_content(session))


def column(session: Session, index: int) -> str:
    """Return the details of a column."""
    entry = session.columns[index]
    key = session.settings.get(f"hierarchy:{index}", "")
    loaded = session.hierarchies.get(key)
    formats = dict(column_settings.FORMATS)
    for date_format in (*entry.get("formats", ()), session.settings.get(f"format:{index}", "")):
        formats.setdefault(date_format, date_format)
    return page(
        "column.html",
        index=index,
        column=entry,
        settings=session.settings,
        kinds=labels.KINDS,
        types=labels.TYPES,
        formats=formats,
        rules=column_settings.RULE_LABELS,
        rule_help=column_settings.RULE_HELP,
        aggregates=column_settings.AGGREGATES,
        loaded=describe_levels(loaded) if loaded else "",
    )


def describe_levels(loaded: dict[str, Any]) -> str:
    """Return a line that describes levels loaded from a file."""
    rows = loaded["rows"]
    return f"{loaded['name']}: {len(rows):,} values, {len(rows[0])} levels"


def state(session: Session) -> dict[str, Any]:
    """Return the progress that the page polls."""
    inspection = session.inspection
    queue = _queue_phrases(session)
    return {
        "reading": inspection is not None and inspection.is_active,
        "revision": session.revision,
        "file": None if inspection is None else _progress(inspection),
        "runs": [
            {
                "number": run.number,
                "announcement": run_phrases.announcement_sentence(run),
                **_progress(run),
                **({"stage": queue[run.number]} if run.state == "waiting" else {}),
            }
            for run in session.runs
        ],
    }


def _queue_phrases(session: Session) -> dict[int, str]:
    """Return the position in the queue of each waiting run, by its number."""
    return {
        run.number: run_phrases.queue_phrase(run, session.runs)
        for run in session.runs
        if run.state == "waiting"
    }


def _progress(task: BackgroundTask) -> dict[str, Any]:
    return {"stage": task.stage, "done": task.done, "total": task.total, "state": task.state}


def command(session: Session, run: Run) -> str:
    """Return the command that repeats a run."""
    dialect = session.dialect
    options = {
        "--separator": dialect.separator,
        "--decimal": dialect.decimal if dialect.decimal != "." else None,
        "--encoding": dialect.encoding if dialect.encoding != "utf-8" else None,
        "--missing-text": dialect.missing or None,
        "--sheet": dialect.sheet,
    }
    plan = file_names(run.number)["plan"]
    arguments = ["shoal", "run", plan, session.name, release_name(session.name)]
    arguments += [word for name, value in options.items() if value for word in (name, value)]
    return shlex.join(arguments)


def _run_content(session: Session) -> dict[str, Any]:
    front = front_of(session.runs)
    best, reason = recommend(session.runs)
    return {
        "runs": session.runs[::-1],
        "front": front,
        "best": best,
        "recommendation": reason,
        "map": draw_runs(session.runs, front, best),
        "commands": {run.number: command(session, run) for run in session.runs},
        "chosen": {run.number: run_phrases.chosen_method_sentence(run) for run in session.runs},
        "queue": _queue_phrases(session),
        "files": {run.number: file_names(run.number) for run in session.runs},
        "under_way": any(run.is_active for run in session.runs),
    }


def ended_page() -> tuple[str, str]:
    """Return the last page of a session, with its own style, and the policy for it."""
    nonce = secrets.token_urlsafe(16)
    style = (styles() + _static_text("app.css")).replace("</", "<\\/")
    policy = f"default-src 'none'; style-src 'nonce-{nonce}'; base-uri 'none'"
    return page("ended.html", style=style, nonce=nonce), f"{policy}; frame-ancestors 'none'"


def static(name: str) -> tuple[str, str] | None:
    """Return a static file and its media type, or None if there is no such file."""
    if name == "figures.css":
        return styles(), "text/css"
    return (_static_text(name), STATIC[name]) if name in STATIC else None


def _static_text(name: str) -> str:
    return (resources.files("shoal.app") / "static" / name).read_text(encoding="utf-8")


def page(template: str, **content: Any) -> str:
    """Return a rendered template, with all data escaped."""
    return with_unbroken_percentages(str(_environment().get_template(template).render(**content)))


@cache
def _environment() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("shoal.app"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
