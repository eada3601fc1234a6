"""Workbooks of Excel and OpenDocument: the values of one sheet.

python-calamine reads the values that a spreadsheet program has saved and does not evaluate
formulas; openpyxl counts the cells that have none. XlsxWriter writes text as text, even if it looks
like a formula, and the same bytes for the same table.
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
