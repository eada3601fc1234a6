"""Databases: addresses, connections and errors.

SQLAlchemy is imported on first use. The error messages of a database may contain values or
passwords, so they are never shown but translated into fixed sentences.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal._params import hint
from shoal.errors import FileError, MissingDependency, ParameterError
from shoal.io.source import Source
from shoal.io.store_addresses import is_store, redact_store

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection, Engine

DRIVERS = {"postgres": "postgresql+psycopg", "postgresql": "postgresql+psycopg"}
_REASON_OF_SQLSTATE = {
    "28": "the user or the password is wrong, or the user may not connect",
    "3D": "there is no such database",
    "25006": "the database is read-only",
    "42501": "this user may not do that",
    "53": "the database has no disk space or no connection left",
    "2BP01": "a view or another object depends on the table; drop or rename that first",
    "42P07": "the table exists already",
    "57014": "the statement was cancelled",
}
_REASON_OF_MESSAGE = {
    "readonly database": "the database is read-only",
    "unable to open database file": "the file cannot be opened",
    "file is not a database": "the file is not an SQLite database, or it is damaged",
    "malformed": "the file is damaged",
    "database is locked": "another process is writing to it; try again later",
    "password": "the user or the password is wrong",
    "does not exist": "there is no such database or user",
    "refused": "the server does not accept connections",
    "could not translate": "there is no such host",
    "resolve": "there is no such host",
    "timeout": "the server does not respond",
    "too large": "a date is infinite, or beyond the year 9999",
    "too small": "a date is infinite, or before the year 1",
}


def is_database(location: Any) -> bool:
    """Return whether a location is the address of a database rather than a file."""
    return "://" in str(location) and not is_store(location)


def redact_address(location: str) -> str:
    """Return a location for messages: an address without user and password."""
    if is_store(location):
        return redact_store(str(location))
    if not is_database(location):
        return str(location)
    url = _url(location)
    return f"{url.get_backend_name()}://{url.host or ''}/{url.database or ''}"


def sqlite_file(location: str) -> Path | None:
    """Return the file of an SQLite database, or None for other databases."""
    url = _url(location)
    if url.get_backend_name() != "sqlite":
        return None
    name = (url.database or "").removeprefix("file:")
    if name in ("", ":memory:"):
        raise FileError(
            "An SQLite address names a file: sqlite:///survey.db.", code="address-unreadable"
        )
    if not Path(name).parent.is_dir():
        raise FileError(
            f"There is no folder {str(Path(name).parent)!r}. Create it, or name another.",
            code="no-such-folder",
            folder=str(Path(name).parent),
        )
    return Path(name)


@contextmanager
def open_connection(location: str, *, commit: bool = False) -> Iterator["Connection"]:
    """Open a connection in one transaction, which is committed or else rolled back."""
    engine = _engine(location)
    try:
        with (
            translate_database_errors(location),
            engine.connect() as connection,
            connection.begin() as transaction,
        ):
            yield connection
            if not commit:
                transaction.rollback()
    finally:
        engine.dispose()


@contextmanager
def translate_database_errors(location: str) -> Iterator[None]:
    """Translate SQLAlchemy exceptions into `FileError`, without values and passwords."""
    from sqlalchemy.exc import SAWarning, SQLAlchemyError

    try:
        with warnings.catch_warnings(action="ignore", category=SAWarning):
            yield
    except SQLAlchemyError as error:
        raise FileError(
            f"{redact_address(location)!r}: {_reason(error)}. Nothing was changed.",
            code="database-refuses",
            place=redact_address(location),
        ) from None


def split_table_name(connection: "Connection", name: str) -> tuple[str | None, str]:
    """Return schema and table of ``schema.table``; None for a schema that does not exist."""
    from sqlalchemy import inspect

    schema, dot, table = name.partition(".")
    if dot and table and schema in inspect(connection).get_schema_names():
        return schema, table
    return None, name


def check_table_exists(
    connection: "Connection", location: str, schema: str | None, table: str
) -> None:
    """Refuse a table that the database does not have."""
    from sqlalchemy import inspect

    inspector = inspect(connection)
    names = [*inspector.get_table_names(schema), *inspector.get_view_names(schema)]
    if not names:
        raise FileError(
            f"{redact_address(location)!r} contains no table.",
            code="no-table",
            place=redact_address(location),
        )
    if table not in names:
        raise FileError(
            f"{redact_address(location)!r} has no table {table!r}.{hint(table, names)} The tables"
            f" are: {', '.join(sorted(names))}.",
            code="no-such-table",
            table=table,
        )


def read_table(location: str, table: str | None) -> Source:
    """Read a table of a database."""
    from shoal.io.database.tables import read

    if table is None:
        raise ParameterError(
            f"{redact_address(location)!r} is a database. Name a table with `table`.",
            code="table-needed",
            option="table",
        )
    file = sqlite_file(location)
    if file is not None and not file.exists():
        raise FileError(f"There is no file {str(file)!r}.", code="no-such-file", file=str(file))
    with open_connection(location) as connection:
        schema, name = split_table_name(connection, table)
        check_table_exists(connection, location, schema, name)
        return read(connection, schema, name)


def _engine(location: str) -> "Engine":
    from sqlalchemy import create_engine
    from sqlalchemy.exc import SQLAlchemyError

    url = _url(location)
    name = url.get_backend_name()
    if name == "sqlite":
        return _sqlite(url)
    url = url.set(drivername=DRIVERS.get(url.drivername, url.drivername))
    try:
        return create_engine(url, hide_parameters=True)
    except ImportError:
        raise MissingDependency(
            f'A {name} database needs a driver: pip install "shoal[sql]" installs the drivers of'
            " PostgreSQL and SQLite; install others yourself.",
            code="package-missing",
            extra="sql",
        ) from None
    except SQLAlchemyError:
        raise FileError(
            f"SQLAlchemy does not know databases of kind {name!r}. Check the address.",
            code="unknown-database",
            given=name,
        ) from None


def _sqlite(url: "URL") -> "Engine":
    """Open an SQLite file so that creating a table is part of the transaction.

    By default, Python's driver begins a transaction only before the first insert.
    """
    from sqlalchemy import create_engine, event

    engine = create_engine(url, hide_parameters=True)

    @event.listens_for(engine, "connect")
    def _disable_autobegin(connection: Any, record: Any) -> None:
        connection.isolation_level = None

    @event.listens_for(engine, "begin")
    def _begin(connection: Any) -> None:
        connection.exec_driver_sql("BEGIN")

    return engine


def _url(location: str) -> "URL":
    try:
        from sqlalchemy import make_url
    except ImportError:
        raise MissingDependency(
            'Databases need the package SQLAlchemy: pip install "shoal[sql]".',
            code="package-missing",
            extra="sql",
        ) from None
    from sqlalchemy.exc import ArgumentError

    try:
        return make_url(location)
    except (ArgumentError, ValueError):
        raise FileError(
            "The address of a database cannot be read. Write it like"
            " postgresql://user@host/database or sqlite:///file.db.",
            code="address-unreadable",
        ) from None


def _reason(error: Any) -> str:
    """Return the reason for an error of a database."""
    driver_error = getattr(error, "orig", None)
    state = str(getattr(driver_error, "sqlstate", None) or "")
    for start, reason in _REASON_OF_SQLSTATE.items():
        if state.startswith(start):
            return reason
    message = str(driver_error or "").lower()
    for word, reason in _REASON_OF_MESSAGE.items():
        if word in message:
            return reason
    return f"the database refused ({state or type(driver_error or error).__name__})"
