"""The tasks that run in separate processes: inspect a file, or mask it.

A process works in the folder of its file, so that messages contain file names without paths. It
communicates only through its pipe, because messages of libraries may contain values.
"""

import json
import logging
import os
import signal
import time
import warnings
from collections.abc import Sequence
from dataclasses import asdict
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from shoal import _progress as progress
from shoal import datasets
from shoal._progress_estimate import Estimate
from shoal.app.messages import message_of, page_wording
from shoal.audit import manifest as manifests
from shoal.audit.hashes import hash_key_path
from shoal.audit.manifest_files import ManifestFiles
from shoal.errors import FileError, ShoalError, ShoalWarning
from shoal.frame.description.preview import preview
from shoal.frame.inference.kinds import MISSING_WORDS
from shoal.inspection import inspect_source
from shoal.io.dialect import Dialect
from shoal.io.files import open_source, write
from shoal.io.size_limits import at_most_columns
from shoal.plan import Plan, Release
from shoal.plan.definition import document
from shoal.plan.deliver import Delivery, deliver
from shoal.report.html import render
from shoal.report.identity import Identity, today
from shoal.report.summary import summarise
from shoal.report.text import one_line

MAX_COLUMNS = 500  # of a table on the page
CATEGORICAL = ("nominal", "ordinal", "boolean")  # kinds whose values the page counts
MAX_NAME = 200  # characters of a column's name
REPORT_INTERVAL = 0.1  # seconds between two messages about progress


def run_task(task: str, arguments: str, folder: str, pipe: Connection) -> None:
    """Run a task and send its messages; the last one has the key ``done`` or ``failed``."""
    _ignore_signals_and_output()
    os.chdir(folder)
    reporter = _ProgressReporter(pipe)
    log = logging.getLogger("shoal")
    log.setLevel(logging.INFO)
    log.addHandler(_LogForwarder(reporter))
    try:
        with progress.reporting_to(reporter), warnings.catch_warnings():
            warnings.simplefilter("ignore", ShoalWarning)  # the report contains them
            answer: dict[str, Any] = {"done": TASKS[task](json.loads(arguments))}
    except ShoalError as error:
        answer = {"failed": message_of(error), "code": error.code}
        if error.attributes.get("sheets"):
            answer["sheets"] = [str(sheet) for sheet in error.attributes["sheets"]]
    except MemoryError:
        answer = {"failed": "There is not enough memory for this table. Nothing was released."}
    except Exception as error:
        # The message of an unexpected error may contain a value from the data.
        name = type(error).__name__
        answer = {"failed": f"Unexpected error ({name}). Nothing was released."}
    _send(pipe, answer)
    pipe.close()


