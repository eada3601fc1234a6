"""Compiled kernels are never older than the text of the kernels."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from shoal._kernels import _compile
from shoal.partitioners import MDAV

KERNELS = Path(__file__).parents[2] / "src" / "shoal" / "_kernels"
CALLEE = """
from shoal._kernels._compile import compiled

@compiled
def step(x):
    return x + {}
"""
CALLER = """
from shoal._kernels._compile import compiled
from shoal._kernels.callee import step

@compiled
def walk(x):
    return step(step(x))
"""


def run_walk(folder):
    code = "from shoal._kernels.caller import walk; print(walk(0), *walk.stats.cache_hits.values())"
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    environment.pop("NUMBA_CACHE_DIR", None)
    result = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return result.stdout.split()


def test_a_kernel_is_recompiled_when_a_kernel_it_calls_has_changed(tmp_path):
    kernels = tmp_path / "shoal" / "_kernels"
    kernels.mkdir(parents=True)
    for folder in (kernels, kernels.parent):
        (folder / "__init__.py").touch()
    for path in KERNELS.glob("_*.py"):
        shutil.copy(path, kernels)
    (kernels / "caller.py").write_text(CALLER)
    (kernels / "callee.py").write_text(CALLEE.format(1))
    assert run_walk(tmp_path) == ["2"]
    assert run_walk(tmp_path) == ["2", "1"]  # from the cache
    (kernels / "callee.py").write_text(CALLEE.format(5))
    assert run_walk(tmp_path) == ["10"]


def test_the_pipeline_is_tested_with_the_installed_numba():
    assert _compile.USES_PIPELINE, (
        f"Run the tests with numba {_compile.numba_version}, then add it to TESTED_VERSIONS."
    )


def test_another_numba_uses_its_own_pipeline_and_gives_the_same_groups(tmp_path):
    code = """
import numba
numba.__version__ = "9.9.9"
import numpy as np
from shoal._kernels import _compile
from shoal.partitioners import MDAV
print(_compile.USES_PIPELINE, *MDAV(k=3).fit_predict(np.random.default_rng(0).normal(size=(40, 2))))
"""
    environment = {**os.environ, "PYTHONPATH": str(KERNELS.parents[1])}
    environment |= {"NUMBA_CACHE_DIR": str(tmp_path)}
    result = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    expected = MDAV(k=3).fit_predict(np.random.default_rng(0).normal(size=(40, 2)))
    assert result.stdout.split() == ["False", *map(str, expected)]


def test_a_log_line_counts_the_kernels_compiled_so_far(monkeypatch, caplog):
    listener = _compile._CompilationListener()
    now = iter([10.0, 12.0, 12.5, 16.0, 16.0, 16.5])
    # A clock of this module alone: other threads use the usual one.
    monkeypatch.setattr(_compile, "time", SimpleNamespace(monotonic=lambda: next(now)))
    monkeypatch.setattr(_compile, "_is_ours", lambda event: True)
    with caplog.at_level("INFO", logger="shoal"):
        for _ in range(3):
            listener.on_start(None)
            listener.on_start(None)  # a kernel that is compiled for another one
            listener.on_end(None)
            listener.on_end(None)
    assert [record.args for record in caplog.records] == [(), (2, "kernels", 5.5)]
