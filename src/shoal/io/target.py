"""Targets of a release: a file or a table of a database, published at the end."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self

from shoal import _progress as progress
from shoal.errors import FileError, ParameterError
from shoal.io.database.connection import (
    is_database,
    open_connection,
    redact_address,
    split_table_name,
    sqlite_file,
)
from shoal.io.dialect import Dialect
from shoal.io.files import check_format, read_back, write
from shoal.io.formats import format_of
from shoal.io.publish import Publication
from shoal.io.source import Source

if TYPE_CHECKING:
    from sqlalchemy import Connection


class Target(Protocol):
    """Writes a table, reads it back, and publishes it on request."""

    @property
    def temporary_path(self) -> Path | None:
        """Path of the file until it is published, or None for a database."""

    @property
    def shows_formulas(self) -> bool:
        """Whether a spreadsheet program would evaluate text that looks like a formula."""

    def write(self, source: Source) -> tuple[str, ...]:
        """Write the table; return sentences about what could not be represented."""

    def read_back(self) -> Source:
        """Read what was written, before it is published."""

    def publish(self) -> None:
        """Make visible what was written."""

    def __enter__(self) -> Self:
        """Begin; what is not published by the end is undone."""

    def __exit__(self, *exception: Any) -> None:
        """Undo what was not published."""


class FileTarget:
    """A file, written under a temporary name until it is published.

    Parameters
    ----------
    path : Path
        Path of the file.
    dialect : Dialect
        What its suffix does not state.
    publication : Publication
        Files that are published together.
    """

    def __init__(self, path: Path, dialect: Dialect, publication: Publication):
        check_format(path, dialect)
        self.path, self.dialect = path, dialect
        self.temporary_path = publication.add(path)

    @property
    def shows_formulas(self) -> bool:
        """Whether it is a text table whose formulas are not marked."""
        return format_of(self.path, self.dialect).name == "text" and not self.dialect.mark_formulas

    def write(self, source: Source) -> tuple[str, ...]:
        """Write the table; return sentences about what could not be represented."""
        return write(source, self.temporary_path, target=self.path, dialect=self.dialect)

    def read_back(self) -> Source:
        """Read the file before it is published."""
        return read_back(self.temporary_path, target=self.path, dialect=self.dialect)

    def publish(self) -> None:
        """Do nothing: the publication renames all files together."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: Any) -> None:
        """Do nothing: the publication removes partial files."""


class TableTarget:
    """A table to be created in a database, in one transaction.

    Parameters
    ----------
    location : str
        The address of the database.
    table : str or None
        The table's name.
    force : bool
        Whether a table that exists may be replaced, within the transaction.
    """

    temporary_path: Path | None = None
    shows_formulas = False

    def __init__(self, location: str, table: str | None, *, force: bool = False):
        if table is None:
            raise ParameterError(
                f"{redact_address(location)!r} is a database. Name a table to write with"
                " `target_table`.",
                code="target-table-needed",
                option="target_table",
            )
        self.location, self.table, self.force = location, table, force
        file = sqlite_file(location)
        self._new_file = file if file is not None and not file.exists() else None
        self._transaction = ExitStack()
        self._connection: Connection | None = None
        if self._new_file is None:
            with open_connection(location) as connection:
                self._check_table(connection)

    def write(self, source: Source) -> tuple[str, ...]:
        """Create the table in the transaction; return what could not be represented."""
        from shoal.io.database.tables import write

        self._connection = self._transaction.enter_context(
            open_connection(self.location, commit=True)
        )
        schema, name, exists = self._check_table(self._connection)
        remarks = write(source, self._connection, schema, name, replace=exists)
        return (*source.remarks, *remarks)

    def read_back(self) -> Source:
        """Read the table in the transaction that created it, in the order of insertion."""
        from shoal.io.database.tables import read

        if self._connection is None:
            raise RuntimeError("A table must be written before it is read back.")
        schema, name = split_table_name(self._connection, self.table)
        return read(self._connection, schema, name, as_written=True)

    def publish(self) -> None:
        """Commit the transaction."""
        self._transaction.close()
        self._new_file = None
        progress.report_published([str(self.table)])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: Any) -> None:
        """Roll back what was not committed; remove a database file that did not exist before."""
        try:
            self._transaction.__exit__(*exception)
        finally:
            if self._new_file is not None:  # SQLite creates the file before the table
                self._new_file.unlink(missing_ok=True)

    def _check_table(self, connection: "Connection") -> tuple[str | None, str, bool]:
        from sqlalchemy import inspect

        schema, name = split_table_name(connection, self.table)
        inspector = inspect(connection)
        if name in inspector.get_view_names(schema):
            raise FileError(
                f"{name!r} is a view of {redact_address(self.location)!r}. Name another table.",
                code="target-is-a-view",
                table=name,
            )
        exists = inspector.has_table(name, schema)
        if exists and not self.force:
            raise FileError(
                f"Table {name!r} exists already in {redact_address(self.location)!r}. Use"
                " `force=True` to replace it.",
                code="table-exists",
                table=name,
            )
        self._check_writable(connection, schema)
        return schema, name, exists

    def _check_writable(self, connection: "Connection", schema: str | None) -> None:
        """Refuse a read-only database, or one where the user may not create tables."""
        from sqlalchemy import func, select

        family = connection.dialect.name
        read_only = False
        if family == "postgresql":
            read_only = connection.exec_driver_sql("SHOW transaction_read_only").scalar() == "on"
            allowed = func.has_schema_privilege(schema or func.current_schema(), "CREATE")
            if not read_only and not connection.scalar(select(allowed)):
                raise FileError(
                    f"{redact_address(self.location)!r}: this user may not create tables there. Ask"
                    " for the permission, or write to another database.",
                    code="not-allowed",
                    place=redact_address(self.location),
                )
        elif family == "sqlite":
            read_only = bool(connection.exec_driver_sql("PRAGMA query_only").scalar())
            # A no-op write, which a read-only database refuses.
            version = connection.exec_driver_sql("PRAGMA user_version").scalar()
            connection.exec_driver_sql(f"PRAGMA user_version = {version}")
        if read_only:
            raise FileError(
                f"{redact_address(self.location)!r} is read-only. Nothing was changed.",
                code="read-only",
                place=redact_address(self.location),
            )


def open_target(location: str, dialect: Dialect, publication: Publication) -> Target:
    """Return the target that ``location`` names; refuse early what would fail when writing."""
    if is_database(location):
        return TableTarget(location, dialect.table, force=publication.force)
    if dialect.table is not None:
        raise ParameterError(
            "`target_table` names a table, but the target is a file. Leave it out, or give the"
            " address of a database.",
            code="target-is-no-database",
            option="target_table",
        )
    return FileTarget(Path(location), dialect, publication)