def inspect_file(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the inspection and a preview of a file; an example is written to the file first."""
    name = arguments["name"]
    if arguments.get("example"):
        table = datasets.CATALOGUE[arguments["example"]].load(kind="pyarrow")
        write(table, name, target=Path(name))
    progress.report("reading", 0, 0)
    with at_most_columns(MAX_COLUMNS):
        source = open_source(name, dialect=Dialect(**arguments["dialect"]), numbers=())
    table = source.table
    check_page_limits(name, table.column_names)
    progress.report("inspecting the columns", 0, 0)
    inspection = inspect_source(source, name).to_dict()
    parsed_table = source.without_codes(_missing_words(inspection)).table_with_numbers(
        table.column_names
    )
    categorical = [
        column["name"] for column in inspection["columns"] if column["kind"] in CATEGORICAL
    ]
    labels = {column: metadata.value_labels for column, metadata in source.metadata.columns.items()}
    return {**inspection, **preview(table, parsed_table, categorical, labels)}


def _missing_words(inspection: dict[str, Any]) -> dict[str, list[str]]:
    """Return the words, such as NA, that mean a missing value in columns of numbers."""
    words_by_column = {
        column["name"]: [
            code for code in column["missing_codes"] if str(code).lower() in MISSING_WORDS
        ]
        for column in inspection["columns"]
        if column["kind"] == "numeric"
    }
    return {name: codes for name, codes in words_by_column.items() if codes}


def check_page_limits(name: str, columns: Sequence[str]) -> None:
    """Refuse tables with too many columns for the page, or with column names that are too long."""
    if len(columns) > MAX_COLUMNS:
        raise FileError(
            f"{name!r} has {len(columns):,} columns; the page shows at most {MAX_COLUMNS:,}. Use"
            " the command line, or leave columns out.",
            code="too-many-columns",
            file=name,
            count=len(columns),
        )
    longest = max(map(len, columns), default=0)
    if longest > MAX_NAME:
        raise FileError(
            f"A column of {name!r} has a name of {longest} characters; the page shows at most"
            f" {MAX_NAME}. Is the first line a header?",
            code="name-too-long",
            file=name,
            length=longest,
        )


def mask(arguments: dict[str, Any]) -> dict[str, Any]:
    """Run a plan; write release, plan, manifest and both reports, and return the result."""
    folder = Path(arguments["folder"])
    dialect = Dialect(**arguments["dialect"])
    target = arguments["target"]
    names = file_names(arguments["number"])
    reports: dict[str, str] = {}
    manifest_files = ManifestFiles(folder / names["manifest"])

    def report(delivery: Delivery, audience: str) -> str:
        sha256 = delivery.target.sha256 if delivery.target else ""
        identity = Identity(file=target, sha256=sha256, date=today())
        summary = summarise(delivery.release, audience, identity=identity, wording=page_wording)
        reports[audience] = render(summary)
        return reports[audience]

    def manifest(delivery: Delivery) -> str:
        entries = manifests.of_delivery(
            delivery,
            dialect,
            source=(arguments["name"], None),
            target=(target, None),
            hash_key=manifest_files.hash_key,
        )
        return manifests.dumps(manifests.with_report(entries, names["report"], reports["public"]))

    release = deliver(
        Plan.from_dict(arguments["plan"], None),
        arguments["name"],
        folder / target,
        dialect=dialect,
        documents={
            folder / names["report"]: lambda delivery: report(delivery, "public"),
            folder / names["internal"]: lambda delivery: report(delivery, "internal"),
            # With the seeds that were drawn, so that the plan repeats the release.
            folder / names["plan"]: lambda delivery: document.dumps(
                delivery.release.plan.to_dict()
            ),
            **manifest_files.documents(manifest),
        },
        secret=manifest_files.secret_files,
        fingerprints=True,
    ).release
    return run_result(release)


def file_names(number: int) -> dict[str, str]:
    """Return the names of the files of a run, except the release itself."""
    manifest = f"manifest-{number}.json"
    return {
        "plan": f"plan-{number}.toml",
        "report": f"report-{number}.html",
        "internal": f"report-{number}-internal.html",
        "manifest": manifest,
        "key": str(hash_key_path(manifest)),
    }


def run_result(release: Release) -> dict[str, Any]:
    """Return the content of a release for the page, as plain data."""
    summary = summarise(release, "public")
    verdict = release.verdict
    return {
        "line": one_line(summary),
        "status": verdict.status,
        "sentence": verdict.sentence,
        "findings": [
            {"severity": finding.severity, "sentence": finding.with_advice(page_wording)}
            for finding in verdict.findings
        ],
        "warnings": summary["warnings"],
        "methods": summary["methods"],
        "k": release.plan.k,
        "attained": release.measures["smallest_class"],
        "loss": release.measures.get("information_loss"),
        "risk": release.measures["reidentification"]["marketer"],
    }


TASKS = {"inspect": inspect_file, "mask": mask}


class _ProgressReporter:
    """Send the overall progress as a phrase, at most once per ``REPORT_INTERVAL`` and stage."""

    def __init__(self, pipe: Connection):
        self._pipe = pipe
        self._stage = ""
        self._last_time = 0.0
        self._estimate = Estimate()

    def __call__(self, stage: str, done: int, total: int) -> None:
        phrase = self._estimate.update(stage, done, total)
        now = time.monotonic()
        if stage != self._stage or now - self._last_time >= REPORT_INTERVAL:
            self._stage = stage
            self._last_time = now
            self.send(f"{phrase}, {self._estimate.describe_time()}")

    def send(self, phrase: str) -> None:
        """Send a phrase about the current task, with the share that is done."""
        done = round(1000 * self._estimate.share)
        _send(self._pipe, {"stage": phrase, "done": done, "total": 1000})


class _LogForwarder(logging.Handler):
    """Forward log messages, such as that kernels are being compiled, as progress."""

    def __init__(self, reporter: _ProgressReporter):
        super().__init__()
        self._reporter = reporter

    def emit(self, record: logging.LogRecord) -> None:
        self._reporter.send(record.getMessage())


def _send(pipe: Connection, message: dict[str, Any]) -> None:
    try:
        pipe.send_bytes(json.dumps(message).encode())
    except OSError:
        os._exit(1)  # the server is gone


def _ignore_signals_and_output() -> None:
    """Leave Ctrl-C to the server, and discard all output."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(null, stream)


def dialect_entries(dialect: Dialect) -> dict[str, Any]:
    """Return a dialect as plain data for the arguments of a task."""
    return asdict(dialect)
