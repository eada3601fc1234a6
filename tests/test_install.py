"""The package as a user installs it: the wheel, alone and in an empty environment; the sdist."""

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
    """Build the sdist and, from it, the wheel."""
    place = tmp_path_factory.mktemp("built")
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", place, ROOT]
    subprocess.run(build, check=True, capture_output=True)
    return place


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory):
    """Install the wheel, and what it says it needs, where kernels cannot be kept beside it."""
    place = tmp_path_factory.mktemp("installed") / "environment"
    venv.create(place)
    (wheel,) = built.glob("shoal-*.whl")
    python = scripts(place) / "python"
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-compile"]
    subprocess.run([*pip, wheel], env=plain_environment(), check=True, capture_output=True)
    (site,) = place.rglob("site-packages")
    for name in needed("shoal", [str(site)]):
        link(distribution(name), site)
    # A file where the folder would be: no user, not even root, can keep a cache there.
    (site / "shoal" / "_kernels" / "__pycache__").write_text("")
    return place


def scripts(place):
    return place / ("Scripts" if os.name == "nt" else "bin")


def needed(name, places):
    """Return the packages that a package needs to be imported, without its extras, by name."""
    (package,) = distributions(name=name, path=places)
    known, unchecked = set(), [(package, "")]
    while unchecked:
        package, extra = unchecked.pop()
        for text in package.requires or ():
            requirement = Requirement(text)
            if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
                installed = distribution(requirement.name)
                assert installed.version in requirement.specifier
                for wanted in ("", *requirement.extras):
                    if (requirement.name, wanted) not in known:
                        known.add((requirement.name, wanted))
                        unchecked.append((installed, wanted))
    return sorted({name for name, _ in known})


def link(package, site):
    """Let a site find a package that is installed elsewhere, and none of its neighbours."""
    tops = {path.parts[0] for path in package.files if path.parts[0] not in ("..", "__pycache__")}
    for top in tops:
        if not (site / top).exists():
            (site / top).symlink_to(package.locate_file(top))


def plain_environment(**others):
    """Return the environment without what makes Python look into this repository."""
    ours = ("NUMBA", "PYTHON", "PYTEST", "COVERAGE")
    own = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return own | others


def run(place, home, *words):
    environment = plain_environment(
        PYTHONDONTWRITEBYTECODE="1", HOME=str(home), XDG_CACHE_HOME=str(home / ".cache")
    )
    return subprocess.run(
        [scripts(place) / "shoal", *words],
        env=environment,
        cwd=home.parent,
        capture_output=True,
        text=True,
        check=True,
    )


def test_the_wheel_holds_what_it_needs(installed):
    (package,) = installed.rglob("site-packages/shoal")
    names = {path.name for path in package.rglob("*")}
    assert {"py.typed", "sme.csv", "report.html", "table.html", "app.js", "app.css"} <= names


def test_nothing_that_the_wheel_does_not_need_is_there(installed):
    check = "import importlib.util as u; print(*map(u.find_spec, ('pytest', 'dask', 'uvicorn')))"
    result = subprocess.run(
        [scripts(installed) / "python", "-c", check],
        env=plain_environment(), check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert result.stdout.split() == ["None"] * 3


def test_the_first_demo_compiles_and_says_so_and_the_next_does_not(installed, tmp_path):
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


# Tests that need no kernel, so that nothing is compiled once more: files, types, geometry, rules.
SMALL = ["tests/io/test_csv.py", "tests/frame/test_types.py", "tests/test_architecture.py"]


def test_the_sdist_passes_its_own_tests(built, tmp_path):
    (archive,) = built.glob("shoal-*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    for folder in ("tests", "docs", "examples", "benchmarks", "reproduction", "src"):
        assert files_in(unpacked / folder) == files_in(ROOT / folder)
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "--quiet", "-p", "no:cacheprovider", *SMALL],
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
