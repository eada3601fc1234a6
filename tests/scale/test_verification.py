"""A released folder is compared with its manifest, file by file."""

import json
import shutil
import weakref
from collections import Counter, defaultdict
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from clusters import people, write_files
from raising import raises
from shoal import Plan, scale, verify
from shoal.audit import manifest as manifests
from shoal.cli import app
from shoal.errors import ClusterError, ColumnError, FileError, ParameterError
from shoal.partitioners import MDAV
from shoal.scale.verification import folder_audit
from shoal.scale.verification import recount as counting
from shoal.scale.verification.recount import Recount, recount

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")

KNOWN = ["age", "height", "job", "region"]
PLAN = Plan.of(
    ["age", "height", "job"], MDAV(k=4), within="region", identifiers=["name"],
    confidential=["ill"],
other_columns="release")  # fmt: skip


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return write_files(people(1200), tmp_path_factory.mktemp("people") / "in")


@pytest.fixture(scope="module")
def base_release(client, source, tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    return scale.mask(
        source, PLAN, home / "out", client=client, chunk_size=300, manifest=home / "out.json"
    )


@pytest.fixture
def out(base_release, tmp_path):
    """Return a copy of the release, with its manifest beside it."""
    for ending in (".json", ".json.hashkey"):
        shutil.copy(base_release.target.with_suffix(ending), tmp_path)
    return shutil.copytree(base_release.target, tmp_path / "out")


def failed(out, **options):
    verification = verify(out, out.with_suffix(".json"), **options)
    return [check.name for check in verification if check.passed is False]


def changed(out, part, change):
    """Change the table of one file."""
    path = out / f"part-{part:05d}.parquet"
    pq.write_table(change(pq.read_table(path, partitioning=None)), path)


def first_cell(table, name, value):
    cells = [value, *table.column(name).to_pylist()[1:]]
    position = table.column_names.index(name)
    return table.set_column(position, name, pa.array(cells, table.schema.field(name).type))


def resealed(out, change=lambda entries: None):
    """Let the manifest tell the hashes of what lies there now, under a new seal."""
    path = out.with_suffix(".json")
    entries = json.loads(path.read_text())
    for entry in entries["output"]["files"]:
        entry["sha256"] = manifests.sha256(out / entry["name"])
    change(entries)
    path.write_text(manifests.dumps(manifests.sealed(entries)))


def test_a_released_folder_matches_its_manifest(out, source, client):
    verification = verify(out, out.with_suffix(".json"), original=source, client=client)
    assert [check.name for check in verification] == [
        "signature", "manifest", "files", "marker", "records", "columns", "dropped", "guarantee",
        "smallest class", "classes", "verdict", "original", "run again", "statements", "versions",
    ]  # fmt: skip
    assert all(check.passed for check in verification if check.name != "signature"), verification
    assert verification.verdict.k == 4
    assert {path.name for path in out.parent.iterdir()} == {"out", "out.json", "out.json.hashkey"}


def test_the_original_may_lie_elsewhere_under_other_names(out, source, client, tmp_path):
    (tmp_path / "moved").mkdir()
    moved = [tmp_path / "moved" / f"x{path.name}" for path in sorted(source.iterdir())]
    for path, copy in zip(sorted(source.iterdir()), moved, strict=True):
        shutil.copy(path, copy)
    assert failed(out, original=moved, client=client) == []


def test_a_changed_cell_is_detected(out):
    changed(out, 1, lambda table: first_cell(table, "ill", "perhaps"))
    assert failed(out) == ["files"]
    changed(out, 1, lambda table: first_cell(table, "age", 17.0))
    assert failed(out) == ["files", "guarantee", "smallest class", "verdict"]


def test_a_class_below_k_is_detected_even_if_the_manifest_has_its_hash(out):
    changed(out, 2, lambda table: table.slice(1))
    resealed(out, lambda entries: entries.update(records=1199))
    assert failed(out) == ["marker", "guarantee", "smallest class", "verdict"]


def test_a_removed_file_is_detected(out):
    (out / "part-00001.parquet").unlink()
    checks = {check.name: check for check in verify(out, out.with_suffix(".json"))}
    assert failed(out) == ["files", "records"]
    assert checks["files"].message == "'part-00001.parquet' is missing"


@pytest.mark.parametrize("name", ["notes.txt", ".hidden", "sub/part-00009.parquet.bak"])
def test_an_added_file_is_detected_whatever_it_is(name, out):
    (out / name).parent.mkdir(exist_ok=True)
    (out / name).write_text("x")
    assert failed(out) == ["files"]


def test_added_records_are_counted_with_the_others(out):
    shutil.copy(out / "part-00000.parquet", out / "part-00099.parquet")
    assert failed(out) == ["files", "records", "classes"]


def test_a_linked_folder_from_elsewhere_is_detected(out, source):
    (out / "more").symlink_to(source)
    assert "files" in failed(out)


def test_swapped_files_are_detected(out):
    first, second = out / "part-00000.parquet", out / "part-00001.parquet"
    first.rename(out / "x")
    second.rename(first)
    (out / "x").rename(second)
    assert failed(out) == ["files"]


def test_a_changed_marker_is_detected(out):
    text = (out / "_SUCCESS").read_text()
    (out / "_SUCCESS").write_text(text.replace('"k": 4', '"k": 9'))
    assert failed(out) == ["files"]


def test_a_released_identifier_is_detected(out):
    changed(out, 0, lambda table: table.append_column("name", pa.array(["p"] * len(table))))
    assert failed(out) == ["files", "columns", "dropped"]


def test_another_type_or_order_of_columns_is_detected(out):
    def cast(table):
        position = table.column_names.index("age")
        return table.set_column(position, "age", table.column("age").cast(pa.float32()))

    original_file = pq.read_table(out / "part-00000.parquet", partitioning=None)
    changed(out, 0, cast)
    resealed(out)
    assert "columns" in failed(out)
    changed(out, 0, lambda table: original_file.select(original_file.column_names[::-1]))
    resealed(out)
    assert failed(out) == ["marker", "columns"]


def test_a_file_without_a_quasi_identifier_fails_the_guarantee(out):
    changed(out, 0, lambda table: table.drop(["age"]))
    assert failed(out) == ["files", "columns", "guarantee"]


def test_a_damaged_file_is_detected(out):
    path = out / "part-00000.parquet"
    path.write_bytes(path.read_bytes()[:-20])
    assert failed(out) == ["files", "readable"]
    verification = verify(out, out.with_suffix(".json"))[-1].message
    assert verification == "'part-00000.parquet' is not a Parquet file, or it is damaged."


def test_a_manifest_that_states_more_or_less_is_detected(out):
    resealed(out, lambda entries: entries["promise"].update(k=3))
    assert failed(out) == ["guarantee"]
    resealed(out, lambda entries: entries["promise"].update(k=4, smallest_class=3))
    assert failed(out) == ["smallest class"]
    path = out.with_suffix(".json")
    path.write_text(path.read_text().replace('"chunk_size": 300', '"chunk_size": 301'))
    assert "manifest" in failed(out)


def test_another_original_is_detected(out, client, tmp_path):
    other = write_files(people(1200, seed=1), tmp_path / "other")
    assert failed(out, original=other, client=client) == ["original", "run again", "statements"]


def test_an_original_of_more_files_is_detected(out, source, client, tmp_path):
    more = write_files(people(8, seed=1), tmp_path / "more", files=1)
    failed_checks = failed(out, original=[source, more], client=client)
    assert failed_checks == ["original", "run again", "statements"]


def test_an_original_that_holds_a_file_twice_is_detected(
    out, source, base_release, monkeypatch, tmp_path
):
    monkeypatch.setattr(folder_audit, "mask", lambda *places, **options: base_release)
    more = shutil.copytree(source, tmp_path / "more")
    shutil.copy(more / "0.parquet", more / "copy.parquet")
    assert failed(out, original=more) == ["original"]


def test_a_plan_that_did_not_make_the_folder_is_detected(out, source, client):
    resealed(out, lambda entries: entries["large"].update(chunk_size=200))
    assert failed(out, original=source, client=client) == ["run again", "statements"]


def test_a_manifest_without_hashes_of_the_source_fails(client, source, tmp_path):
    base_release = scale.mask(source, PLAN, tmp_path / "out", client=client, chunk_size=300)
    (tmp_path / "out.json").write_text(manifests.dumps(base_release.manifest))
    assert failed(tmp_path / "out", original=source, client=client) == ["original"]


def test_without_the_hash_key_the_original_is_not_recognised(out, source, client):
    (out.parent / "out.json.hashkey").unlink()
    assert failed(out, original=source, client=client) == ["original"]


@pytest.mark.parametrize("part", ["measures", "remarks", "warnings", "methods", "verdict"])
def test_forged_statements_are_detected_with_the_original(
    out, source, base_release, monkeypatch, part
):
    def forge(entries):
        if isinstance(entries[part], list):
            entries[part] = ["Nothing to worry about."]
        elif part == "verdict":
            entries[part]["findings"] = []
            entries[part] |= {
                "status": "kept",
                "sentence": "k = 4 is kept: the smallest class holds 4 records.",
            }
        else:
            entries[part] = {name: 1.0 for name in entries[part]}

    monkeypatch.setattr(folder_audit, "mask", lambda *places, **options: base_release)
    assert failed(out, original=source) == []
    resealed(out, forge)
    assert "statements" in failed(out, original=source)


def test_a_marker_that_states_other_measures_is_detected(out):
    path = out / "_SUCCESS"
    marker = json.loads(path.read_text())
    marker["measures"]["information_loss"] = 0.5
    path.write_text(json.dumps(marker))
    assert failed(out) == ["files", "marker"]
    resealed(out)
    assert failed(out) == ["marker"]


def test_a_file_is_not_a_folder_and_a_folder_not_a_file(out, tmp_path):
    verification = verify(out / "part-00000.parquet", out.with_suffix(".json"))
    assert (
        verification[2].message
        == "'part-00000.parquet' is not a folder, but the manifest describes one"
    )
    people(40).to_pandas().to_csv(tmp_path / "in.csv", index=False)
    files = [tmp_path / "in.csv", tmp_path / "o.csv", "--manifest", tmp_path / "o.json"]
    arguments = ["mask", *map(str, files), "-c", "age", "-k", "4"]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    verification = verify(out, tmp_path / "o.json")
    assert [check.name for check in verification if check.passed is False] == ["file", "readable"]
    with raises(ParameterError, "several-originals", count=2):
        verify(tmp_path / "o.csv", tmp_path / "o.json", original=[tmp_path / "in.csv", out])


def test_a_manifest_of_a_folder_that_lacks_a_part_is_refused(out):
    resealed(out, lambda entries: entries.pop("large"))
    with raises(FileError, "bad-manifest"):
        verify(out, out.with_suffix(".json"))


@pytest.mark.parametrize(
    ("part", "wrong"),
    [
        ("promise", {}),
        ("large", None),
        ("output", []),
        ("output", {"files": [{}]}),
        ("output", {"files": None}),
        ("input", {"files": [3]}),
        ("versions", []),
    ],
)
def test_a_damaged_manifest_is_refused(part, wrong, out):
    resealed(out, lambda entries: entries.update({part: wrong}))
    with raises(FileError, "bad-manifest"):
        verify(out, out.with_suffix(".json"))


def test_other_bytes_by_other_software_are_reported_as_such(out, source, client):
    def older(entries):
        entries["large"]["chunk_size"] = 200
        entries["versions"] |= {"numpy": "1.0", "forgotten": "2"}

    resealed(out, older)
    verification = verify(out, out.with_suffix(".json"), original=source, client=client)
    finding = next(check for check in verification if check.name == "run again")
    assert not finding.passed
    assert "other bytes; versions differ: numpy 1.0 then, " in finding.message
    assert finding.message.endswith("forgotten 2 then, none now")


def test_a_cluster_that_does_not_answer_gives_no_verdict(out, source, monkeypatch):
    def fail_to_connect(*places, **options):
        raise ClusterError("No scheduler answers.")

    monkeypatch.setattr(folder_audit, "mask", fail_to_connect)
    with pytest.raises(ClusterError):
        verify(out, out.with_suffix(".json"), original=source)


def test_the_command_ends_with_one_if_a_check_fails(out):
    arguments = ["verify", str(out), "--manifest", str(out.with_suffix(".json"))]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0
    assert "ok   files: 5, each with its SHA-256 in the manifest" in result.stdout
    (out / "x").touch()
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 1
    assert "FAIL files: 'x' is not in the manifest" in result.stdout


def test_one_file_is_in_memory_at_a_time(out, monkeypatch):
    tables_read = []
    read_columns = counting.read_columns

    def read_one(path, columns):
        assert all(table() is None for table in tables_read)
        table = read_columns(path, columns)
        tables_read.append(weakref.ref(table))
        return table

    monkeypatch.setattr(counting, "read_columns", read_one)
    assert failed(out) == []
    assert len(tables_read) == 4


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from([0.0, 1.0, 2.0, None]),
            st.sampled_from(["a", "b", None]),
            st.integers(0, 2),
        ),
        min_size=1,
        max_size=30,
    )
)
def test_counting_by_file_agrees_with_counting_by_hand(rows, tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    files = defaultdict(list)
    for x, word, file in rows:
        files[file].append((x, word))
    for file, records in files.items():
        table = pa.table({"x": [x for x, _ in records], "word": [word for _, word in records]})
        schema = pa.schema([("x", pa.float64()), ("word", pa.string())])
        pq.write_table(table.cast(schema), folder / f"{file}.parquet")
    sizes = [Counter(records) for records in files.values()]
    files_by_class = Counter(record for records in sizes for record in records)
    assert recount([str(path) for path in folder.iterdir()], ["x", "word"]) == Recount(
        min(min(records.values()) for records in sizes),
        sum(map(len, sizes)),
        len(files_by_class),
        sum(n_files > 1 for n_files in files_by_class.values()),
        False,
    )


def test_a_sample_of_very_many_classes_is_compared_in_any_order(tmp_path):
    paths = []
    for number, records in enumerate((1000, 1000, 960, 40)):  # the last fits in without a new draw
        paths.append(str(tmp_path / f"{number}.parquet"))
        pq.write_table(pa.table({"x": np.arange(number * 900, number * 900 + records)}), paths[-1])
    counts = recount(paths, ["x"], max_hashes=500)
    assert counts == recount(paths[::-1], ["x"], max_hashes=500)
    assert counts.is_sample
    assert counts.n_classes == 3000
    assert 0 < counts.n_compared <= 500
    assert 0 < counts.n_split < 100


def test_files_without_records_are_skipped_and_without_columns_refused(tmp_path):
    paths = [str(tmp_path / f"{at}.parquet") for at in range(2)]
    pq.write_table(pa.table({"x": pa.array([], pa.float64())}), paths[0])
    pq.write_table(pa.table({"x": [1.0, 1.0]}), paths[1])
    assert recount(paths, ["x"]) == Recount(2, 1, 1, 0, False)
    with raises(ColumnError, "no-such-column", columns=("y",)):
        recount(paths, ["y"])


def test_columns_of_many_types_are_verified(client, tmp_path):
    n = 120
    table = pa.table(
        {
            "age": np.arange(n) % 40,
            "born": pa.array(np.arange(n) // 60, pa.timestamp("s")),
            "noon": pa.array((np.arange(n) // 60).tolist(), pa.time32("s")),
            "income": pa.array([Decimal(number // 60) for number in range(n)]),
            "flag": pa.array(np.arange(n) % 2 == 0),
            "job": pa.array(["baker", "clerk"] * (n // 2)).dictionary_encode(),
            "number": pa.array(2**60 + np.arange(n) // 60),
            "small": pa.array(np.arange(n) // 60).cast(pa.float32()),
            "zone": pa.array(np.arange(n) // 60, pa.timestamp("us", "UTC")),
        }
    )
    source = write_files(table, tmp_path / "in", files=2)
    within = [name for name in table.column_names if name != "age"]
    plan = Plan.of(["age"], MDAV(k=4), within=within, other_columns="release")
    scale.mask(
        source, plan, tmp_path / "out", client=client, chunk_size=30, manifest=tmp_path / "out.json"
    )
    assert failed(tmp_path / "out", original=source, client=client) == []
