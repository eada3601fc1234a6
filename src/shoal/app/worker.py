"""The tasks of jobs, in processes of their own: inspect a file, or mask it.

A process works in the folder of its session, so that messages contain file names without paths, and
communicates only through its pipe: messages of libraries may contain values.
"""

import json
import logging
import os
import signal
import time
import warnings
from dataclasses import asdict
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from shoal import _progress as progress
from shoal import datasets
from shoal.app.form import page_wording
from shoal.errors import FileError, ShoalError, ShoalWarning
from shoal.inspection import inspect_source
from shoal.io.dialect import Dialect
from shoal.io.files import open_source, write
from shoal.plan import Plan, document
from shoal.plan.deliver import Delivery, deliver
from shoal.report import Identity, one_line, render, summarise, today

MAX_COLUMNS = 500  # that the page shows
MAX_NAME = 200  # characters of a column's name
REPORT_INTERVAL = 0.1  # seconds between two messages about progress
PLAN, PUBLIC, INTERNAL = "plan.toml", "report.html", "internal.html"


def work(task: str, order: str, folder: str, pipe: Connection) -> None:
    """Run a task and send its messages; the last one has the key ``done`` or ``failed``."""
    _silence()
    os.chdir(folder)
    reporter = _ProgressReporter(pipe)
    log = logging.getLogger("shoal")
    log.setLevel(logging.INFO)
    log.addHandler(_LogForwarder(reporter))
    try:
        with progress.reporting_to(reporter), warnings.catch_warnings():
            warnings.simplefilter("ignore", ShoalWarning)  # the report contains them
            answer: dict[str, Any] = {"done": TASKS[task](json.loads(order))}
    except ShoalError as error:
        answer = {"failed": error.message_for(page_wording)}
    except MemoryError:
        answer = {"failed": "There is not enough memory for this table. Nothing was released."}
    except Exception as error:
        # The message of an unexpected error may contain a value from the data.
        name = type(error).__name__
        answer = {"failed": f"Unexpected error ({name}). Nothing was released."}
    _send(pipe, answer)
    pipe.close()


def inspect_file(order: dict[str, Any]) -> dict[str, Any]:
    """Return the inspection of a file, or of an example written to it."""
    name = order["name"]
    if order.get("example"):
        table = datasets.CATALOGUE[order["example"]].load(kind="pyarrow")
        write(table, name, target=Path(name))
    progress.report("reading", 0, 0)
    opened = open_source(name, dialect=Dialect(**order["dialect"]), numbers=())
    table = opened.table
    if table.num_columns > MAX_COLUMNS:
        raise FileError(
            f"{name!r} has {table.num_columns} columns; the page shows at most {MAX_COLUMNS}. Use"
            " the command line, or leave columns out.",
            code="too-many-columns",
            file=name,
            count=table.num_columns,
        )
    longest = max(map(len, table.column_names), default=0)
    if longest > MAX_NAME:
        raise FileError(
            f"A column of {name!r} has a name of {longest} characters; the page shows at most"
            f" {MAX_NAME}. Is the first line a header?",
            code="name-too-long",
            file=name,
            length=longest,
        )
    progress.report("inspecting the columns", 0, 0)
    return inspect_source(opened, name).to_dict()


def mask(order: dict[str, Any]) -> dict[str, Any]:
    """Run a plan; write release, plan and both reports to a folder, and return the figures."""
    folder = Path(order["folder"])
    made = deliver(
        Plan.from_dict(order["plan"], None),
        order["name"],
        folder / order["target"],
        dialect=Dialect(**order["dialect"]),
        documents={
            folder / PUBLIC: lambda delivery: _report(delivery, order["target"], "public"),
            folder / INTERNAL: lambda delivery: _report(delivery, order["target"], "internal"),
            # With its seeds: it repeats the release.
            folder / PLAN: lambda delivery: document.dumps(delivery.release.plan.to_dict()),
        },
        fingerprints=True,
    ).release
    summary = summarise(made, "public")
    return {
        "line": one_line(summary),
        "verdict": summary["verdict"],
        "kept": summary["promise"]["kept"],
        "warnings": summary["warnings"],
        "methods": summary["methods"],
        "k": made.plan.k,
        "attained": made.measures["smallest_class"],
        "loss": made.measures.get("information_loss"),
        "risk": made.measures["reidentification"]["marketer"],
    }


def _report(delivery: Delivery, file: str, audience: str) -> str:
    sha256 = delivery.target.sha256 if delivery.target else ""
    identity = Identity(file=file, sha256=sha256, date=today())
    return render(summarise(delivery.release, audience, identity=identity))


TASKS = {"inspect": inspect_file, "mask": mask}


class _ProgressReporter:
    """Sends progress, at most once per ``REPORT_INTERVAL`` and stage."""

    def __init__(self, pipe: Connection):
        self._pipe, self._stage, self._last = pipe, "", 0.0

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        if stage != self._stage or now - self._last >= REPORT_INTERVAL:
            self._stage, self._last = stage, now
            _send(self._pipe, {"stage": stage, "done": int(done), "total": int(total)})


class _LogForwarder(logging.Handler):
    """Forwards log messages as progress, such as that kernels are being compiled."""

    def __init__(self, reporter: _ProgressReporter):
        super().__init__()
        self._reporter = reporter

    def emit(self, record: logging.LogRecord) -> None:
        self._reporter(record.getMessage(), 0, 0)


def _send(pipe: Connection, message: dict[str, Any]) -> None:
    try:
        pipe.send_bytes(json.dumps(message).encode())
    except OSError:
        os._exit(1)  # the server is gone


def _silence() -> None:
    """Leave Ctrl-C to the server, and print nothing."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(null, stream)


def dialect_entries(dialect: Dialect) -> dict[str, Any]:
    """Return a dialect as plain data for an order."""
    return asdict(dialect)
