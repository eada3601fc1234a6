"""The installed package: the wheel in an empty environment, and the tests of the sdist."""

import os
import subprocess
import sys
import tarfile
import venv
from importlib.metadata import distribution, distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
COMPILING = "Compiling for this machine"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Build the sdist and, from it, the wheel; return their folder."""
    folder = tmp_path_factory.mktemp("built")
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT]
    subprocess.run(build, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory):
    """Install the wheel and its dependencies in a folder where kernels cannot be cached."""
    folder = tmp_path_factory.mktemp("installed") / "environment"
    venv.create(folder)
    (wheel,) = built.glob("shoal-*.whl")
    python = scripts(folder) / "python"
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-compile"]
    subprocess.run([*pip, wheel], env=plain_environment(), check=True, capture_output=True)
    (site,) = folder.rglob("site-packages")
    for name in dependencies("shoal", [str(site)]):
        link(distribution(name), site)
    # A file in place of the folder: not even root can write a cache there.
    (site / "shoal" / "_kernels" / "__pycache__").write_text("")
    return folder


def scripts(folder):
    return folder / ("Scripts" if os.name == "nt" else "bin")


def dependencies(name, paths):
    """Return the names of all dependencies of a package without its extras."""
    (package,) = distributions(name=name, path=paths)
    known, unchecked = set(), [(package, "")]
    while unchecked:
        package, extra = unchecked.pop()
        for text in package.requires or ():
            requirement = Requirement(text)
            if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
                installed = distribution(requirement.name)
                assert installed.version in requirement.specifier
                for required_extra in ("", *requirement.extras):
                    if (requirement.name, required_extra) not in known:
                        known.add((requirement.name, required_extra))
                        unchecked.append((installed, required_extra))
    return sorted({name for name, _ in known})


def link(package, site):
    """Link an installed package, and nothing beside it, into a folder of packages."""
    tops = {path.parts[0] for path in package.files if path.parts[0] not in ("..", "__pycache__")}
    for top in tops:
        if not (site / top).exists():
            (site / top).symlink_to(package.locate_file(top))


def plain_environment(**others):
    """Return the environment variables without those that refer to this repository."""
    prefixes = ("NUMBA", "PYTHON", "PYTEST", "COVERAGE")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(prefixes)}
    return kept | others


def run(folder, home, *words):
    environment = plain_environment(
        PYTHONDONTWRITEBYTECODE="1", HOME=str(home), XDG_CACHE_HOME=str(home / ".cache")
    )
    return subprocess.run(
        [scripts(folder) / "shoal", *words],
        env=environment,
        cwd=home.parent,
        capture_output=True,
        text=True,
        check=True,
    )


def test_the_wheel_has_its_data_files(installed):
    (package,) = installed.rglob("site-packages/shoal")
    names = {path.name for path in package.rglob("*")}
    assert {"py.typed", "sme.csv", "report.html", "table.html", "app.js", "app.css"} <= names


def test_the_environment_has_no_optional_package(installed):
    check = "import importlib.util as u; print(*map(u.find_spec, ('pytest', 'dask', 'uvicorn')))"
    result = subprocess.run(
        [scripts(installed) / "python", "-c", check],
        env=plain_environment(), check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert result.stdout.split() == ["None"] * 3


def test_the_first_demo_compiles_and_the_next_does_not(installed, tmp_path):
    first = run(installed, tmp_path / "home", "demo", "first")
    assert COMPILING in first.stderr
    assert "verdict: qualified. k = 5 is kept" in first.stdout
    released = (tmp_path / "first" / "release.csv").read_bytes()
    assert released.count(b"\n") == 1001
    second = run(installed, tmp_path / "home", "demo", "second")
    assert COMPILING not in second.stderr
    assert (tmp_path / "second" / "release.csv").read_bytes() == released


def test_kernels_work_without_a_writable_cache(installed, tmp_path):
    (tmp_path / "home").write_text("")
    (tmp_path / "in.csv").write_text("a,b\n" + "".join(f"{i},{i * 7 % 11}\n" for i in range(50)))
    words = ["in.csv", "uncached.csv", "-c", "a", "-c", "b", "-k", "3", "-m", "mdav"]
    result = run(installed, tmp_path / "home", "mask", *words)
    assert COMPILING in result.stderr
    assert (tmp_path / "uncached.csv").exists()


# Tests that compile no kernel.
QUICK_TESTS = [
    "tests/io/test_text_tables.py",
    "tests/frame/test_types.py",
    "tests/test_architecture.py",
]


def test_the_sdist_passes_its_own_tests(built, tmp_path):
    (archive,) = built.glob("shoal-*.tar.gz")
    with tarfile.open(archive) as opened:
        opened.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    for folder in ("tests", "docs", "examples", "benchmarks", "reproduction", "src"):
        assert files_in(unpacked / folder) == files_in(ROOT / folder)
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "--quiet", "-p", "no:cacheprovider", *QUICK_TESTS],
        env=plain_environment(),
        cwd=unpacked,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout


def files_in(folder):
    """Return the names of all files that belong to the repository."""
    names = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
    return {name for name in names if not {"__pycache__", ".ruff_cache"} & set(name.parts)}
