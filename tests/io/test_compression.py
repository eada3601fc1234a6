"""Compressed text: gzip and zstd."""

import gzip
import shutil
import subprocess
import tracemalloc

import pyarrow as pa
import pytest

from raising import raises
from shoal.errors import FileError
from shoal.io import size_limits
from shoal.io.dialect import Dialect
from shoal.io.files import read, write
from shoal.io.text_tables import reading
from skipping import skip_or_fail_in_ci

TABLE = pa.table({"code": ["007", "ä", 'say "no"'], "x": [1.5, 0.1, None]})


@pytest.mark.parametrize("name", ["t.csv.gz", "t.tsv.zst", "t.txt.gz", "T.CSV.GZ"])
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_compressed_text_round_trips(tmp_path, name, encoding):
    path, dialect = tmp_path / name, Dialect(encoding=encoding)
    write(TABLE, path, target=path, dialect=dialect)
    assert read(path, dialect=dialect, numbers=["x"]).equals(TABLE)
    first = path.read_bytes()
    write(TABLE, path, target=path, dialect=dialect)
    assert path.read_bytes() == first


def test_gzip_files_are_exchanged_with_the_gzip_program(tmp_path):
    plain = tmp_path / "t.csv"
    write(TABLE, plain, target=plain)
    with gzip.open(tmp_path / "u.csv.gz", "wb") as file:
        file.write(plain.read_bytes())
    assert read(tmp_path / "u.csv.gz", numbers=["x"]).equals(TABLE)
    write(TABLE, tmp_path / "t.csv.gz", target=tmp_path / "t.csv.gz")
    assert gzip.decompress((tmp_path / "t.csv.gz").read_bytes()) == plain.read_bytes()


def test_files_of_the_zstd_program_are_read(tmp_path):
    if shutil.which("zstd") is None:
        skip_or_fail_in_ci("The program zstd is needed: apt-get install zstd.")
    plain = tmp_path / "t.csv"
    write(TABLE, plain, target=plain)
    subprocess.run(["zstd", "-q", plain], check=True)
    assert read(tmp_path / "t.csv.zst", numbers=["x"]).equals(TABLE)


@pytest.mark.parametrize("ending", ["gz", "zst"])
def test_a_truncated_compressed_file_is_refused(tmp_path, ending):
    path = tmp_path / f"t.csv.{ending}"
    write(pa.table({"a": list(range(50_000))}), path, target=path)
    content = path.read_bytes()
    for length in (0, 3, len(content) // 2, len(content) - 3):
        path.write_bytes(content[:length])
        with pytest.raises(FileError) as caught:
            read(path)
        assert caught.value.code in ("file-damaged", "file-empty", "file-unreadable")


def test_the_faulty_line_of_compressed_text_is_named(tmp_path):
    with gzip.open(tmp_path / "t.csv.gz", "wt") as file:
        file.write("a,b\n1,2\n3\n")
    with raises(FileError, "ragged-line", line=3, fields=1):
        read(tmp_path / "t.csv.gz")


def test_a_decompression_bomb_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(size_limits, "ALWAYS_ALLOWED", 1 << 22)
    with gzip.open(tmp_path / "t.csv.gz", "wb") as file:
        file.write(b"a\n" + b"0\n" * (1 << 22))
    with raises(FileError, "file-too-large"):
        read(tmp_path / "t.csv.gz")


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_a_line_without_end_is_not_held_in_memory(tmp_path, monkeypatch, ending):
    monkeypatch.setattr(reading, "MAX_LINE", 1 << 20)
    path = tmp_path / f"t.csv{ending}"
    for content in (b"x" * (1 << 25), b"a,b\n1," + b"9" * (1 << 22) + b"\n"):
        path.write_bytes(gzip.compress(content) if ending else content)
        tracemalloc.start()
        with raises(FileError, "line-too-long"):
            read(path)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 1 << 24
