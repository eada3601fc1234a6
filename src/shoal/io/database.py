"""Databases: their addresses, and what goes wrong with them.

SQLAlchemy is imported when a database is met. What a database says about an error may
hold a value or a password, so none of it is shown: errors are told in our own words.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal._params import hint
from shoal.errors import FileError, MissingDependency, ParameterError
from shoal.io.source import Source

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection, Engine

DRIVERS = {"postgres": "postgresql+psycopg", "postgresql": "postgresql+psycopg"}
_REASONS = {
    "28": "the user or the password is wrong, or may not connect",
    "3D": "there is no such database",
    "25006": "the database is read-only",
    "42501": "this user may not do that",
    "53": "the database has no room or no connection left",
    "2BP01": "a view or another object depends on the table; drop or rename that first",
    "42P07": "the table exists already",
    "57014": "somebody cancelled it",
}
_WORDS = {
    "readonly database": "the database is read-only",
    "unable to open database file": "the file cannot be opened",
    "file is not a database": "the file is no SQLite database, or it is damaged",
    "malformed": "the file is damaged",
    "database is locked": "somebody else is writing to it; try again later",
    "password": "the user or the password is wrong",
    "does not exist": "there is no such database or user",
    "refused": "nobody answers there",
    "could not translate": "there is no such host",
    "resolve": "there is no such host",
    "timeout": "nobody answers there",
    "too large": "a date is infinite, or beyond the year 9999",
    "too small": "a date is infinite, or before the year 1",
}


def is_database(place: Any) -> bool:
    """Say whether a place is the address of a database and no file."""
    return "://" in str(place)


def redact_address(place: str) -> str:
    """Return a place as it may be shown: an address without user and password."""
    if not is_database(place):
        return str(place)
    url = _url(place)
    return f"{url.get_backend_name()}://{url.host or ''}/{url.database or ''}"


def sqlite_file(place: str) -> Path | None:
    """Return the file of an SQLite database, and None for other databases."""
    url = _url(place)
    if url.get_backend_name() != "sqlite":
        return None
    name = (url.database or "").removeprefix("file:")
    if name in ("", ":memory:"):
        raise FileError(
            "An SQLite address names a file: sqlite:///survey.db.", code="address-unreadable"
        )
    if not Path(name).parent.is_dir():
        raise FileError(
            f"There is no folder {str(Path(name).parent)!r}.",
            code="no-such-folder",
            folder=str(Path(name).parent),
        )
    return Path(name)


@contextmanager
def connected(place: str, *, keep: bool = False) -> Iterator["Connection"]:
    """Open a connection within one transaction; ``keep`` commits it, else it is rolled back."""
    engine = _engine(place)
    try:
        with (
            translate_database_errors(place),
            engine.connect() as connection,
            connection.begin() as transaction,
        ):
            yield connection
            if not keep:
                transaction.rollback()
    finally:
        engine.dispose()


@contextmanager
def translate_database_errors(place: str) -> Iterator[None]:
    """Turn what a database says into one line without values and passwords."""
    from sqlalchemy.exc import SAWarning, SQLAlchemyError

    try:
        with warnings.catch_warnings(action="ignore", category=SAWarning):
            yield
    except SQLAlchemyError as error:
        raise FileError(
            f"{redact_address(place)!r}: {_reason(error)}. Nothing was changed.",
            code="database-refuses",
            place=redact_address(place),
        ) from None


def table_named(connection: "Connection", name: str) -> tuple[str | None, str]:
    """Split ``schema.table`` where the database has such a schema."""
    from sqlalchemy import inspect

    schema, dot, table = name.partition(".")
    if dot and table and schema in inspect(connection).get_schema_names():
        return schema, table
    return None, name


def check_there(connection: "Connection", place: str, schema: str | None, table: str) -> None:
    """Refuse a table that the database does not have."""
    from sqlalchemy import inspect

    look = inspect(connection)
    names = [*look.get_table_names(schema), *look.get_view_names(schema)]
    if table not in names:
        raise FileError(
            f"{redact_address(place)!r} has no table {table!r}.{hint(table, names)} The tables are:"
            f" {', '.join(sorted(names)) or 'none'}.",
            code="no-such-table",
            table=table,
        )


def read_table(place: str, table: str | None) -> Source:
    """Read a table of a database."""
    from shoal.io.sql import read

    if table is None:
        raise ParameterError(
            f"{redact_address(place)!r} is a database. Name a table with `table`.",
            code="table-needed",
            option="table",
        )
    file = sqlite_file(place)
    if file is not None and not file.exists():
        raise FileError(f"There is no file {str(file)!r}.", code="no-such-file", file=str(file))
    with connected(place) as connection:
        schema, name = table_named(connection, table)
        check_there(connection, place, schema, name)
        return read(connection, schema, name)


def _engine(place: str) -> "Engine":
    from sqlalchemy import create_engine
    from sqlalchemy.exc import SQLAlchemyError

    url = _url(place)
    name = url.get_backend_name()
    if name == "sqlite":
        return _sqlite(url)
    url = url.set(drivername=DRIVERS.get(url.drivername, url.drivername))
    try:
        return create_engine(url, hide_parameters=True)
    except ImportError:
        raise MissingDependency(
            f'A {name} database needs a driver: pip install "shoal[sql]" brings the one of'
            " PostgreSQL and SQLite; others have their own.",
            code="package-missing",
            extra="sql",
        ) from None
    except SQLAlchemyError:
        raise FileError(
            f"There is no kind of database {name!r} that SQLAlchemy knows.",
            code="unknown-database",
            given=name,
        ) from None


def _sqlite(url: "URL") -> "Engine":
    """Open an SQLite file so that making a table is part of the transaction.

    Left alone, Python's driver begins a transaction only before the first insert.
    """
    from sqlalchemy import create_engine, event

    engine = create_engine(url, hide_parameters=True)

    @event.listens_for(engine, "connect")
    def _leave_alone(connection: Any, record: Any) -> None:
        connection.isolation_level = None

    @event.listens_for(engine, "begin")
    def _begin(connection: Any) -> None:
        connection.exec_driver_sql("BEGIN")

    return engine


def _url(place: str) -> "URL":
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
        return make_url(place)
    except (ArgumentError, ValueError):
        raise FileError(
            "The address of a database cannot be read. It looks like"
            " postgresql://user@host/database or sqlite:///file.db.",
            code="address-unreadable",
        ) from None


def _reason(error: Any) -> str:
    """Return why a database refused, in our words."""
    original = getattr(error, "orig", None)
    state = str(getattr(original, "sqlstate", None) or "")
    for start, reason in _REASONS.items():
        if state.startswith(start):
            return reason
    message = str(original or "").lower()
    for word, reason in _WORDS.items():
        if word in message:
            return reason
    return f"the database refused ({state or type(original or error).__name__})"
