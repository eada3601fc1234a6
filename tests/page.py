"""The page as a user starts it: a process of its own, talked to over HTTP."""

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


class Page:
    """A running ``shoal app``: its links as they are printed, its private folder, its words."""

    def __init__(self, process, place):
        self.process, self.place = process, place
        self.lines = []
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        self.lines.extend(iter(self.process.stdout.readline, ""))

    @property
    def links(self):
        return [link for line in self.lines for link in re.findall(r"http://\S+", line)]

    def link(self):
        """Return a link that was not used yet."""
        wait_for(lambda: self.links)
        return self.links[-1]

    @property
    def host(self):
        return urlsplit(self.link()).netloc

    @property
    def folders(self):
        return list(self.place.glob("shoal-app-*"))

    def ask(self, path, method="GET", body=None, **headers):
        """Return the answer to a request, with its body read; ``None`` leaves a header out."""
        connection = http.client.HTTPConnection(self.host, timeout=PATIENCE)
        given = {"Host": self.host, "Origin": f"http://{self.host}"}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection.putrequest(method, path, skip_host=True)
        for name, value in given.items():
            if value is not None:
                connection.putheader(name, value)
        if body is not None and "Content-Length" not in given:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        answer.content = answer.read()
        connection.close()
        return answer

    def enter(self):
        """Use a link; return the address and the cookie of the new session."""
        used = self.link()
        answer = self.ask(f"/?{urlsplit(used).query}")
        wait_for(lambda: self.link() != used)
        return answer.getheader("Location"), answer.getheader("Set-Cookie").split(";")[0]

    def leave(self, place, cookie):
        """End a session."""
        self.ask(f"{place}end", "POST", b"", Cookie=cookie)

    def end(self, number=signal.SIGTERM):
        """End it as a shell does; return all it said."""
        self.process.send_signal(number)
        self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        return "".join(self.lines)


def wait_for(true):
    """Wait until something is so."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


@contextmanager
def running(place: Path, *options: str, start: Sequence[str] = ("-m", "shoal")) -> Iterator[Page]:
    """Start ``shoal app``; its private folder is made in ``place``."""
    known = os.environ.get("PYTHONPATH")
    process = subprocess.Popen(
        [sys.executable, "-u", *start, "app", "--no-browser", *options],
        env={
            **os.environ,
            "TMPDIR": str(place),
            "PYTHONPATH": f"{SRC}{os.pathsep}{known}" if known else str(SRC),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    page = Page(process, place)
    try:
        page.link()
        yield page
    finally:
        if process.poll() is None:
            page.end()
        process.stdout.close()
