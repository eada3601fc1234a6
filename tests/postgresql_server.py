"""A temporary PostgreSQL server on the loopback interface, with a password."""

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

from skipping import skip_or_fail_in_ci

PASSWORD = "fish-in-a-shoal"


def find_programs():
    """Return the folder of PostgreSQL's programs; without it, skip the test, or fail in CI."""
    path = shutil.which("initdb")
    folders = [Path(path).resolve().parent] if path else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for folder in folders:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    return skip_or_fail_in_ci("PostgreSQL's programs are needed: apt-get install postgresql.")


@contextlib.contextmanager
def postgresql():
    """Start a server, yield its address, and stop it."""
    programs = find_programs()
    # The server may run as another user, who cannot enter the temporary folder of the tests.
    folder = Path(tempfile.mkdtemp(prefix="shoal-postgresql-", dir="/tmp"))
    user = _other_user()
    try:
        (folder / "password").write_text(PASSWORD)
        if user is not None:
            for path in (folder, folder / "password"):
                os.chown(path, user, -1)
        options = {"user": user, "cwd": folder, "stdin": subprocess.DEVNULL}
        arguments = ["--username=owner", "--auth=scram-sha-256", "--pwfile=password", "--no-sync"]
        arguments += ["--encoding=UTF8", "--locale=C", "-D", "data"]
        result = subprocess.run(
            [programs / "initdb", *arguments], capture_output=True, text=True, **options
        )
        if result.returncode:
            pytest.fail(f"PostgreSQL's initdb failed: {result.stderr}")
        port = _free_port()
        settings = ["-c", "listen_addresses=127.0.0.1", "-c", f"unix_socket_directories={folder}"]
        command = [programs / "postgres", "-D", "data", "-F", "-p", str(port), *settings]
        with (folder / "log").open("w") as log:
            server = subprocess.Popen(command, stdout=log, stderr=log, **options)
            try:
                _wait_until_ready(server, port, folder / "log")
                yield f"postgresql://owner:{PASSWORD}@127.0.0.1:{port}/postgres"
            finally:
                server.send_signal(signal.SIGINT)  # PostgreSQL then ends all connections
                server.wait(30)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _other_user():
    """Return the user to run the server as if the tests run as root, which PostgreSQL refuses."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name).pw_uid
    pytest.fail("PostgreSQL refuses to run as root, and there is no other user")


def _free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def _wait_until_ready(server, port, log):
    for _ in range(300):
        if server.poll() is not None:
            pytest.fail(f"PostgreSQL did not start: {log.read_text()}")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            if "ready to accept" in log.read_text():
                return
        time.sleep(0.1)
    pytest.fail(f"PostgreSQL did not answer: {log.read_text()}")
