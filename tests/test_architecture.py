"""The law: who may import whom. docs/architecture.md explains it."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "src" / "shoal"

ANYWHERE = {"errors", "parameters", "progress"}
LAW = {
    "errors": set(),
    "parameters": {"errors"},
    "progress": set(),
    "kernels": set(),
    "table": set(),
    "space": set(),
    "datasets": {"table"},
    "partitioners": {"kernels", "space"},
    "measure": {"kernels"},
    "mask": {"kernels", "table", "space", "partitioners", "measure"},
    "assessment": {"table", "space", "measure"},
    "document": {"table", "mask", "partitioners"},
    "promise": {"table", "mask", "measure"},
    "release": {"partitioners"},
    "profile": {"table", "measure", "partitioners"},
    "consistency": {"table", "mask"},
    "findings": {"table", "partitioners", "mask", "assessment"},
    "plan": {
        "table", "partitioners", "mask", "assessment", "consistency", "document", "findings",
        "profile", "promise", "release",
    },
    "microaggregation": {"partitioners", "plan", "release"},
    "delivery": {"table", "release", "plan"},
    "manifest": {"table", "release"},
    "verification": {"table", "measure", "promise", "plan", "delivery", "manifest", "scale"},
    "scale": {
        "table", "space", "partitioners", "mask", "measure", "assessment", "findings", "plan",
        "manifest", "report",
    },
    "cache": set(),
    "comparison": {"table", "partitioners", "mask", "measure", "assessment", "cache", "plan"},
    "tradeoff": {"table", "comparison", "plan"},
    "report": {"table", "measure", "document", "release", "comparison", "tradeoff"},
    "papers": {
        "table", "space", "datasets", "partitioners", "mask", "measure", "microaggregation", "plan",
    },
    "app": {
        "datasets", "document", "mask", "partitioners", "plan", "report", "table",
    },
    "cli": {
        "app", "assessment", "cache", "comparison", "datasets", "delivery", "document", "manifest",
        "mask", "measure", "papers", "partitioners", "plan", "release", "report", "scale",
        "table", "tradeoff", "verification",
    },
    "__main__": {"cli"},
}  # fmt: skip
# Release.report and Comparison.save open the report from below, Release.manifest the manifest,
# and a release may name the types that it hands on.
UPWARDS = {
    ("release", "report"), ("release", "manifest"), ("comparison", "report"), ("release", "plan"),
    ("release", "tradeoff"), ("consistency", "plan"), ("findings", "plan"),
}  # fmt: skip
ONLY_IN = {
    "numba": {"kernels"},
    "narwhals": {"table"},
    "joblib": {"partitioners"},
    "highspy": {"partitioners"},
    "jinja2": {"report", "app"},
    "matplotlib": {"report", "papers"},
    "starlette": {"app"},
    "uvicorn": {"app"},
    "typer": {"cli"},
    "rich": {"cli"},
    "pooch": {"datasets"},
    "rdata": {"datasets"},
    "pandas": {"datasets", "table"},
    "pyarrow": {"table", "datasets", "scale"},
    "dask": {"scale"},
    "distributed": {"scale"},
    "pyreadstat": {"table"},
    "openpyxl": {"table"},
    "xlsxwriter": {"table"},
    "sqlalchemy": {"table"},
}

FILES = sorted(path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py")


def room_of(path):
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imports(path):
    """Yield every imported module, also those inside functions."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports are banned"
            if node.module == "shoal":
                yield from (f"shoal.{alias.name}" for alias in node.names)
            else:
                yield node.module


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_rooms_only_open_downwards(path):
    room = room_of(path)
    for module in imports(path):
        if module.startswith("shoal.") and module != "shoal.__version__":
            other = module.split(".")[1]
            allowed = other == room or other in ANYWHERE - {room} or other in LAW[room]
            assert allowed or (room, other) in UPWARDS, f"{room} must not import {other}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_libraries_stay_in_their_rooms(path):
    for module in imports(path):
        rooms = ONLY_IN.get(module.split(".")[0])
        assert rooms is None or room_of(path) in rooms, f"{module} belongs to {rooms}"


def test_kernels_know_numpy_and_numba_alone():
    for path in (ROOT / "kernels").glob("*.py"):
        for module in imports(path):
            library = module.split(".")[0]
            assert library in {"numpy", "numba", "shoal"} or library in sys.stdlib_module_names


def test_every_room_has_a_law():
    assert {room_of(path) for path in FILES} <= set(LAW)


def test_the_law_is_a_descent():
    """No room can be reached from itself."""

    def below(room, seen=()):
        assert room not in seen, f"{room} opens to itself through {seen}"
        for other in LAW[room]:
            below(other, (*seen, room))

    for room in LAW:
        below(room)
