"""Excel files: the values of one sheet.

openpyxl reads the values that a spreadsheet program has saved and does not evaluate formulas.
XlsxWriter writes text as text, even if it looks like a formula, and the same bytes for the same
table.
"""

from shoal.errors import MissingDependency

try:
    from shoal.io.formats._excel_read import read
    from shoal.io.formats._excel_write import write
except ImportError:
    raise MissingDependency(
        'Excel files need the packages openpyxl and XlsxWriter: pip install "shoal[files]".',
        code="package-missing",
        extra="files",
    ) from None

__all__ = ["read", "write"]
