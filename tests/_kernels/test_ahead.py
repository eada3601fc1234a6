"""A second process compiles the longest kernel, and the first one waits for it and uses it."""

import os
import subprocess
import sys

import numpy as np
import pytest

from shoal import _progress as progress
from shoal._kernels import ahead
from shoal._kernels.local_search.passes import open_grouping

# Say which kernels were compiled in this process, not in the second one.
PROGRAM = """
from numba.core import event
from shoal._kernels import ahead

here = event.RecordingListener()
ahead.processors = lambda: 2
with event.install_listener("numba:compile", here):
    ahead.start()
    print(ahead._process is not None)
    ahead.main()
print(ahead._process is None, len(here.buffer))
"""


@pytest.mark.slow
def test_what_the_second_process_compiled_is_not_compiled_again(tmp_path):
    own = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    for started in (True, False):  # the second time all is there, and nothing is started
        result = subprocess.run(
            [sys.executable, "-c", PROGRAM], env=own, capture_output=True, text=True, check=True
        )
        assert result.stdout.split() == [str(started), "True", "0"]


class Process:
    """A second process that ends after being waited for so many times, with an exit code."""

    def __init__(self, waits):
        self.waits = waits

    def wait(self, timeout):
        self.waits -= 1
        if self.waits:
            raise subprocess.TimeoutExpired("python", timeout)
        return 1


@pytest.fixture
def grouping():
    zeros = np.zeros(4, np.int64)
    return lambda: open_grouping(np.zeros((4, 1)), zeros.reshape(4, 1), zeros, 2)


def test_a_failed_second_process_is_not_needed(monkeypatch, grouping):
    monkeypatch.setattr(ahead, "_process", Process(3))
    assert grouping().sizes[0] == 4
    assert ahead._process is None


def test_waiting_can_be_interrupted(monkeypatch, grouping):
    def stop(stage, result, total):
        raise KeyboardInterrupt

    monkeypatch.setattr(ahead, "_process", Process(10**9))
    with progress.reporting_to(stop), pytest.raises(KeyboardInterrupt):
        grouping()


@pytest.mark.parametrize("lacking", ["a folder", "a second processor", "an interpreter"])
def test_nothing_is_started_where_it_would_not_help(monkeypatch, tmp_path, lacking):
    monkeypatch.setattr(ahead, "kernel_folder", lambda: None if lacking == "a folder" else tmp_path)
    monkeypatch.setattr(ahead, "processors", lambda: 1 if lacking == "a second processor" else 2)
    if lacking == "an interpreter":
        monkeypatch.setattr(sys, "executable", "")
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a process was started"))
    ahead.start()
    assert ahead._process is None
