"""Databases: an SQLite file, and a PostgreSQL server that these tests start."""

import sqlite3

import pyarrow as pa
import pytest
import sqlalchemy as sa

from postgresql_server import PASSWORD, postgresql
from raising import raises
from shoal import _progress as progress
from shoal.errors import ColumnError, FileError, ParameterError
from shoal.io.database.connection import redact_address
from shoal.io.dialect import Dialect
from shoal.io.files import open_source, read
from shoal.io.source import Source
from shoal.io.target import TableTarget

SURVEY = Dialect(table="survey")
TYPES = """id serial PRIMARY KEY, name varchar(20), age smallint, height numeric(6, 2),
    pay double precision, share real, ok boolean, born date, seen timestamptz, told timestamp,
    code char(4), key uuid, answers jsonb, tags text[], mood mood, huge numeric, scan bytea,
    spent interval"""
ROW = """'P{i}', {age}, {height}, {i} * 1.1, 0.1, {i} < 3, '2000-01-02',
    '2020-01-01 12:00:00.123456+02', '1200-01-01', 'a{i}',
    '00000000-0000-0000-0000-00000000000{i}', '{{"a": [{i}]}}', '{{x,"y z"}}', 'happy',
    123456789012345678901234567890.12345, '\\x00ff', '1 day 2 hours'"""
UNMASKED = ["id", "pay", "share", "ok", "born", "seen", "told", "code", "key", "answers", "tags"]
UNMASKED += ["huge", "scan", "spent"]


@pytest.fixture(scope="module")
def server():
    with postgresql() as address:
        yield address


@pytest.fixture
def run(server):
    engine = sa.create_engine(
        server.replace("postgresql:", "postgresql+psycopg:"), poolclass=sa.NullPool
    )

    def run(*statements):
        with engine.begin() as connection:
            for statement in statements:
                actual = connection.exec_driver_sql(statement)
            return actual.fetchall() if actual.returns_rows else None

    run("DROP SCHEMA public CASCADE", "CREATE SCHEMA public", "CREATE TYPE mood AS ENUM ('happy')")
    run(f"CREATE TABLE survey ({TYPES})", "COMMENT ON COLUMN survey.age IS 'Age in years'")
    for i in range(6):
        row = ROW.format(i=i, age=20 + i, height=150.25 + i)
        run(f"INSERT INTO survey VALUES (10 - {i}, {row})")
    return run


