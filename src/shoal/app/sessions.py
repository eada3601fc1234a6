"""Who is there, with which file and which runs. Nothing of one session is seen by another."""

import secrets
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from shoal.app import worker
from shoal.app.jobs import Job
from shoal.errors import FileError, ParameterError
from shoal.io.compression import compression_of, strip_compression_suffix
from shoal.io.dialect import Dialect

MOST_SESSIONS = 20
MOST_RUNS = 200
NO_PROCESS = "No process could be started for this work. Close other programs and try again."
UNDER_WAY = ("waiting", "running")


@dataclass(eq=False)
class Work:
    """Something under way or over: waiting, running, done, failed or cancelled."""

    state: str = "waiting"
    stage: str = ""
    done: int = 0
    total: int = 0
    reason: str = ""
    result: dict[str, Any] = field(default_factory=dict)
    job: Job | None = None

    def tell(self, stage: str, done: int, total: int) -> None:
        """Note how far it is."""
        self.stage, self.done, self.total = stage, done, total

    @property
    def under_way(self) -> bool:
        """Whether it is not over."""
        return self.state in UNDER_WAY


@dataclass(eq=False)
class Run(Work):
    """A plan that is run on the file, with the settings that it was made of."""

    number: int = 0
    plan: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    words: str = ""

    @property
    def folder(self) -> str:
        """Where its files lie, in the folder of the session."""
        return f"run-{self.number}"


class Session:
    """One person at one tab: a file, what is known of it, settings and runs.

    Parameters
    ----------
    folder : Path
        A private folder of its own.
    """

    def __init__(self, folder: Path):
        self.id, self.secret = secrets.token_urlsafe(16), secrets.token_urlsafe(32)
        self.folder = folder
        self._queue = Lock()  # one run at a time: each may need all the memory
        self._turn = Lock()  # a state changes in one go
        self._began = 0
        self.forget()

    def forget(self) -> None:
        """End all work, and remove the file and everything made of it."""
        for run in [*getattr(self, "runs", []), getattr(self, "looking", None)]:
            if run is not None and run.under_way:
                self.cancel(run)
        shutil.rmtree(self.folder, ignore_errors=True)
        self._began += 1  # threads of work that was ended see that it is not theirs any more
        self.name: str = ""
        self.dialect = Dialect()
        self.looking: Work | None = None
        self.runs: list[Run] = []
        self.message = ""
        self.settings: dict[str, str] = {}
        self.past: list[dict[str, str]] = []
        self.future: list[dict[str, str]] = []

    @property
    def place(self) -> Path:
        """The folder for the file; it is there only while there is one."""
        found = self.folder / str(self._began)
        found.mkdir(parents=True, exist_ok=True, mode=0o700)
        return found

    @property
    def columns(self) -> list[dict[str, Any]]:
        """What is known about the columns; nothing before the file was looked at."""
        return self.looking.result.get("columns", []) if self.looking else []

    def look(self, name: str, dialect: Dialect, example: str = "") -> None:
        """Look at the file of that name, or at an example, in a job."""
        self.name, self.dialect = name, dialect
        self.looking = Work()
        order = {"name": name, "dialect": worker.plain(dialect), "example": example}
        Thread(target=self._do, args=(self.looking, "look", order), daemon=True).start()

    def add_runs(self, runs: list[Run]) -> None:
        """Queue runs; they are made one after the other."""
        if len(self.runs) + len(runs) > MOST_RUNS:
            raise ParameterError(
                f"A session holds at most {MOST_RUNS} runs. Load the file anew.",
                code="too-many-runs",
            )
        size = (self.place / self.name).stat().st_size
        if shutil.disk_usage(self.place).free < 2 * size * len(runs):
            raise FileError(
                "The disk is too full for another release. Make room, or close files.",
                code="disk-full",
            )
        for run in runs:
            run.number = len(self.runs) + 1
            self.runs.append(run)
        Thread(target=self._work_off, daemon=True).start()

    def cancel(self, work: Work) -> None:
        """End a job, or take it out of the queue."""
        with self._turn:
            if work.under_way:
                work.state = "cancelled"
        if work.state == "cancelled" and work.job is not None:
            work.job.cancel()

    def change(self, settings: dict[str, str]) -> None:
        """Take settings, and remember the ones before."""
        if settings != self.settings:
            self.past.append(self.settings)
            self.settings, self.future = settings, []

    def undo(self) -> None:
        """Go back to the settings before."""
        if self.past:
            self.future.append(self.settings)
            self.settings = self.past.pop()

    def redo(self) -> None:
        """Take the settings that were undone."""
        if self.future:
            self.past.append(self.settings)
            self.settings = self.future.pop()

    def _work_off(self) -> None:
        with self._queue:
            for run in [run for run in self.runs if run.state == "waiting"]:
                order = {
                    "name": self.name,
                    "dialect": worker.plain(self.dialect),
                    "plan": run.plan,
                    "folder": run.folder,
                    "target": release_name(self.name),
                }
                self._do(run, "mask", order)

    def _do(self, work: Work, task: str, order: dict[str, Any]) -> None:
        with self._turn:
            if work.state != "waiting":
                return
            place, work.state = self.place, "running"
        made = place / order.get("folder", "")
        made.mkdir(mode=0o700, exist_ok=True)
        try:
            work.job = Job(task, order, place)
        except (OSError, EOFError):
            work.reason, work.state = NO_PROCESS, "failed"
            return
        if not work.under_way:  # cancelled while the process was being started
            work.job.cancel()
        answer = work.job.wait(work.tell)
        if work.state != "running":
            gone = place if place.name != str(self._began) else made
            shutil.rmtree(gone, ignore_errors=True)
        elif "done" in answer:
            work.result, work.state = answer["done"], "done"
        else:
            shutil.rmtree(place if task == "look" else made, ignore_errors=True)
            work.reason, work.state = answer["failed"], "failed"


class Sessions:
    """All sessions of a server, in one private folder.

    Parameters
    ----------
    folder : Path
        The folder.
    """

    def __init__(self, folder: Path):
        self._folder = folder
        self._known: dict[str, Session] = {}

    def open(self) -> Session:
        """Make a session; refuse where there are too many."""
        if len(self._known) >= MOST_SESSIONS:
            raise ParameterError(
                f"There are {MOST_SESSIONS} sessions already. Close one of them.",
                code="too-many-sessions",
            )
        session = Session(self._folder / secrets.token_hex(8))
        self._known[session.id] = session
        return session

    def get(self, id: str, secret: str) -> Session | None:
        """Return the session that ``id`` and ``secret`` open."""
        session = self._known.get(id)
        if session is None or not secrets.compare_digest(session.secret, secret):
            return None
        return session

    def close(self, session: Session) -> None:
        """Forget a session and all it holds."""
        self._known.pop(session.id, None)
        session.forget()

    def close_all(self) -> None:
        """Forget all sessions."""
        for session in list(self._known.values()):
            self.close(session)


def release_name(name: str) -> str:
    """Return what the masked file is called.

    Examples
    --------
    >>> release_name("survey.csv.gz"), release_name("old.sas7bdat")
    ('survey-release.csv.gz', 'old-release.xpt')
    """
    packed = Path(name).suffix if compression_of(Path(name)) else ""
    plain = strip_compression_suffix(Path(name))
    ending = ".xpt" if plain.suffix.lower() == ".sas7bdat" else plain.suffix  # read, not written
    return f"{plain.stem}-release{ending}{packed}"
