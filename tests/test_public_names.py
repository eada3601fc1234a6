"""The public names at the top level, and the cost of importing them."""

import subprocess
import sys
from inspect import signature

import pytest
from numpydoc.validate import validate

import shoal
from shoal.metrics import MEASURES
from shoal.partitioners import METHODS

# Checks of style that do not concern the completeness of a docstring.
IGNORED = {"EX01", "SA01", "ES01", "GL01", "RT02", "SS05", "SS06", "GL08", "PR09"}


def test_the_public_names_are_there():
    for name in shoal.__all__:
        assert getattr(shoal, name) is not None
    assert set(shoal.__all__) <= set(dir(shoal))
    assert len(shoal.__all__) <= 21
    with pytest.raises(AttributeError, match="no attribute 'masquerade'"):
        _ = shoal.masquerade


def test_the_signatures_that_other_programs_call():
    required = [
        n for n, p in signature(shoal.microaggregate).parameters.items() if p.default is p.empty
    ]
    assert required == ["data", "columns", "k", "options"]
    names = list(signature(shoal.partition).parameters)
    assert names == ["X", "k", "method", "effort", "budget", "random_state", "n_jobs", "options"]


def test_importing_shoal_imports_nothing_heavy():
    heavy = ("numba", "sklearn", "pyarrow", "pandas")
    code = f"import sys, shoal; print(*[name for name in {heavy} if name in sys.modules])"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == ""


def test_help_imports_nothing_heavy():
    heavy = ("numba", "sklearn", "pyarrow", "pandas", "numpy")
    code = (
        "import sys\nfrom shoal.cli import app\n"
        "try:\n    app(['--help'])\nexcept SystemExit:\n"
        f"    print('imported:', *[name for name in {heavy} if name in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.splitlines()[-1] == "imported:"


def path_of(thing):
    return f"{thing.__module__}.{thing.__qualname__}"


PUBLIC = sorted(
    {path_of(cls) for cls in METHODS.values()}
    | {path_of(function) for function in MEASURES.values()}
    | {path_of(getattr(shoal, name)) for name in shoal.__all__ if callable(getattr(shoal, name))}
)


@pytest.mark.parametrize("path", PUBLIC)
def test_docstrings_are_complete(path):
    faults = [fault for fault in validate(path)["errors"] if fault[0] not in IGNORED]
    assert not faults
