"""The reference tables: from a folder, or fetched once from a server that may fail."""

import hashlib
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from conftest import reference_matrix, without_reference, zscores
from shoal import datasets
from shoal.datasets import casc
from shoal.datasets import fetch as room
from shoal.errors import FileError, InputError, MissingDependency

TABLES = list(casc.REFERENCES)
each_table = pytest.mark.parametrize("name", TABLES)


class Server:
    """A web server on loopback that serves ``files`` and may cut what it sends."""

    def __init__(self):
        self.files, self.requests, self.cut = {}, [], 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                outer.requests.append(self.path)
                content = outer.files.get(self.path.removeprefix("/data/"))
                if content is None:
                    self.send_error(404)
                    return
                self.send_response(200)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content[: len(content) - outer.cut])

            def log_message(self, *args):
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,))
        self._thread.start()
        self.address = f"http://127.0.0.1:{self._http.server_port}/data/"

    def stop(self):
        if self._thread.is_alive():
            self._http.shutdown()
            self._thread.join()
            self._http.server_close()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """Give a fresh cache folder; no folder of CSVs; no way through a proxy."""
    monkeypatch.delenv("SHOAL_DATA", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(room, "cache_folder", lambda: tmp_path / "cache")
    return tmp_path / "cache"


@pytest.fixture
def server(cache, monkeypatch):
    """Start a server to fetch from, and stop it."""
    one = Server()
    monkeypatch.setattr(room, "ADDRESS", one.address)
    yield one
    one.stop()


@pytest.fixture(scope="session")
def folder():
    """Return the folder SHOAL_DATA names, before a test changes the variable."""
    return Path(os.environ.get("SHOAL_DATA") or "nowhere")


@pytest.fixture
def rda(folder):
    """Return a function: name of a table -> content of its R data file; skip without it."""

    def content(name):
        path = folder / casc.REFERENCES[name].file
        if not path.exists():
            without_reference(name, f"Put {path.name} beside the CSVs, where SHOAL_DATA says.")
        return path.read_bytes()

    return content


def left_in(cache):
    return [path for path in cache.rglob("*") if path.is_file()]


def expect(name, content, monkeypatch):
    """Let a table expect a file with this content."""
    sha256 = hashlib.sha256(content).hexdigest()
    known = casc.REFERENCES[name]
    monkeypatch.setitem(
        casc.REFERENCES, name, casc.Reference(known.file, sha256, known.rows, known.columns)
    )


@each_table
def test_the_literature_uses_these_columns(name):
    assert reference_matrix(name).shape[1] == len(datasets.COLUMNS[name])
    assert len(datasets.COLUMNS[name]) == (11 if name == "eia" else 13)


def test_of_eia_the_literature_uses_the_number_and_ten_revenues_and_sales():
    first, *others = datasets.COLUMNS["eia"]
    assert first == "UTILITYID"
    assert len(others) == 10
    assert all(column.endswith(("REVENUE", "SALES")) for column in others)


@each_table
def test_a_table_has_the_size_the_catalogue_tells(name):
    reference_matrix(name)
    entry = datasets.CATALOGUE[name]
    assert entry.load().shape == (entry.rows, entry.columns)


@each_table
def test_the_three_kinds_of_frame_hold_the_same(name):
    reference_matrix(name)
    load = datasets.CATALOGUE[name].load
    table, pandas, polars = (load(kind=kind) for kind in ("pyarrow", "pandas", "polars"))
    assert pandas.to_dict("list") == table.to_pydict() == polars.to_dict(as_series=False)


@each_table
def test_the_fixture_gives_zscores_of_float64(reference, name):
    Z = reference(name)
    assert Z.dtype == "float64"
    assert np.array_equal(Z, zscores(reference_matrix(name)))
    assert Z.std(axis=0) == pytest.approx(1)


@each_table
def test_a_fetched_table_is_the_table_of_the_folder(rda, folder, server, name, monkeypatch):
    server.files[casc.REFERENCES[name].file] = rda(name)
    fetched = datasets.CATALOGUE[name].load(kind="pyarrow")
    assert server.requests
    monkeypatch.setenv("SHOAL_DATA", str(folder))
    assert fetched.equals(datasets.CATALOGUE[name].load(kind="pyarrow"))


@each_table
def test_a_table_is_fetched_once_and_then_needs_no_server(rda, server, cache, name):
    server.files[casc.REFERENCES[name].file] = rda(name)
    first = datasets.CATALOGUE[name].load()
    server.stop()
    assert datasets.CATALOGUE[name].load().equals(first)
    assert len(server.requests) == 1
    assert [path.name for path in left_in(cache)] == [casc.REFERENCES[name].file]


@each_table
def test_a_file_with_another_hash_is_refused_and_not_kept(server, cache, name):
    server.files[casc.REFERENCES[name].file] = b"not the file"
    with pytest.raises(FileError, match="its sha256 differs. Nothing was kept"):
        datasets.CATALOGUE[name].load()
    assert server.requests
    assert left_in(cache) == []


def test_one_changed_byte_is_enough_to_refuse_a_file(rda, server, cache):
    content = bytearray(rda("tarragona"))
    content[-1] ^= 1
    server.files["Tarragona.rda"] = bytes(content)
    with pytest.raises(FileError, match="its sha256 differs"):
        datasets.tarragona()
    assert left_in(cache) == []


def test_a_spoilt_file_in_the_cache_is_fetched_again(rda, server, cache):
    server.files["Tarragona.rda"] = rda("tarragona")
    cache.mkdir()
    (cache / "Tarragona.rda").write_bytes(b"spoilt")
    assert datasets.tarragona().shape == (834, 13)
    assert server.requests


def test_a_spoilt_file_in_the_cache_is_never_read(server, cache):
    cache.mkdir()
    (cache / "Tarragona.rda").write_bytes(b"spoilt")
    server.stop()
    with pytest.raises(FileError, match="could not be fetched"):
        datasets.tarragona()


@pytest.mark.parametrize("cut", [1, 500, 1000])
def test_a_cut_connection_is_refused_and_nothing_is_kept(server, cache, monkeypatch, cut):
    # The hash is that of the part that arrives: the length alone must give the cut away.
    content = bytes(1000)
    expect("census", content[: 1000 - cut], monkeypatch)
    server.files["CASCrefmicrodata.rda"], server.cut = content, cut
    with pytest.raises(FileError, match=r"could not be fetched.*SHOAL_DATA"):
        datasets.census()
    assert server.requests
    assert left_in(cache) == []


def test_without_a_server_the_error_says_what_to_do(server, cache):
    server.stop()
    with pytest.raises(FileError, match=r"Tarragona\.rda could not be fetched.*SHOAL_DATA"):
        datasets.tarragona()
    assert left_in(cache) == []


def test_a_file_that_the_server_does_not_have_is_said(server, cache):
    with pytest.raises(FileError, match=r"EIA\.rda could not be fetched.*HTTPError"):
        datasets.eia()
    assert left_in(cache) == []


def test_a_cache_that_cannot_be_written_is_said(server, cache):
    cache.write_text("a file where the folder should be")
    with pytest.raises(FileError, match="could not be kept in the cache folder"):
        datasets.eia()


@pytest.mark.parametrize("package", ["pooch", "rdata"])
def test_a_missing_package_is_asked_for_by_name(cache, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingDependency, match=rf'{package}.*pip install "shoal\[datasets\]"'):
        datasets.census()


@each_table
def test_a_folder_needs_neither_network_nor_packages(monkeypatch, name):
    reference_matrix(name)
    for package in ("pooch", "rdata"):
        monkeypatch.setitem(sys.modules, package, None)
    assert len(datasets.CATALOGUE[name].load()) == casc.REFERENCES[name].rows


def test_a_folder_that_does_not_exist_is_an_error_and_no_fetch(server, tmp_path, monkeypatch):
    monkeypatch.setenv("SHOAL_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(FileError, match="nowhere.*no such folder.*unset SHOAL_DATA"):
        datasets.census()
    assert server.requests == []


def test_a_folder_without_the_file_is_an_error_and_no_fetch(server, tmp_path, monkeypatch):
    monkeypatch.setenv("SHOAL_DATA", str(tmp_path))
    with pytest.raises(FileError, match=r"holds no census\.csv.*unset SHOAL_DATA"):
        datasets.census()
    assert server.requests == []


def test_an_empty_variable_names_no_folder(server, monkeypatch):
    monkeypatch.setenv("SHOAL_DATA", "")
    with pytest.raises(FileError, match="HTTPError"):
        datasets.census()
    assert server.requests == ["/data/CASCrefmicrodata.rda"]


HEADER = ",".join(casc.REFERENCES["census"].columns)
ROW = ",".join(["7"] * 13)


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        ([HEADER] + [ROW] * 1079, "1079 rows x 13 columns; 1080 rows x 13 columns were expected"),
        ([HEADER + ",X"] + [ROW + ",7"] * 1080, "1080 rows x 14 columns"),
        ([HEADER.replace("AGI", "SECRET")] + [ROW] * 1080, "other column names.*AFNLWGT, AGI"),
        ([HEADER] + [ROW] * 1079 + [ROW[:-1]], "'ERNVAL' of .* has 1 missing values"),
        ([HEADER] + [ROW] * 1079 + [ROW[:-1] + "SECRET"], "is not the table expected"),
        ([HEADER] + [ROW] * 1079 + ["SECRET,7"], "is not the table expected"),
        ([""], "is not the table expected"),
    ],
)
def test_a_wrong_file_is_not_taken_silently(tmp_path, monkeypatch, lines, complaint):
    (tmp_path / "census.csv").write_text("\n".join(lines) + "\n")
    monkeypatch.setenv("SHOAL_DATA", str(tmp_path))
    with pytest.raises(InputError, match=complaint) as refusal:
        datasets.census()
    assert "SECRET" not in str(refusal.value)
    assert refusal.value.__suppress_context__ or refusal.value.__context__ is None
