"""The web page as a user starts it: ``shoal app`` in a process, to which tests send requests."""

import http.client
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

SRC = Path(__file__).parents[1] / "src"
PATIENCE = 600  # seconds; a busy machine compiles slowly


class AppProcess:
    """A running ``shoal app``: the links that it prints, its private folder and its output."""

    def __init__(self, process, folder):
        self.process, self.folder = process, folder
        self.lines = []
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        self.lines.extend(iter(self.process.stdout.readline, ""))

    @property
    def links(self):
        return [link for line in self.lines for link in re.findall(r"http://\S+", line)]

    def link(self):
        """Return the latest link, which has not been used yet."""
        wait_for(lambda: self.links)
        return self.links[-1]

    @property
    def host(self):
        return urlsplit(self.link()).netloc

    @property
    def folders(self):
        return list(self.folder.glob("shoal-app-*"))

    def ask(self, path, method="GET", body=None, **headers):
        """Send a request and return the response with its content; ``None`` omits a header."""
        connection = http.client.HTTPConnection(self.host, timeout=PATIENCE)
        sent_headers = {"Host": self.host, "Origin": f"http://{self.host}"}
        sent_headers |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection.putrequest(method, path, skip_host=True)
        for name, value in sent_headers.items():
            if value is not None:
                connection.putheader(name, value)
        if body is not None and "Content-Length" not in sent_headers:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        response = connection.getresponse()
        response.content = response.read()
        connection.close()
        return response

    def enter(self):
        """Open a link; return the path and the cookie of the new session."""
        link = self.link()
        response = self.ask(f"/?{urlsplit(link).query}")
        wait_for(lambda: self.link() != link)
        return response.getheader("Location"), response.getheader("Set-Cookie").split(";")[0]

    def leave(self, session_path, cookie):
        """End a session."""
        self.ask(f"{session_path}end", "POST", b"", Cookie=cookie)

    def end(self, number=signal.SIGTERM):
        """Send the process a signal and wait until it has ended; return its output."""
        self.process.send_signal(number)
        self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        return "".join(self.lines)


def wait_for(condition):
    """Wait until ``condition()`` is true."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"not so after {PATIENCE} seconds"
        time.sleep(0.05)


@contextmanager
def running_app(
    folder: Path, *options: str, start: Sequence[str] = ("-m", "shoal")
) -> Iterator[AppProcess]:
    """Start ``shoal app``; its private folder is created in ``folder``."""
    python_path = os.environ.get("PYTHONPATH")
    process = subprocess.Popen(
        [sys.executable, "-u", *start, "app", "--no-browser", *options],
        env={
            **os.environ,
            "TMPDIR": str(folder),
            "PYTHONPATH": f"{SRC}{os.pathsep}{python_path}" if python_path else str(SRC),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    app = AppProcess(process, folder)
    try:
        app.link()
        yield app
    finally:
        if process.poll() is None:
            app.end()
        process.stdout.close()
