"""Every imported library is declared in pyproject.toml, as a dependency of all or of an extra."""

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
# The packages that may import each extra; everything else must be a base dependency.
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
# Datasets are returned as polars tables on request; rivals.py creates its own environments.
EXCEPTIONS = {
    "datasets": {"polars"},
    "rivals.py": {"anonypyx", "k_means_constrained"},
}


def normalise(requirement: str) -> str:
    """Return the normalised name of a distribution, without version and extras."""
    name = re.match(r"[\w.-]+", requirement).group()
    return re.sub(r"[-_.]+", "-", name).lower()


def required(requirements) -> set[str]:
    return {normalise(entry) for entry in requirements if isinstance(entry, str)}


@cache
def distributions() -> dict[str, set[str]]:
    return {
        name: {normalise(entry) for entry in entries}
        for name, entries in packages_distributions().items()
    }


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
    local_modules = stems(ROOT / "tests") | stems(ROOT / "docs")
    if not (path.parent / "__init__.py").exists():
        local_modules |= stems(path.parent)
    return names - set(sys.stdlib_module_names) - OWN - local_modules


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
    package = ROOT / "src" / "shoal" / folder
    paths = package.rglob("*.py") if package.is_dir() else {package} - {package.parent / "py.typed"}
    for path in paths:
        assert undeclared(path, BASE | extras) <= EXCEPTIONS.get(folder, set()), path


@pytest.mark.parametrize("folder", ["tests", "reproduction", "benchmarks", "docs", "examples"])
def test_what_developers_run_is_a_dependency_or_in_their_group(folder):
    everything = BASE | DEVELOPMENT | set().union(*OPTIONAL.values())
    for path in (ROOT / folder).rglob("*.py"):
        assert undeclared(path, everything) <= EXCEPTIONS.get(path.name, set()), path


def test_every_dependency_is_imported():
    files = list((ROOT / "src").rglob("*.py"))
    provided = set().union(
        *(distributions().get(name, {name}) for path in files for name in libraries(path))
    )
    # SQLAlchemy imports the driver of PostgreSQL.
    assert BASE | set().union(*OPTIONAL.values()) - {"psycopg"} <= provided


def test_every_extra_has_a_package():
    assert set(EXTRAS) == set(OPTIONAL)


def test_the_tests_have_every_extra():
    installed = re.search(
        r"--editable '\.\[([\w,]+)\]' --group dev", (ROOT / "Makefile").read_text()
    )[1]
    # Spark is half a gigabyte and needs Java; `make test-spark` installs it.
    extras = set(PROJECT["project"]["optional-dependencies"]) - {"spark"}
    assert sorted(installed.split(",")) == sorted(extras)
