"""Everything that is imported is declared in pyproject.toml, where it is imported from."""

import ast
import re
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
OWN = {"shoal", "reproduction", "conftest", "fuzz", "twins", "tests", "making"}
# Extra of pyproject.toml -> the packages that may import it; every other import is for all users.
EXTRAS = {
    "app": {"app"},
    "duckdb": {"io"},
    "files": {"io"},
    "formulas": {"metrics"},
    "plots": {"report"},
    "r": {"io"},
    "scale": {"scale"},
    "sign": {"audit"},
    "spark": {"scale"},
    "splink": {"metrics"},
    "sql": {"io"},
}
# A table of polars is made for those who ask for it; rivals.py makes environments of its own.
ELSEWHERE = {
    "datasets": {"polars"},
    "rivals.py": {"anonypyx", "k_means_constrained"},
}


def normal(requirement: str) -> str:
    """Return the name of a distribution as registries compare it."""
    name = re.match(r"[\w.-]+", requirement).group()
    return re.sub(r"[-_.]+", "-", name).lower()


def required(requirements) -> set[str]:
    return {normal(entry) for entry in requirements if isinstance(entry, str)}


@cache
def distributions() -> dict[str, set[str]]:
    return {name: {normal(d) for d in all_} for name, all_ in packages_distributions().items()}


@cache
def stems(folder: Path) -> set[str]:
    return {path.stem for path in folder.iterdir()}


def libraries(path: Path) -> set[str]:
    """Return the libraries that a file imports, also inside functions."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.add(node.module.split(".")[0])
    beside = stems(ROOT / "tests") | stems(ROOT / "docs")
    if not (path.parent / "__init__.py").exists():
        beside |= stems(path.parent)
    return names - set(sys.stdlib_module_names) - OWN - beside


BASE = required(PROJECT["project"]["dependencies"])
OPTIONAL = {
    extra: required(entries)
    for extra, entries in PROJECT["project"]["optional-dependencies"].items()
}
DEVELOPMENT = set().union(*map(required, PROJECT["dependency-groups"].values()))


def undeclared(path: Path, declared: set[str]) -> set[str]:
    """Return the libraries of a file that none of the declared distributions provides."""
    return {name for name in libraries(path) if not distributions().get(name, {name}) & declared}


@pytest.mark.parametrize("folder", sorted(p.name for p in (ROOT / "src/shoal").iterdir()))
def test_what_the_package_imports_is_a_dependency(folder):
    extras = set().union(*(OPTIONAL[extra] for extra in EXTRAS if folder in EXTRAS[extra]))
    place = ROOT / "src" / "shoal" / folder
    for path in place.rglob("*.py") if place.is_dir() else {place} - {place.with_suffix(".typed")}:
        assert undeclared(path, BASE | extras) <= ELSEWHERE.get(folder, set()), path


@pytest.mark.parametrize("folder", ["tests", "reproduction", "benchmarks", "docs", "examples"])
def test_what_developers_run_is_a_dependency_or_in_their_group(folder):
    everything = BASE | DEVELOPMENT | set().union(*OPTIONAL.values())
    for path in (ROOT / folder).rglob("*.py"):
        assert undeclared(path, everything) <= ELSEWHERE.get(path.name, set()), path


def test_every_dependency_is_imported():
    files = list((ROOT / "src").rglob("*.py"))
    provided = set().union(*(distributions().get(n, {n}) for p in files for n in libraries(p)))
    # SQLAlchemy imports the driver by itself.
    assert BASE | set().union(*OPTIONAL.values()) - {"psycopg"} <= provided


def test_every_extra_has_a_package():
    assert set(EXTRAS) == set(OPTIONAL)


def test_the_tests_have_every_extra():
    installed = re.search(
        r"--editable '\.\[([\w,]+)\]' --group dev", (ROOT / "Makefile").read_text()
    )[1]
    # Spark weighs half a gigabyte and needs Java; `make test-spark` installs it.
    extras = set(PROJECT["project"]["optional-dependencies"]) - {"spark"}
    assert sorted(installed.split(",")) == sorted(extras)
