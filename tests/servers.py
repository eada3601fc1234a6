"""A PostgreSQL server of the tests' own: on the loopback, with a password, gone at the end."""

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from needs import lacking

PASSWORD = "fish-in-a-shoal"


def binaries():
    """Return the folder of PostgreSQL's programs; without it, skip, or fail in CI."""
    path = shutil.which("initdb")
    places = [Path(path).resolve().parent] if path else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for place in places:
        if (place / "initdb").exists() and (place / "postgres").exists():
            return place
    return lacking("PostgreSQL's programs are needed: apt-get install postgresql.")


@contextlib.contextmanager
def postgresql():
    """Start a server and yield its address."""
    place = binaries()
    # Not below the temporary folder of the tests, which another user may not enter.
    folder = Path(tempfile.mkdtemp(prefix="shoal-postgresql-", dir="/tmp"))
    user = _other_user()
    try:
        (folder / "password").write_text(PASSWORD)
        if user is not None:
            for path in (folder, folder / "password"):
                os.chown(path, user, -1)
        options = {"user": user, "cwd": folder, "stdin": subprocess.DEVNULL}
        made = ["--username=owner", "--auth=scram-sha-256", "--pwfile=password", "--no-sync"]
        made += ["--encoding=UTF8", "--locale=C", "-D", "data"]
        result = subprocess.run(
            [place / "initdb", *made], capture_output=True, text=True, **options
        )
        if result.returncode:
            pytest.fail(f"PostgreSQL's initdb failed: {result.stderr}")
        port = _free_port()
        settings = ["-c", "listen_addresses=127.0.0.1", "-c", f"unix_socket_directories={folder}"]
        command = [place / "postgres", "-D", "data", "-F", "-p", str(port), *settings]
        with (folder / "log").open("w") as log:
            server = subprocess.Popen(command, stdout=log, stderr=log, **options)
            try:
                _wait(server, port, folder / "log")
                yield f"postgresql://owner:{PASSWORD}@127.0.0.1:{port}/postgres"
            finally:
                server.send_signal(signal.SIGINT)  # its word for: end the connections and stop
                server.wait(30)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _other_user():
    """Return a user to run as where we are root, which PostgreSQL refuses to be."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name).pw_uid
    pytest.fail("PostgreSQL refuses to run as root, and there is no other user")


def _free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def _wait(server, port, log):
    for _ in range(300):
        if server.poll() is not None:
            pytest.fail(f"PostgreSQL did not start: {log.read_text()}")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            if "ready to accept" in log.read_text():
                return
        time.sleep(0.1)
    pytest.fail(f"PostgreSQL did not answer: {log.read_text()}")
