"""Fixed-width text and its column map."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raising import raises
from shoal.audit import manifest as manifests
from shoal.audit import verify
from shoal.errors import FileError, ParameterError
from shoal.io.dialect import Dialect
from shoal.io.files import open_source, read, write
from shoal.partitioners import MDAV
from shoal.plan import Plan
from shoal.plan.deliver import deliver

MAP = """
[[columns]]
name = "code"
start = 1
width = 4

[[columns]]
name = "age"
start = 6
width = 5
type = "number"

[[columns]]
name = "town"
start = 11
width = 8
"""
TEXT = "007  \x20\x20034Zürich  \nab c   1.5Bern\n\n0080    -7        \n"


@pytest.fixture
def dialect(tmp_path):
    (tmp_path / "map.toml").write_text(MAP, encoding="utf-8")
    return Dialect(layout=tmp_path / "map.toml")


@pytest.mark.parametrize("name", ["t.fwf", "t.dat", "t.txt", "t.asc.gz", "t.fwf.zst"])
def test_columns_are_read_by_position_and_written_unchanged(tmp_path, dialect, name):
    plain = tmp_path / "plain.fwf"
    plain.write_text(TEXT, encoding="utf-8")
    source = open_source(plain, dialect=dialect, numbers=["age"])
    assert source.table.to_pydict() == {
        "code": ["007", "ab c", "0080"],
        "age": [34.0, 1.5, -7.0],
        "town": ["Zürich", "Bern", ""],
    }
    unparsed = open_source(plain, dialect=dialect, numbers=())
    assert unparsed.table.column("age").to_pylist() == ["034", "1.5", "-7"]
    target = tmp_path / name
    write(unparsed, target, target=target, dialect=dialect)
    assert read(target, dialect=dialect, numbers=()).equals(unparsed.table)
    if name == "t.fwf":
        assert target.read_text(encoding="utf-8").splitlines() == [
            "007    034Zürich  ",
            "ab c   1.5Bern    ",
            "0080    -7        ",
        ]


def test_a_dropped_column_is_left_blank(tmp_path, dialect):
    target = tmp_path / "t.fwf"
    table = pa.table({"age": [20.5, None], "town": ["Bern", None]})
    write(table, target, target=target, dialect=dialect)
    assert target.read_text() == "      20.5Bern    \n" + " " * 18 + "\n"


def test_values_that_do_not_fit_are_refused_without_quoting_them(tmp_path, dialect):
    target = tmp_path / "t.fwf"
    with raises(FileError, "value-too-wide", column="age", needed=18, width=5) as error:
        write(pa.table({"age": [34.333333333333336]}), target, target=target, dialect=dialect)
    assert "333" not in str(error.value)
    with raises(FileError, "line-ends"):
        write(pa.table({"town": ["a\nb"]}), target, target=target, dialect=dialect)
    with raises(FileError, "layout-lacks-column", column="towns"):
        write(pa.table({"towns": ["a"]}), target, target=target, dialect=dialect)
    latin = Dialect(layout=dialect.layout, encoding="latin-1")
    with raises(FileError, "cannot-encode"):
        write(pa.table({"town": ["λ"]}), target, target=target, dialect=latin)


def test_text_beyond_the_map_is_refused(tmp_path, dialect):
    (tmp_path / "t.fwf").write_text("007    034Zürich     x\n", encoding="utf-8")
    with raises(FileError, "line-beyond-layout", line=1, length=22):
        read(tmp_path / "t.fwf", dialect=dialect)
    (tmp_path / "t.fwf").write_bytes("007    034Zürich\n".encode("latin-1"))
    with raises(FileError, "wrong-encoding", encoding="latin-1"):
        read(tmp_path / "t.fwf", dialect=dialect)


COLUMN = '[[columns]]\nname = "a"\nstart = 1\nwidth = 2\n'
MALFORMED_MAPS = [
    ("", "layout-malformed"),
    ("columns = 3", "layout-malformed"),
    ("columns = [3]", "layout-malformed"),
    (COLUMN + 'kind = "text"', "unknown-key"),
    (COLUMN.replace("1", "0"), "layout-malformed"),
    (COLUMN.replace("2", "true"), "layout-malformed"),
    (COLUMN.replace('name = "a"\n', ""), "layout-malformed"),
    (COLUMN + 'type = "date"', "layout-malformed"),
    (COLUMN + COLUMN.replace('"a"', '"b"').replace("1", "2"), "layout-overlaps"),
    ("[[columns", "layout-malformed"),
]


@pytest.mark.parametrize(("text", "code"), MALFORMED_MAPS)
def test_a_malformed_map_is_refused(tmp_path, text, code):
    (tmp_path / "t.fwf").write_text("ab\n")
    (tmp_path / "m.toml").write_text(text)
    with raises(FileError, code):
        read(tmp_path / "t.fwf", dialect=Dialect(layout=tmp_path / "m.toml"))


def test_a_missing_column_map_is_requested(tmp_path):
    (tmp_path / "t.fwf").write_text("ab\n")
    with raises(ParameterError, "layout-needed"):
        read(tmp_path / "t.fwf")
    with raises(FileError, "file-unreadable"):
        read(tmp_path / "t.fwf", dialect=Dialect(layout=tmp_path / "none.toml"))


@given(
    cells=st.lists(
        st.text(st.characters(blacklist_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), max_size=4),
        min_size=1,
    )
)
def test_any_text_that_fits_is_read_back(tmp_path_factory, cells):
    folder = tmp_path_factory.mktemp("f")
    (folder / "map.toml").write_text(MAP)
    dialect = Dialect(layout=folder / "map.toml")
    table = pa.table({"code": ["x"] * len(cells), "age": ["1"] * len(cells), "town": cells})
    write(table, folder / "t.fwf", target=folder / "t.fwf", dialect=dialect)
    assert read(folder / "t.fwf", dialect=dialect, numbers=()).equals(table)


def test_a_line_of_blanks_is_a_record_without_values(tmp_path):
    (tmp_path / "map.toml").write_text(
        '[[columns]]\nname = "a"\nstart = 1\nwidth = 3\ntype = "number"\n'
        '[[columns]]\nname = "b"\nstart = 4\nwidth = 3\n'
    )
    (tmp_path / "in.fwf").write_text("  1x  \n      \n  2y  \n\n")
    table = open_source(tmp_path / "in.fwf", dialect=Dialect(layout=tmp_path / "map.toml")).table
    assert table.num_rows == 3


@pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")
@pytest.mark.parametrize("other_columns", ["drop", "release"])
def test_a_correct_release_is_verified(tmp_path, other_columns):
    widths = {"id": (1, 3, "text"), "age": (4, 5, "number"), "code": (10, 3, "text")}
    entries = [
        f'[[columns]]\nname = "{name}"\nstart = {start}\nwidth = {width}\ntype = "{kind}"\n'
        for name, (start, width, kind) in widths.items()
    ]
    layout, source = tmp_path / "map.toml", tmp_path / "in.fwf"
    layout.write_text("".join(entries))
    source.write_text(
        "".join(f"{i:03d}{30 + i:5d} {'007' if i % 2 else '   '}\n" for i in range(9))
    )
    plan = Plan.of(["age"], MDAV(k=3), identifiers=["id"], other_columns=other_columns, decimals=1)
    target, dialect = tmp_path / "out.fwf", Dialect(layout=layout)
    delivery = deliver(plan, source, target, dialect=dialect, fingerprints=True)
    places = {"source": (str(source), None), "target": (str(target), None)}
    (tmp_path / "out.json").write_text(
        manifests.dumps(manifests.of_delivery(delivery, dialect, **places, hash_key=bytes(32)))
    )
    checked = verify(target, tmp_path / "out.json", original=source, layout=layout)
    failed = [check.name for check in checked if check.passed is False]
    assert failed == ["original"]  # its hash needs the key
