"""Files that take too much memory are refused before they are read."""

import math
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest
from pyarrow import feather

from raising import raises
from shoal.errors import FileError
from shoal.io import size_limits
from shoal.io.dialect import Dialect
from shoal.io.files import read, write


@pytest.fixture
def low_limit(monkeypatch):
    monkeypatch.setattr(size_limits, "ALWAYS_ALLOWED", 1 << 20)


def test_a_header_of_a_million_columns_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text(",".join(f"c{at}" for at in range(1_000_000)) + "\n1\n")
    with raises(FileError, "too-many-columns", columns=1_000_000):
        read(path)


def write_bomb(path):
    """Write a file of one long text that 20,000 records refer to."""
    column = pa.DictionaryArray.from_arrays(
        pa.array(np.zeros(20_000, np.int32)), pa.array(["x" * 5_000])
    )
    table = pa.table({"text": column}).cast(pa.schema([("text", pa.string())]))
    pq.write_table(table, path)
    assert path.stat().st_size < 20_000


def test_a_parquet_file_that_refers_to_one_long_text_is_refused(tmp_path, low_limit):
    write_bomb(tmp_path / "in.parquet")
    with raises(FileError, "file-too-large"):
        read(tmp_path / "in.parquet")
    with raises(FileError, "file-too-large"):
        read(tmp_path / "in.parquet", dialect=Dialect(memory_limit=0.05))
    allowed = read(tmp_path / "in.parquet", dialect=Dialect(memory_limit=0.2))
    assert allowed.num_rows == 20_000


def test_a_parquet_file_of_one_number_is_refused_by_its_footer(tmp_path, low_limit, monkeypatch):
    pq.write_table(pa.table({"x": np.zeros(3_000_000)}), tmp_path / "in.parquet")
    monkeypatch.setattr(pq.ParquetFile, "read", lambda *a, **o: pytest.fail("it was read"))
    monkeypatch.setattr(pq.ParquetFile, "iter_batches", lambda *a, **o: pytest.fail("it was read"))
    with raises(FileError, "file-too-large"):
        read(tmp_path / "in.parquet")


def test_an_ordinary_parquet_file_is_read_whatever_its_texts(tmp_path, low_limit):
    values = np.random.default_rng(0).choice(["north", "south", "east"], 50_000)
    table = pa.table({"region": values, "x": np.random.default_rng(0).normal(size=50_000)})
    pq.write_table(table, tmp_path / "in.parquet")
    assert read(tmp_path / "in.parquet").equals(table)
    assert read(tmp_path / "in.parquet", dialect=Dialect(memory_limit=math.inf)).equals(table)


@pytest.mark.parametrize("ending", ["sav", "zsav", "dta"])
def test_a_statistical_file_is_measured_by_its_header(tmp_path, ending):
    path, frame = tmp_path / f"in.{ending}", pd.DataFrame({"x": np.zeros(50_000)})
    if ending == "dta":
        pyreadstat.write_dta(frame, path)
    else:
        pyreadstat.write_sav(frame, path, compress=ending == "zsav")
    with raises(FileError, "file-too-large"):
        read(path, dialect=Dialect(memory_limit=0.001))
    assert read(path, dialect=Dialect(memory_limit=0.01)).num_rows == 50_000


DAMAGE = """
import sys
from pathlib import Path
from shoal.errors import ShoalError
from shoal.io.files import open_source
path = Path(sys.argv[1])
content = path.read_bytes()
refused = 0
for at in range(len(content) - 400, len(content) - 8):
    damaged = bytearray(content)
    damaged[at] ^= 1
    path.write_bytes(damaged)
    try:
        open_source(path)
    except ShoalError:
        refused += 1
print(refused)
"""


def test_a_parquet_file_with_a_damaged_footer_is_refused(tmp_path):
    """On some of these files pyarrow aborts the process if it is asked for column sizes."""
    pq.write_table(pa.table({"x": [1.5, None, 2.5]}), tmp_path / "a.parquet")
    command = [sys.executable, "-c", DAMAGE, str(tmp_path / "a.parquet")]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    result = subprocess.run(command, capture_output=True, text=True, env=env)
    assert result.returncode == 0, result.stderr[-500:]
    assert int(result.stdout) > 100


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".feather", ".dta", ".xlsx", ".jsonl"])
def test_a_lower_limit_of_columns_is_checked_before_the_records_are_read(
    tmp_path, monkeypatch, ending
):
    path = tmp_path / f"a{ending}"
    write(pa.table({name: [1, 2] for name in "abcdef"}), path, target=path)
    if ending == ".csv":
        path.write_text(path.read_text() + "1,2\n")  # a malformed line, which is never read
    monkeypatch.setattr(feather, "read_table", None)
    monkeypatch.setattr(pq.ParquetFile, "read", None)
    with size_limits.at_most_columns(5), raises(FileError, "too-many-columns", columns=6):
        read(path)
    with size_limits.at_most_columns(5):
        size_limits.check_columns("a", 5)
    size_limits.check_columns("a", 6)
