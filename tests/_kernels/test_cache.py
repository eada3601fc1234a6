"""Compiled kernels are cached, damaged files are reported and replaced, old folders removed."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from shoal._kernels import _cache

KERNELS = Path(_cache.__file__).parent
KERNEL = """
from shoal._kernels._compile import compiled

@compiled
def total(numbers):
    result = 0.0
    for number in numbers:
        result += number
    return result
"""
CALL = """
import logging, numpy as np
logging.basicConfig(level="WARNING")
from shoal._kernels.example import total
print(total(np.arange(4.0)), *total.stats.cache_hits.values())
"""


@pytest.fixture(scope="module")
def compiled_package(tmp_path_factory):
    """Return a folder with a package of one kernel and its compiled form, and a copy of that."""
    folder = tmp_path_factory.mktemp("package")
    kernels = folder / "shoal" / "_kernels"
    kernels.mkdir(parents=True)
    for package in (kernels, kernels.parent):
        (package / "__init__.py").touch()
    for path in KERNELS.glob("_*.py"):
        shutil.copy(path, kernels)
    (kernels / "example.py").write_text(KERNEL)
    assert run(folder).stdout == "6.0\n"
    shutil.copytree(folder / "cached", folder / "copy")
    return folder


@pytest.fixture
def package(compiled_package):
    """Return the folder of the package, with the compiled form as it was first written."""
    shutil.rmtree(compiled_package / "cached")
    shutil.copytree(compiled_package / "copy", compiled_package / "cached")
    return compiled_package


def run(folder):
    environment = {
        **os.environ,
        "PYTHONPATH": str(folder),
        "NUMBA_CACHE_DIR": str(folder / "cached"),
    }
    return subprocess.run(
        [sys.executable, "-c", CALL], env=environment, capture_output=True, text=True, check=True
    )


def cached_files(folder):
    return sorted((folder / "cached").rglob("*.nb[ci]"))


def test_undamaged_files_are_used_again(package):
    result = run(package)
    assert result.stdout == "6.0 1\n"
    assert result.stderr == ""


def flip(content):
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


DAMAGE = {
    "a flipped bit": flip,
    "a missing end": lambda content: content[:-100],
    "no content": lambda content: b"",
}


def damage_file(folder, kind, damage):
    """Damage the file of one kind as a disk does that fails: the time stays as it was."""
    (path,) = (path for path in cached_files(folder) if path.suffix == kind)
    written_at = path.stat().st_mtime
    path.write_bytes(DAMAGE[damage](path.read_bytes()))
    os.utime(path, (written_at, written_at))
    return path


@pytest.mark.parametrize("kind", [".nbi", ".nbc"])
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_named_and_removed(package, kind, damage, caplog):
    (checksums,) = (package / "cached").rglob(_cache.CHECKSUMS)
    others = set(cached_files(package))
    path = damage_file(package, kind, damage)
    with caplog.at_level("WARNING", logger="shoal"):
        _cache.remove_unverified(checksums.parent)
    assert [record.args for record in caplog.records] == [(path,)]
    assert set(cached_files(package)) == others - {path}


def test_the_kernel_of_a_damaged_file_is_compiled_again(package):
    path = damage_file(package, ".nbc", "a flipped bit")
    result = run(package)
    assert result.stdout == "6.0\n"
    assert str(path) in result.stderr
    second_result = run(package)
    assert (second_result.stdout, second_result.stderr) == ("6.0 1\n", "")


def test_files_without_readable_checksums_are_compiled_again(package):
    (checksums,) = (package / "cached").rglob(_cache.CHECKSUMS)
    assert _cache.read_checksums(checksums.parent)
    for content in (b"", b"[1]", b"\xff", b"no json"):
        checksums.write_bytes(content)
        assert _cache.read_checksums(checksums.parent) == {}
    checksums.unlink()
    assert _cache.read_checksums(checksums.parent) == {}
    assert run(package).stdout == "6.0\n"


def test_a_worker_process_writes_checksums_too(package):
    for path in cached_files(package):
        path.unlink()
    script = package / "worker.py"
    script.write_text(
        "import multiprocessing\n"
        "def work():\n"
        "    import numpy as np\n"
        "    from shoal._kernels.example import total\n"
        "    total(np.arange(4.0))\n"
        "if __name__ == '__main__':\n"
        "    worker = multiprocessing.get_context('spawn').Process(target=work)\n"
        "    worker.start()\n"
        "    worker.join()\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(package)}
    environment |= {"NUMBA_CACHE_DIR": str(package / "cached")}
    subprocess.run([sys.executable, script], env=environment, check=True)
    assert run(package).stdout == "6.0 1\n"


def test_a_process_that_is_killed_keeps_what_it_compiled_before_the_last_kernel(package):
    for path in cached_files(package):
        path.unlink()
    script = CALL + "total(np.arange(4))\nimport os\nos.kill(os.getpid(), 9)\n"
    environment = {**os.environ, "PYTHONPATH": str(package)}
    environment |= {"NUMBA_CACHE_DIR": str(package / "cached")}
    subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True)
    known = _cache.read_checksums(next((package / "cached").rglob(_cache.CHECKSUMS)).parent)
    assert sum(name.endswith(".nbc") for name in known) == 1


def test_folders_of_older_versions_are_removed_after_a_month(tmp_path):
    long_ago = time.time() - _cache.STALE_AFTER - 60
    for name, age in [
        ("old", long_ago),
        ("recent", time.time()),
        (_cache.kernel_digest(), long_ago),
    ]:
        folder = tmp_path / name / "_kernels_0"
        folder.mkdir(parents=True)
        for path in [
            folder / "kernel.nbi",
            folder / "kernel.nbc",
            folder.parent / "checksums.json",
        ]:
            path.touch()
            os.utime(path, (age, age))
        os.utime(folder, (age, age))
    _cache.remove_stale_folders(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"recent", _cache.kernel_digest()}
