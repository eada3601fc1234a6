"""Deferred imports: not paid for by a command, complete when they are needed."""

import subprocess
import sys

from sklearn import __version__

# Earlier versions of scikit-learn use some of the modules when they are imported themselves.
USES_NONE = tuple(map(int, __version__.split(".")[:2])) >= (1, 8)


def run(code):
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def test_scikit_learn_starts_without_them():
    code = (
        "import sys; from shoal.cli._lazy_imports import defer_imports; defer_imports();"
        "import shoal.plan;"
        "deferred = ('scipy.special._ufuncs', 'scipy.stats._stats_py', 'pandas.core');"
        "print([name for name in deferred if name in sys.modules])"
    )
    assert (run(code) == "[]") is USES_NONE


def test_masking_imports_no_neighbours_and_no_measures_of_scikit_learn():
    code = (
        "import sys, shoal.audit, shoal.plan, shoal.plan.deliver, shoal.report;"
        "print([name for name in ('sklearn.neighbors', 'sklearn.metrics') if name in sys.modules])"
    )
    assert run(code) == "[]"


def test_a_module_that_is_used_is_the_real_one():
    code = (
        "from shoal.cli._lazy_imports import defer_imports; defer_imports();"
        "import pandas, scipy.stats; from scipy.stats import rankdata;"
        "frame = pandas.DataFrame({'a': [3, 1]});"
        "import pandas as real; assert isinstance(frame, real.DataFrame);"
        "from scipy.special import gammaln;"
        "print(rankdata(frame['a']).tolist(), scipy.stats.mode([1, 1, 2]).mode, gammaln(1.0))"
    )
    assert run(code) == "[2.0, 1.0] 1 0.0"


def test_unused_placeholders_are_discarded():
    code = (
        "from shoal.cli._lazy_imports import defer_imports, discard_placeholders; defer_imports();"
        "import shoal.plan; discard_placeholders();"
        "import sys; print('pandas' in sys.modules); import pandas; print(pandas.Series([1]).sum())"
    )
    assert run(code).split() == [str(not USES_NONE), "1"]


def test_imported_modules_are_kept():
    code = (
        "import pandas; from shoal.cli._lazy_imports import defer_imports; defer_imports();"
        "import sys; print(sys.modules['pandas'] is pandas)"
    )
    assert run(code) == "True"
