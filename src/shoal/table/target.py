"""Where a release goes: a file that appears at the end, or a table of a database."""

from pathlib import Path
from typing import Protocol

from shoal.errors import ParameterError
from shoal.table.database import TableTarget, is_database
from shoal.table.dialect import Dialect
from shoal.table.files import check_format, write
from shoal.table.publish import Publication
from shoal.table.source import Source


class Target(Protocol):
    """Takes a table, and says what had no place."""

    def write(self, source: Source) -> tuple[str, ...]:
        """Write the table."""


class FileTarget:
    """A file, written beside its name until the publication is done.

    Parameters
    ----------
    path : Path
        The file.
    dialect : Dialect
        What its ending does not say.
    publication : Publication
        The files that appear together.
    """

    def __init__(self, path: Path, dialect: Dialect, publication: Publication):
        check_format(path, dialect)
        self.path, self.dialect = path, dialect
        self._part = publication.add(path)

    def write(self, source: Source) -> tuple[str, ...]:
        """Write the table beside its name; return what had no place."""
        return write(source, self._part, target=self.path, dialect=self.dialect)


def open_target(place: str, dialect: Dialect, publication: Publication) -> Target:
    """Return the target that ``place`` names; refuse before the work what would fail after it."""
    if is_database(place):
        return TableTarget(place, dialect.table, force=publication.force)
    if dialect.table is not None:
        raise ParameterError(
            "--target-table names a table, and the target is a file. Leave it out, or give the"
            " address of a database."
        )
    return FileTarget(Path(place), dialect, publication)
