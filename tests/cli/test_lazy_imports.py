"""Deferred imports: not paid for by a command, complete when they are needed."""

import subprocess
import sys

import pytest
from sklearn import __version__

# Earlier versions of scikit-learn use some of the modules when they are imported themselves.
USES_NONE = tuple(map(int, __version__.split(".")[:2])) >= (1, 8)


def run(code):
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def test_scikit_learn_starts_without_them_and_unused_placeholders_are_discarded():
    code = (
        "import sys; from shoal.cli.lazy_imports import defer_imports, discard_placeholders;"
        "defer_imports(); import shoal.plan;"
        "deferred = ('scipy.special._ufuncs', 'scipy.stats._stats_py', 'pandas.core');"
        "print(not any(name in sys.modules for name in deferred));"
        "discard_placeholders(); print('pandas' not in sys.modules);"
        "import pandas; print(pandas.Series([1]).sum())"
    )
    assert run(code).split() == [str(USES_NONE), str(USES_NONE), "1"]


NOT_NEEDED_TO_MASK = (
    "dask", "distributed", "highspy", "jinja2", "matplotlib", "pandas.plotting._matplotlib",
    "pyarrow.dataset", "pyarrow.parquet", "sklearn.metrics", "sklearn.neighbors", "sqlalchemy",
    "urllib.request",
    "shoal.app", "shoal.audit", "shoal.comparison", "shoal.inspection", "shoal.scale",
    "shoal.metrics.analyses", "shoal.metrics.attacks",
    "shoal.partitioners._column_generation.prove", "shoal.report.html",
    *(["scipy.optimize"] if USES_NONE else []),
)  # fmt: skip


def test_masking_a_csv_file_imports_nothing_that_it_does_not_need(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    values = "\n".join(f"{number % 7},{number % 5}" for number in range(40))
    (tmp_path / "in.csv").write_text(f"age,height\n{values}\n")
    code = (
        "import sys; from shoal.cli import main\n"
        "sys.argv = ['shoal', 'mask', 'in.csv', 'out.csv', '-c', 'age,height', '-k', '5', '-q']\n"
        "try: main()\n"
        f"except SystemExit: print([n for n in {NOT_NEEDED_TO_MASK} if n in sys.modules])"
    )
    assert run(code) == "[]"
    assert (tmp_path / "out.csv").exists()


@pytest.mark.parametrize(("given", "used"), [(None, "20"), ("26", "26")])
def test_idle_threads_of_openblas_sleep_soon_unless_the_user_decides(monkeypatch, given, used):
    monkeypatch.delenv("OPENBLAS_THREAD_TIMEOUT", raising=False)
    if given:
        monkeypatch.setenv("OPENBLAS_THREAD_TIMEOUT", given)
    code = (
        "import os, sys; from shoal.cli import main\n"
        "print('numpy' in sys.modules)\n"
        "sys.argv = ['shoal', '--version']\n"
        "try: main()\n"
        "except SystemExit: print(os.environ['OPENBLAS_THREAD_TIMEOUT'])"
    )
    numpy_is_imported, *_, timeout = run(code).split()
    assert (numpy_is_imported, timeout) == ("False", used)


def test_a_module_that_is_used_is_the_real_one():
    code = (
        "from shoal.cli.lazy_imports import defer_imports; defer_imports();"
        "import pandas, scipy.stats; from scipy.stats import rankdata;"
        "frame = pandas.DataFrame({'a': [3, 1]});"
        "import pandas as real; assert isinstance(frame, real.DataFrame);"
        "from scipy.special import gammaln;"
        "print(rankdata(frame['a']).tolist(), scipy.stats.mode([1, 1, 2]).mode, gammaln(1.0))"
    )
    assert run(code) == "[2.0, 1.0] 1 0.0"


def test_imported_modules_are_kept():
    code = (
        "import pandas; from shoal.cli.lazy_imports import defer_imports; defer_imports();"
        "import sys; print(sys.modules['pandas'] is pandas)"
    )
    assert run(code) == "True"
