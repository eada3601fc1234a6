"""docs/architecture.md: the walk through the code follows the calls, and every package is named."""

import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import markdown_pages

DOCS = markdown_pages.ROOT / "docs"
PAGE = (DOCS / "architecture.md").read_text(encoding="utf-8")
WALK = PAGE.partition("## A file, function by function")[2].partition("\n## ")[0]
STEPS = re.findall(r"(?m)^(\d+)\. `([\w.]+):([\w.]+)` ", WALK)
MOST = 25
# Runs the command and prints the first call of every function of Shoal, in order.
TRACED = """
import sys
from pathlib import Path
import shoal
from shoal.cli import main

root, seen = str(Path(shoal.__file__).parent), {}

def note(frame, event, arg):
    code = frame.f_code
    if event == "call" and code.co_filename.startswith(root):
        module = frame.f_globals.get("__name__", "").removeprefix("shoal.")
        seen.setdefault(f"{module}:{code.co_qualname}")

sys.argv = ["shoal", "mask", "in.csv", "out.csv", "-c", "age", "-k", "5"]
sys.setprofile(note)
try:
    main()
finally:
    sys.setprofile(None)
    Path("calls.txt").write_text("\\n".join(seen))
"""


def test_the_walk_has_at_most_25_steps_in_order():
    assert [int(number) for number, _, _ in STEPS] == list(range(1, len(STEPS) + 1))
    assert 0 < len(STEPS) <= MOST


@pytest.mark.parametrize(("module", "name"), [step[1:] for step in STEPS])
def test_every_function_of_the_walk_exists(module, name):
    thing = import_module(f"shoal.{module}")
    for part in name.split("."):
        thing = getattr(thing, part)
    assert callable(thing)


def test_the_walk_follows_the_calls_of_the_command(tmp_path):
    rows = "".join(f"{20 + i % 37},{1000 + i}\n" for i in range(40))
    (tmp_path / "in.csv").write_text(f"age,pay\n{rows}", encoding="utf-8")
    paths = {"PYTHONPATH": str(markdown_pages.ROOT / "src")}
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", TRACED],
        cwd=tmp_path, env={**os.environ, **paths}, capture_output=True, text=True,
        encoding="utf-8",
    )  # fmt: skip
    calls = (tmp_path / "calls.txt").read_text(encoding="utf-8").splitlines()
    assert result.returncode == 0, result.stderr
    named = [f"{module}:{name}" for _, module, name in STEPS]
    assert [call for call in calls if call in named] == named


def test_every_package_is_on_the_page_and_in_the_diagram():
    diagram = (DOCS / "pictures" / "architecture.svg").read_text(encoding="utf-8")
    source = markdown_pages.ROOT / "src" / "shoal"
    packages = [path.parent.name for path in source.glob("*/__init__.py")]
    assert len(packages) > 10
    for package in packages:
        assert f"`{package}`" in PAGE, package
        assert re.search(rf">{package}<", diagram), package


def test_every_module_that_the_page_names_exists():
    source = markdown_pages.ROOT / "src" / "shoal"
    named = {name for name in re.findall(r"`([\w/]+/\w+\.py)`", PAGE) if "docs" not in name}
    known = (source, markdown_pages.ROOT)
    lacking = [name for name in named if not any((Path(root) / name).exists() for root in known)]
    assert not lacking
