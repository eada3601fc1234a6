"""Workbooks of Excel and OpenDocument: the values of one sheet.

python-calamine reads saved values and evaluates no formulas. openpyxl counts errors and formulas
without a saved value. XlsxWriter writes text as text, even if it looks like a formula, and gives
the same bytes for the same table.
"""

from shoal.errors import MissingDependency

try:
    from shoal.io.formats._excel.reading import read
    from shoal.io.formats._excel.writing import write
except ImportError:
    raise MissingDependency(
        "Workbooks need the packages python-calamine, openpyxl and XlsxWriter: pip install"
        ' "shoal[files]".',
        code="package-missing",
        extra="files",
    ) from None

__all__ = ["read", "write"]
