"""Sessions of the page: each has a file and its runs, isolated from other sessions."""

import secrets
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from shoal._text import count
from shoal.app import labels, worker
from shoal.app.first_lines import detect_format, read_sample
from shoal.app.jobs import Job
from shoal.errors import FileError, ParameterError
from shoal.io.compression import compression_of, strip_compression_suffix
from shoal.io.dialect import Dialect
from shoal.io.formats import format_of
from shoal.plan import Plan
from shoal.steps import GroupingStep

MAX_SESSIONS = 20
MAX_RUNS = 200
NO_PROCESS = "Could not start a process for this task. Close other programs and try again."
ACTIVE_STATES = ("waiting", "running")


@dataclass(eq=False)
class BackgroundTask:
    """A task and its state: waiting, running, done, failed or cancelled."""

    state: str = "waiting"
    stage: str = ""
    done: int = 0
    total: int = 0
    reason: str = ""
    # Sheets to choose from, if the task failed because none was chosen.
    sheets: list[str] = field(default_factory=list)
    result: dict[str, Any] = field(default_factory=dict)
    job: Job | None = None

    def show_progress(self, stage: str, done: int, total: int) -> None:
        """Store the progress."""
        self.stage, self.done, self.total = stage, done, total

    @property
    def is_active(self) -> bool:
        """Whether the task is waiting or running."""
        return self.state in ACTIVE_STATES


@dataclass(eq=False)
class Run(BackgroundTask):
    """A run of a plan on the file, with the settings of the form."""

    number: int = 0
    plan: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    description: str = ""
    name: str = ""  # given by the user

    @property
    def title(self) -> str:
        """The name that the user gave the run, or else its description."""
        return self.name or self.description

    @property
    def folder(self) -> str:
        """Folder of the run's files, within the folder of the file."""
        return f"run-{self.number}"


def new_run(plan: Plan, settings: dict[str, str]) -> Run:
    """Return a run of a plan, described by its last step; its settings fill the form again."""
    step = plan.steps[-1]
    k = step.partitioner.k if isinstance(step, GroupingStep) else step.k
    method = labels.METHODS.get(settings.get("method", ""), labels.METHODS["auto"]).label
    effort = settings.get("effort")
    method += f" + {labels.EFFORTS[effort].label}" if effort in labels.EFFORTS and effort else ""
    label = labels.STEPS[step.name].label if step.name in labels.STEPS else step.name
    phrases = [label] if step.name != "microaggregate" else []
    phrases += [method] if isinstance(step, GroupingStep) else []
    phrases += [f"k = {k}"] if k is not None else []
    description = ", ".join(phrases)
    if len(plan.steps) > 1:
        description += f", after {count(len(plan.steps) - 1, 'other step')}"
    repeatable_settings = {**settings, "k": settings.get("k", "") if k is None else str(k)}
    return Run(plan=plan.to_dict(), settings=repeatable_settings, description=description)


