"""A second process compiles the longest kernel, and the first one waits for it and uses it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from shoal import _progress as progress
from shoal._kernels import compile_ahead
from shoal._kernels.local_search.passes import open_grouping

KERNELS = Path(compile_ahead.__file__).parent
# In place of the largest kernel there is a small one, which compiles quickly.
PASSES = """
from shoal._kernels import compile_ahead
from shoal._kernels._compile import compiled

def open_grouping(X, near, labels, k):
    compile_ahead.wait()
    return run_action(k)

@compiled
def run_action(k):
    return k + 1
"""
# Print whether a second process was started, and how many kernels this one compiled.
PROGRAM = """
from numba.core import event
from shoal._kernels import compile_ahead

listener = event.RecordingListener()
compile_ahead.n_processors = lambda: 2
with event.install_listener("numba:compile", listener):
    compile_ahead.start()
    print(compile_ahead._process is not None)
    compile_ahead.main()
print(compile_ahead._process is None, len(listener.buffer))
"""


@pytest.fixture
def package(tmp_path):
    """Return a folder with a package that has one kernel, and a place for its compiled form."""
    kernels = tmp_path / "shoal" / "_kernels"
    (kernels / "local_search").mkdir(parents=True)
    for folder in (kernels.parent, kernels, kernels / "local_search"):
        (folder / "__init__.py").touch()
    for path in KERNELS.parent.glob("_progress*.py"):
        shutil.copy(path, kernels.parent)
    for path in [*KERNELS.glob("_*.py"), KERNELS / "compile_ahead.py"]:
        shutil.copy(path, kernels)
    (kernels / "local_search" / "passes.py").write_text(PASSES)
    return tmp_path


def test_kernels_that_the_second_process_compiled_are_not_compiled_again(package):
    folders = {"PYTHONPATH": str(package), "NUMBA_CACHE_DIR": str(package / "cached")}
    for starts in (True, False):  # the second time, the kernel is cached
        result = subprocess.run(
            [sys.executable, "-c", PROGRAM], env={**os.environ, **folders},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert result.stdout.split() == [str(starts), "True", "0"]


def test_no_process_is_started_once_the_kernel_of_the_local_search_is_compiled(monkeypatch):
    compile_ahead.main()
    monkeypatch.setattr(compile_ahead, "n_processors", lambda: 2)
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a process was started"))
    compile_ahead.start()
    assert compile_ahead._process is None


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
    monkeypatch.setattr(compile_ahead, "_process", Process(3))
    assert grouping().sizes[0] == 4
    assert compile_ahead._process is None


def test_waiting_can_be_interrupted(monkeypatch, grouping):
    def stop(stage, done, total):
        raise KeyboardInterrupt

    monkeypatch.setattr(compile_ahead, "_process", Process(10**9))
    with progress.reporting_to(stop), pytest.raises(KeyboardInterrupt):
        grouping()


@pytest.mark.parametrize("lacking", ["a folder", "a second processor", "an interpreter"])
def test_no_process_is_started_if_it_would_not_help(monkeypatch, tmp_path, lacking):
    monkeypatch.setattr(
        compile_ahead, "open_kernel_folder", lambda: None if lacking == "a folder" else tmp_path
    )
    monkeypatch.setattr(
        compile_ahead, "n_processors", lambda: 1 if lacking == "a second processor" else 2
    )
    if lacking == "an interpreter":
        monkeypatch.setattr(sys, "executable", "")
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a process was started"))
    compile_ahead.start()
    assert compile_ahead._process is None
