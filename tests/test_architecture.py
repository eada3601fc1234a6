"""Import rules: which package may import which. docs/architecture.md explains them."""

import ast
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1] / "src" / "shoal"

ANYWHERE = {
    "errors", "_jobs", "_params", "_progress", "_progress_bars", "_progress_estimate", "_seeds",
    "_signals", "_text", "_versions",
}  # fmt: skip
ALLOWED = {
    "errors": set(),
    "_params": {"errors"},
    "_seeds": {"_params"},
    "_jobs": {"_params"},
    "_progress": set(),
    "_progress_bars": set(),
    "_progress_estimate": set(),
    "_text": set(),
    "_versions": set(),
    "_signals": set(),
    "_kernels": set(),
    "frame": set(),
    "geometry": set(),
    "io": {"frame"},
    "datasets": {"io"},
    "partitioners": {"_kernels", "geometry"},
    "metrics": {"_kernels", "frame", "geometry"},
    "steps": {"_kernels", "frame", "geometry", "partitioners", "metrics"},
    "plan": {"io", "frame", "partitioners", "metrics", "steps"},
    "audit": {"io", "frame", "metrics", "plan"},
    "comparison": {"frame", "partitioners", "metrics", "steps", "plan"},
    "inspection": {"io", "frame", "metrics", "plan"},
    "report": {"frame", "metrics", "plan", "comparison", "inspection", "io"},
    "scale": {
        "io", "frame", "geometry", "partitioners", "metrics", "steps", "plan", "audit", "report",
    },
    "app": {
        "datasets", "io", "frame", "inspection", "partitioners", "steps", "plan", "audit",
        "comparison", "report",
    },
    "cli": {
        "_kernels", "io", "frame", "datasets", "partitioners", "metrics", "steps", "plan", "audit",
        "comparison", "inspection", "report", "scale", "app",
    },
    "__main__": {"cli"},
}  # fmt: skip
# Release.report, Comparison.save and what notebooks show call the report, Release.manifest the
# manifest, and verify() the check of a folder, when they are used: users expect them there.
UPWARDS = {
    ("plan", "report"), ("plan", "audit"), ("plan", "comparison"), ("comparison", "report"),
    ("inspection", "report"), ("metrics", "report"), ("audit", "scale"),
}  # fmt: skip
ONLY_IN = {
    "numba": {"_kernels"},
    "llvmlite": {"_kernels"},
    "threadpoolctl": {"_kernels"},
    "narwhals": {"frame"},
    "pandas": {"frame", "io"},
    "polars": {"datasets"},
    "pyarrow": {"frame", "io", "datasets", "scale"},
    "sklearn": {"partitioners", "metrics", "steps", "scale"},
    "joblib": {"partitioners"},
    "highspy": {"partitioners"},
    "scipy": {"metrics"},
    "formulaic": {"metrics"},
    "splink": {"metrics"},
    "duckdb": {"io", "metrics"},
    "python_calamine": {"io"},
    "pyreadstat": {"io"},
    "openpyxl": {"io"},
    "xlsxwriter": {"io"},
    "rdata": {"io"},
    "sqlalchemy": {"io"},
    "tomli_w": {"plan"},
    "cryptography": {"audit"},
    "jinja2": {"report", "app"},
    "markupsafe": {"report"},
    "matplotlib": {"report"},
    "dask": {"scale"},
    "distributed": {"scale"},
    "pyspark": {"scale"},
    "starlette": {"app"},
    "uvicorn": {"app"},
    "typer": {"cli"},
    "rich": {"cli"},
}

FILES = sorted(path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py")


def package_of(path):
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


@cache
def imports(path):
    """Return every imported module, also those inside functions."""
    imported = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports are banned"
            if node.module == "shoal":
                imported |= {f"shoal.{alias.name}" for alias in node.names}
            else:
                imported.add(node.module)
    return sorted(imported)


def libraries(path):
    """Return the third-party libraries that a module imports."""
    top_level = {module.split(".")[0] for module in imports(path)}
    return top_level - {"shoal"} - sys.stdlib_module_names


def points_downwards(package, module):
    """Return whether a package may import a module, as far as Shoal's own modules go."""
    if not module.startswith("shoal.") or module == "shoal.__version__":
        return True
    other = module.split(".")[1]
    allowed = other == package or other in ANYWHERE - {package} or other in ALLOWED[package]
    return allowed or (package, other) in UPWARDS


def test_packages_of_the_command_line_import_in_one_direction():
    order = ["wording", "parsing", "options", "console", "masking", "commands"]
    for path in (ROOT / "cli").glob("*/*.py"):
        text = path.read_text()
        for higher in order[order.index(path.parent.name) + 1 :]:
            assert f"shoal.cli.{higher}" not in text, path


def test_imports_point_downwards():
    upwards = [
        f"{path.relative_to(ROOT)} must not import {module}"
        for path in FILES
        for module in imports(path)
        if not points_downwards(package_of(path), module)
    ]
    assert not upwards


def test_each_library_is_imported_by_one_package():
    elsewhere = [
        f"{path.relative_to(ROOT)}: {library} belongs to {ONLY_IN[library]}"
        for path in FILES
        for library in libraries(path) & set(ONLY_IN)
        if package_of(path) not in ONLY_IN[library]
    ]
    assert not elsewhere


def test_every_library_has_a_home():
    assert set().union(*map(libraries, FILES)) == {"numpy", *ONLY_IN}


def test_kernels_import_libraries_of_arrays_only():
    for path in (ROOT / "_kernels").rglob("*.py"):
        for module in imports(path):
            library = module.split(".")[0]
            allowed = {"numpy", "numba", "llvmlite", "threadpoolctl", "shoal"}
            assert library in allowed or library in sys.stdlib_module_names


def test_every_package_has_import_rules():
    assert {package_of(path) for path in FILES} <= set(ALLOWED)


def test_the_import_rules_have_no_cycle():
    """No package can be reached from itself."""

    def below(package, seen=()):
        assert package not in seen, f"{package} imports itself through {seen}"
        for other in ALLOWED[package]:
            below(other, (*seen, package))

    for package in ALLOWED:
        below(package)