class Session:
    """One session: a file, its inspection, settings and runs.

    Parameters
    ----------
    folder : Path
        Private folder of the session.
    """

    def __init__(self, folder: Path):
        self.id, self.secret = secrets.token_urlsafe(16), secrets.token_urlsafe(32)
        self.folder = folder
        # Increases with every change, so that a tab detects changes made in another.
        self.revision = 0
        self._run_lock = Lock()  # one run at a time: each may need all the memory
        self._state_lock = Lock()  # makes changes of state atomic
        self._generation = 0
        # Fields of the file format that the user filled in.
        self.stated_dialect: dict[str, str] = {}
        self.runs: list[Run] = []
        self.inspection: BackgroundTask | None = None
        self.clear()

    def clear(self) -> None:
        """Cancel all tasks, and remove the file and all results."""
        self._cancel_all()
        shutil.rmtree(self.folder, ignore_errors=True)
        self._generation += 1  # tells threads of earlier tasks that the file was replaced
        self.name: str = ""
        self.dialect = Dialect()
        self.inspection = None
        self.message = self.notice = ""
        self._reset()

    def _cancel_all(self) -> None:
        for task in [*self.runs, self.inspection]:
            if task is not None and task.is_active:
                self.cancel(task)

    def _reset(self) -> None:
        """Remove the runs and the settings."""
        self._run_count = 0
        self.runs = []
        self.hierarchies: dict[str, dict[str, Any]] = {}  # loaded from files, by a key
        self.settings: dict[str, str] = {}
        self.undo_stack: list[dict[str, str]] = []
        self.redo_stack: list[dict[str, str]] = []
        self.revision += 1

    @property
    def file_folder(self) -> Path:
        """The folder of the file, created on access."""
        folder = self.folder / str(self._generation)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return folder

    @property
    def columns(self) -> list[dict[str, Any]]:
        """The inspected columns, or none before the inspection is done."""
        return self.inspection.result.get("columns", []) if self.inspection else []

    @property
    def file(self) -> Path | None:
        """The stored file, or None if there is none."""
        path = self.folder / str(self._generation) / self.name
        return path if self.name and path.is_file() else None

    def new_upload(self) -> Path:
        """Return the path for a file that is being received, beside the folder of the session."""
        self.folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return self.folder.with_name(f"{self.folder.name}-{secrets.token_hex(8)}.part")

    def replace_file(self, received_file: Path, name: str) -> None:
        """Start over with a received file."""
        self.clear()
        received_file.rename(self.file_folder / name)

    def set_file(self, name: str) -> None:
        """Set the name of the stored file, which is not read yet."""
        self.name = name
        self.revision += 1

    def inspect(self, name: str, dialect: Dialect, example: str = "") -> None:
        """Start to inspect a file or an example in a job; remove all runs and settings."""
        self._cancel_all()
        for run in self.runs:
            shutil.rmtree(self.file_folder / run.folder, ignore_errors=True)
        self._reset()
        self.name, self.dialect = name, dialect
        self.inspection = BackgroundTask()
        arguments = {"name": name, "dialect": worker.dialect_entries(dialect), "example": example}
        Thread(
            target=self._execute, args=(self.inspection, "inspect", arguments), daemon=True
        ).start()

    def add_runs(self, runs: list[Run]) -> None:
        """Queue runs, which are executed one after the other."""
        if len(self.runs) + len(runs) > MAX_RUNS:
            raise ParameterError(
                f"A session can have at most {MAX_RUNS} runs. Delete some, or load the file again.",
                code="too-many-runs",
            )
        size = (self.file_folder / self.name).stat().st_size
        if shutil.disk_usage(self.file_folder).free < 2 * size * len(runs):
            raise FileError(
                "The disk is too full for another release. Free some space, or close the file.",
                code="disk-full",
            )
        for run in runs:
            self._run_count += 1
            run.number = self._run_count
            self.runs.append(run)
        Thread(target=self._execute_queue, args=(self.name, self.dialect), daemon=True).start()

    def cancel(self, task: BackgroundTask) -> None:
        """Cancel a task, or remove it from the queue."""
        with self._state_lock:
            if task.is_active:
                task.state = "cancelled"
        if task.state == "cancelled" and task.job is not None:
            task.job.cancel()

    def delete(self, run: Run) -> None:
        """Remove a run with its files; cancel it first if it is active."""
        self.cancel(run)
        self.runs = [other for other in self.runs if other is not run]
        shutil.rmtree(self.file_folder / run.folder, ignore_errors=True)

    def change(self, settings: dict[str, str]) -> None:
        """Store settings; `undo` restores the previous ones."""
        if settings != self.settings:
            self.undo_stack.append(self.settings)
            self.settings, self.redo_stack = settings, []
            self.revision += 1

    def undo(self) -> None:
        """Restore the previous settings."""
        if self.undo_stack:
            self.redo_stack.append(self.settings)
            self.settings = self.undo_stack.pop()
            self.revision += 1

    def redo(self) -> None:
        """Restore the settings that were undone."""
        if self.redo_stack:
            self.undo_stack.append(self.settings)
            self.settings = self.redo_stack.pop()
            self.revision += 1

    def _execute_queue(self, name: str, dialect: Dialect) -> None:
        with self._run_lock:
            for run in [run for run in self.runs if run.state == "waiting"]:
                arguments = {
                    "name": name,
                    "dialect": worker.dialect_entries(dialect),
                    "plan": run.plan,
                    "folder": run.folder,
                    "number": run.number,
                    "target": release_name(name),
                }
                self._execute(run, "mask", arguments)

    def _execute(self, task: BackgroundTask, name: str, arguments: dict[str, Any]) -> None:
        """Run the task ``name`` of `worker.TASKS` in a process and store its outcome.

        If the task fails or is cancelled, its files are removed.
        """
        with self._state_lock:
            if task.state != "waiting":
                return
            file_folder, task.state = self.file_folder, "running"
        folder = file_folder / arguments.get("folder", "")
        folder.mkdir(mode=0o700, exist_ok=True)
        try:
            task.job = Job(name, arguments, file_folder)
        except (OSError, EOFError):
            task.reason, task.state = NO_PROCESS, "failed"
            return
        if not task.is_active:  # cancelled while the process was being started
            task.job.cancel()
        answer = task.job.wait(task.show_progress)
        if task.state != "running":  # cancelled
            file_was_replaced = file_folder.name != str(self._generation)
            shutil.rmtree(file_folder if file_was_replaced else folder, ignore_errors=True)
        elif "done" in answer:
            task.result, task.state = answer["done"], "done"
        else:
            task.reason, task.sheets = answer["failed"], answer.get("sheets", [])
            if name == "mask":
                shutil.rmtree(folder, ignore_errors=True)
            elif not task.sheets and not is_text(file_folder / self.name):
                # Other reading options would not help.
                shutil.rmtree(file_folder, ignore_errors=True)
            task.state = "failed"