def masked_survey(address):
    """Return a release of the survey with age masked and name dropped."""
    source = open_source(address, dialect=SURVEY)
    data = source.table.drop(["name"])
    position = data.column_names.index("age")
    data = data.set_column(position, "age", pa.array([i // 3 + 0.5 for i in range(6)]))
    return source.for_release(data, [name for name in data.column_names if name != "age"])


def publish(target, source):
    """Create the table, read it back in the order of insertion, and commit."""
    with target:
        remarks = target.write(source)
        back = target.read_back().table
        if target.location.startswith("sqlite"):
            assert back.column(0).to_pylist() == source.table.column(0).to_pylist()
        assert back.num_rows == source.table.num_rows
        target.publish()
    return remarks


def test_a_table_is_read_with_its_types_in_the_order_of_its_key(server, run):
    table = read(server, dialect=SURVEY)
    assert table.column("id").to_pylist() == [5, 6, 7, 8, 9, 10]
    types = {field.name: str(field.type) for field in table.schema}
    assert types["age"] == "int16"
    assert types["height"] == "decimal128(6, 2)"
    assert types["seen"] == "timestamp[us, tz=UTC]"
    assert types["born"] == "date32[day]"
    assert types["mood"] == types["answers"] == types["spent"] == "string"


def test_types_values_and_comments_are_kept(server, run):
    publish(TableTarget(server, "release"), masked_survey(server))
    same = " AND ".join(f"r.{name} = s.{name}" for name in UNMASKED)
    query = f"SELECT count(*) FROM release r JOIN survey s USING (id) WHERE {same}"
    assert run(query) == [(6,)]
    types = """SELECT column_name, format_type(atttypid, atttypmod) FROM
        information_schema.columns JOIN pg_attribute ON attname = column_name
        AND attrelid = '{0}'::regclass WHERE table_name = '{0}'"""
    source_types, release_types = (dict(run(types.format(name))) for name in ("survey", "release"))
    assert release_types.pop("age") == "double precision"
    assert release_types.pop("mood") == "text"  # a user-defined type is not kept
    assert release_types == {name: source_types[name] for name in release_types}
    assert "name" not in release_types
    assert run("SELECT col_description('release'::regclass, 2)") == [("Age in years",)]


def test_an_infinite_date_is_refused_without_quoting_the_database(server, run):
    run("UPDATE survey SET told = 'infinity' WHERE id = 5")
    with raises(FileError, "database-refuses"):
        read(server, dialect=SURVEY)


def test_a_table_of_any_source_is_written_and_read_back(server, run, tmp_path):
    table = pa.table(
        {
            "n": pa.array([2**63, 1], pa.uint64()),
            "x": [0.1, None],
            'Ünüsual "name" %s': ["'; DROP TABLE survey; --", None],
            "c": pa.array(["a", "b"]).dictionary_encode(),
            "f": pa.array([0.1, 1.5], pa.float32()),
            "ns": pa.array([1, 1000], pa.timestamp("ns")),
        }
    )
    remarks = publish(TableTarget(server, "public.other"), Source(table))
    assert remarks == ("Column 'ns' loses its nanoseconds in a database.",)
    back = read(server, dialect=Dialect(table="other"))
    assert [[float(v) for v in back.column("n").to_pylist()]] == [[2.0**63, 1.0]]
    assert back.column(2).to_pylist() == ["'; DROP TABLE survey; --", None]
    assert back.column("f").equals(table.column("f"))
    assert run("SELECT count(*) FROM survey") == [(6,)]


def test_a_table_that_exists_is_refused_or_replaced_within_the_transaction(server, run):
    run("CREATE TABLE release (a int)", "INSERT INTO release VALUES (7)")
    with raises(FileError, "table-exists", table="release"):
        TableTarget(server, "release")
    target, release = TableTarget(server, "release", force=True), masked_survey(server)

    def interrupted(stage, done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), progress.reporting_to(interrupted):
        publish(target, release)
    assert run("SELECT * FROM release") == [(7,)]
    publish(target, release)
    assert run("SELECT count(*) FROM release") == [(6,)]
    run("CREATE VIEW seen AS SELECT age FROM release")
    with raises(FileError, "database-refuses"):
        publish(target, release)
    with raises(FileError, "target-is-a-view"):
        TableTarget(server, "seen", force=True)
    assert run("SELECT count(*) FROM seen") == [(6,)]


def test_a_table_created_meanwhile_is_kept(server, run):
    target, release = TableTarget(server, "release"), masked_survey(server)
    run("CREATE TABLE release (a int)")
    with raises(FileError, "table-exists"):
        publish(target, release)


def test_a_read_only_database_is_refused(server, run):
    address = f"{server}?options=-cdefault_transaction_read_only%3Don"
    assert read(address, dialect=SURVEY).num_rows == 6
    with raises(FileError, "read-only"):
        TableTarget(address, "release")
    run("DROP ROLE IF EXISTS reader", f"CREATE ROLE reader LOGIN PASSWORD '{PASSWORD}'")
    run("GRANT USAGE ON SCHEMA public TO reader")
    with raises(FileError, "not-allowed"):
        TableTarget(server.replace("owner", "reader"), "release")
    with raises(FileError, "database-refuses"):
        read(server.replace("owner", "reader"), dialect=SURVEY)
    run("REVOKE ALL ON SCHEMA public FROM reader", "DROP ROLE reader")


def test_no_error_shows_a_password_a_user_or_a_value(server, run):
    run("CREATE TABLE release (a int)")
    wrong = server.replace(PASSWORD, "sesame-sesame")
    nobody = "postgresql://owner:sesame-sesame@127.0.0.1:9/postgres"
    attempts = [
        (lambda: read(wrong, dialect=SURVEY), "database-refuses"),
        (lambda: read(nobody, dialect=SURVEY), "database-refuses"),
        (lambda: read(f"{server}s", dialect=SURVEY), "database-refuses"),
        (lambda: read(server, dialect=Dialect(table="surveys")), "no-such-table"),
        (lambda: read(server), "table-needed"),
        (lambda: TableTarget(server, None), "target-table-needed"),
        (lambda: TableTarget(server, "release"), "table-exists"),
        (lambda: read(f"{server}:x:y@[", dialect=SURVEY), "address-unreadable|database-refuses"),
        (lambda: read("mysterious://owner:sesame-sesame@h/d", dialect=SURVEY), "unknown-database"),
    ]
    for attempt, codes in attempts:
        with pytest.raises((FileError, ParameterError)) as error:
            attempt()
        assert error.value.code in codes.split("|")
        for secret in (PASSWORD, "sesame", "owner"):
            assert secret not in str(error.value)
    assert redact_address(server) == "postgresql://127.0.0.1/postgres"


@pytest.fixture
def sqlite_path(tmp_path):
    path = tmp_path / "survey.db"
    with sqlite3.connect(path) as connection:
        connection.execute(
            "CREATE TABLE survey (id INTEGER PRIMARY KEY, name VARCHAR(9), age INT, code TEXT,"
            " born DATE, price DECIMAL(5, 2), free)"
        )
        connection.executemany(
            "INSERT INTO survey VALUES (?, ?, ?, ?, ?, ?, ?)",
            [(9 - i, f"P{i}", 20 + i, f"00{i}", "2020-01-02", 1.5, b"\x00") for i in range(6)],
        )
    connection.close()
    return path


def test_sqlite_tables_round_trip(sqlite_path):
    address = f"sqlite:///{sqlite_path}"
    assert publish(TableTarget(address, "release"), masked_survey(address)) == ()
    with sqlite3.connect(sqlite_path) as connection:
        source_rows = connection.execute(
            "SELECT id, code, born, price, free FROM survey ORDER BY id"
        )
        release_rows = connection.execute("SELECT id, code, born, price, free FROM release")
        assert source_rows.fetchall() == release_rows.fetchall()
        declared = "SELECT name, type FROM pragma_table_info('{}') WHERE name IN ('code', 'price')"
        kinds = [connection.execute(declared.format(t)).fetchall() for t in ("survey", "release")]
        assert kinds[0] == kinds[1]
    connection.close()


def test_sqlite_writes_a_whole_table_or_none(sqlite_path):
    address, content = f"sqlite:///{sqlite_path}", sqlite_path.read_bytes()
    target, release = TableTarget(address, "release"), masked_survey(address)
    assert sqlite_path.read_bytes() == content

    def interrupted(stage, done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), progress.reporting_to(interrupted):
        publish(target, release)
    with raises(FileError, "no-such-table", table="release"):
        read(address, dialect=Dialect(table="release"))
    publish(target, release)
    with raises(FileError, "table-exists"):
        TableTarget(address, "release")
    publish(TableTarget(address, "release", force=True), release)


def test_a_read_only_sqlite_file_is_refused(sqlite_path):
    address = f"sqlite:///file:{sqlite_path}?mode=ro&uri=true"
    assert read(address, dialect=SURVEY).num_rows == 6
    with raises(FileError, "database-refuses"):
        TableTarget(address, "release")


def test_other_files_than_sqlite_databases_are_refused(tmp_path):
    (tmp_path / "t.db").write_text("no database at all, but long enough to look at" * 30)
    with raises(FileError, "database-refuses"):
        read(f"sqlite:///{tmp_path}/t.db", dialect=SURVEY)
    with raises(FileError, "no-such-folder"):
        read(f"sqlite:///{tmp_path}/none/t.db", dialect=SURVEY)
    with raises(FileError, "address-unreadable"):
        read("sqlite://", dialect=SURVEY)
    with raises(FileError, "no-such-file"):
        read(f"sqlite:///{tmp_path}/none.db", dialect=SURVEY)
    assert not (tmp_path / "none.db").exists()


def test_a_database_without_tables_is_refused(tmp_path):
    sqlite3.connect(tmp_path / "empty.db").close()
    with raises(FileError, "no-table"):
        read(f"sqlite:///{tmp_path}/empty.db", dialect=SURVEY)


def test_a_new_sqlite_file_appears_with_its_table_or_not_at_all(sqlite_path, tmp_path):
    release = masked_survey(f"sqlite:///{sqlite_path}")
    address = f"sqlite:///{tmp_path}/new.db"
    target = TableTarget(address, "release")

    def interrupted(stage, done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), progress.reporting_to(interrupted):
        publish(target, release)
    assert not (tmp_path / "new.db").exists()
    publish(target, release)
    assert read(address, dialect=Dialect(table="release")).num_rows == 6


def test_a_column_of_mixed_kinds_is_refused(sqlite_path):
    with sqlite3.connect(sqlite_path) as connection:
        connection.execute("UPDATE survey SET free = 'text' WHERE id = 9")
    connection.close()
    with raises(ColumnError, "mixed-values", column="free"):
        read(f"sqlite:///{sqlite_path}", dialect=SURVEY)
