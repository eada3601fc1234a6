"""Excel files: one sheet, values alone.

openpyxl reads the values that a spreadsheet program has computed and never computes
itself. XlsxWriter writes: text stays text, even where it begins like a formula, and the
same table gives the same bytes.
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