class Sessions:
    """All sessions of a server, in one private folder.

    Parameters
    ----------
    folder : Path
        Folder that contains the folder of each session.
    """

    def __init__(self, folder: Path):
        self._folder = folder
        self._sessions: dict[str, Session] = {}

    def open(self) -> Session:
        """Open a session; refuse if there are too many."""
        if len(self._sessions) >= MAX_SESSIONS:
            raise ParameterError(
                f"There are {MAX_SESSIONS} sessions already. Close one of them.",
                code="too-many-sessions",
            )
        session = Session(self._folder / secrets.token_hex(8))
        self._sessions[session.id] = session
        return session

    def get(self, id: str, secret: str) -> Session | None:
        """Return the session that ``id`` and ``secret`` open, or None if there is none."""
        session = self._sessions.get(id)
        if session is None or not secrets.compare_digest(session.secret, secret):
            return None
        return session

    def close(self, session: Session) -> None:
        """Close a session and remove its files."""
        self._sessions.pop(session.id, None)
        session.clear()

    def close_all(self) -> None:
        """Close all sessions."""
        for session in list(self._sessions.values()):
            self.close(session)


def is_text(path: Path) -> bool:
    """Return whether a file is a text table, whose first lines can be shown."""
    return format_of(path).name == "text" and detect_format(read_sample(path)) is not None


def release_name(name: str) -> str:
    """Return the name of the masked file.

    Examples
    --------
    >>> release_name("survey.csv.gz"), release_name("old.sas7bdat"), release_name("a.XLS")
    ('survey-release.csv.gz', 'old-release.xpt', 'a-release.xlsx')
    """
    compression = Path(name).suffix if compression_of(Path(name)) else ""
    path = strip_compression_suffix(Path(name))
    suffix = format_of(path).write_suffix or path.suffix  # some formats are read, not written
    return f"{path.stem}-release{suffix}{compression}"
