"""The package as a user installs it: a wheel, in a place nobody may write to."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
COMPILING = "Compiling for this machine"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Unpack the wheel where kernels cannot be kept beside their sources."""
    place = tmp_path_factory.mktemp("installed")
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*build, "--wheel-dir", place, ROOT], check=True, capture_output=True)
    (wheel,) = place.glob("shoal-*.whl")
    zipfile.ZipFile(wheel).extractall(place / "site")
    # A file where the folder would be: no user, not even root, can keep a cache there.
    (place / "site" / "shoal" / "_kernels" / "__pycache__").write_text("")
    return place


def mask(place, home, target):
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("NUMBA")},
        "PYTHONPATH": str(place / "site"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / ".cache"),
    }
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
