"""The package as a user installs it: the wheel, alone and in an empty environment; the sdist."""

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from needs import lacking

ROOT = Path(__file__).parents[1]
COMPILING = "Compiling for this machine"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Build the sdist and, from it, the wheel."""
    place = tmp_path_factory.mktemp("built")
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", place, ROOT]
    subprocess.run(build, check=True, capture_output=True)
    return place


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory):
    """Unpack the wheel where kernels cannot be kept beside their sources."""
    place = tmp_path_factory.mktemp("installed")
    (wheel,) = built.glob("shoal-*.whl")
    zipfile.ZipFile(wheel).extractall(place / "site")
    # A file where the folder would be: no user, not even root, can keep a cache there.
    (place / "site" / "shoal" / "_kernels" / "__pycache__").write_text("")
    return place


def plain_environment(**others):
    """Return the environment without what makes Python look into this repository."""
    ours = ("NUMBA", "PYTHON", "PYTEST", "COVERAGE")
    own = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return own | others


def mask(place, home, target):
    environment = plain_environment(
        PYTHONPATH=str(place / "site"),
        PYTHONDONTWRITEBYTECODE="1",
        HOME=str(home),
        XDG_CACHE_HOME=str(home / ".cache"),
    )
    source = place / "in.csv"
    source.write_text("a,b\n" + "".join(f"{i},{i * 7 % 11}\n" for i in range(50)))
    arguments = ["mask", source, place / target, "-c", "a", "-c", "b", "-k", "3", "-m", "mdav"]
    return subprocess.run(
        [sys.executable, "-m", "shoal", *arguments],
        env=environment,
        cwd=place,
        capture_output=True,
        text=True,
        check=True,
    )


def test_the_wheel_holds_what_it_needs(installed):
    names = {path.name for path in (installed / "site" / "shoal").rglob("*")}
    assert {"py.typed", "sme.csv", "report.html", "table.html", "app.js", "app.css"} <= names


def test_the_first_run_compiles_and_tells_and_the_next_does_not(installed, tmp_path):
    first = mask(installed, tmp_path, "first.csv")
    assert COMPILING in first.stderr
    second = mask(installed, tmp_path, "second.csv")
    assert COMPILING not in second.stderr
    assert (installed / "first.csv").read_bytes() == (installed / "second.csv").read_bytes()


def test_without_any_place_for_a_cache_it_still_works(installed, tmp_path):
    blocked = tmp_path / "blocked"
    blocked.write_text("")
    done = mask(installed, blocked, "uncached.csv")
    assert COMPILING in done.stderr
    assert (installed / "uncached.csv").exists()


def test_the_demo_runs_in_an_environment_with_nothing_but_the_wheel(built, tmp_path):
    place = tmp_path / "empty"
    venv.create(place)
    scripts = place / ("Scripts" if os.name == "nt" else "bin")
    (wheel,) = built.glob("shoal-*.whl")
    pip = [sys.executable, "-m", "pip", "--python", scripts / "python", "install", "--no-compile"]
    done = subprocess.run([*pip, wheel], env=plain_environment(), capture_output=True, text=True)
    if done.returncode:
        lacking("pip cannot install here what Shoal needs.")
    demo = [scripts / "shoal", "demo", tmp_path / "demo"]
    done = subprocess.run(
        demo, env=plain_environment(), cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "verdict: qualified. k = 5 is kept" in done.stdout
    assert (tmp_path / "demo" / "release.csv").read_text().count("\n") == 1001


# Tests that need no kernel, so that nothing is compiled once more: files, types, geometry, rules.
SMALL = ["tests/io/test_csv.py", "tests/frame/test_types.py", "tests/test_architecture.py"]


def test_the_sdist_passes_its_own_tests(built, tmp_path):
    (archive,) = built.glob("shoal-*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    for folder in ("tests", "docs", "examples", "benchmarks", "reproduction", "src"):
        assert files_in(unpacked / folder) == files_in(ROOT / folder)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--quiet", "-p", "no:cacheprovider", *SMALL],
        env=plain_environment(),
        cwd=unpacked,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


def files_in(folder):
    """Return the names of all files that belong to the repository."""
    names = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
    return {name for name in names if not {"__pycache__", ".ruff_cache"} & set(name.parts)}
