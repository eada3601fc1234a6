"""Report and manifest of a released folder: their contents, and when they appear."""

import json
import re
import shutil

import pyarrow as pa
import pytest

from clusters import people, write_files
from raising import raises
from shoal import Plan, scale
from shoal import _progress as progress
from shoal.audit import manifest as manifests
from shoal.audit.hashes import keyed_entry
from shoal.audit.keys import load_hash_key
from shoal.errors import FileError, ParameterError
from shoal.metrics.assessment import linear_cost_measures
from shoal.partitioners import MDAV, MuApprox
from shoal.report.summary import summarise

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")

PLAN = Plan.of(
    ["age", "height"],
    MDAV(k=4),
    identifiers=["name"],
    confidential=["ill"],
    other_columns="release",
)
DRAWS = Plan.of(["age", "height"], MuApprox(k=4), identifiers=["name"], other_columns="release")
SEED = 987_654_321


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return write_files(people(600), tmp_path_factory.mktemp("people") / "in", files=2)


@pytest.fixture(scope="module")
def home(client, source, tmp_path_factory):
    """Return a folder that holds a release with report and manifest."""
    home = tmp_path_factory.mktemp("home")
    scale.mask(
        source, DRAWS, home / "out", client=client, chunk_size=200, random_state=SEED,
        report=home / "report.html", manifest=home / "out.json",
    )  # fmt: skip
    return home


def entries(home):
    return json.loads((home / "out.json").read_text())


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def at_the_end(action):
    def listener(stage, done, total):
        if stage == "publishing":
            action()

    return progress.reporting_to(listener)


def test_report_and_manifest_appear_with_the_folder(home):
    assert names(home) == ["out", "out.json", "out.json.hashkey", "report.html"]
    assert (home / "out.json.hashkey").stat().st_mode & 0o777 == 0o600
    assert "k = 4 is kept" in (home / "report.html").read_text()
    manifest = entries(home)
    assert manifest["seal"] == manifests.seal(manifest)
    listed = [entry["name"] for entry in manifest["output"]["files"]]
    assert sorted(listed) == names(home / "out")
    for entry in manifest["output"]["files"]:
        path = home / "out" / entry["name"]
        assert entry["sha256"] == manifests.sha256(path)
        assert entry["bytes"] == path.stat().st_size


def test_the_manifest_has_seeds_and_hashes_but_no_path(home, source):
    manifest, text = entries(home), (home / "out.json").read_text()
    assert str(home) not in text
    assert str(source) not in text
    assert manifest["large"] == {"chunk_size": 200, "random_state": SEED}
    assert manifest["plan"]["steps"][0]["partition"]["random_state"] >= 0
    assert [entry["name"] for entry in manifest["input"]["files"]] == ["0.parquet", "1.parquet"]
    first, digest = manifest["input"]["files"][0], manifests.sha256(source / "0.parquet")
    assert digest not in text
    assert first == keyed_entry({"name": "0.parquet", "bytes": 1, "sha256": digest}, load_hash_key(
        home / "out.json.hashkey"))  # fmt: skip
    assert "not for publication" in manifest["note"]


def test_published_files_contain_no_seed(home):
    drawn = str(entries(home)["plan"]["steps"][0]["partition"]["random_state"])
    for path in (home / "report.html", home / "out" / "_SUCCESS"):
        text = path.read_text()
        assert "random_state" not in text
        assert not {drawn, str(SEED)} & set(re.findall(r"\d+", text))


def test_the_same_run_gives_the_same_manifest_and_report(client, source, tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        scale.mask(
            source, PLAN, tmp_path / name / "out", client=client, chunk_size=200,
            report=tmp_path / name / "report.html", manifest=tmp_path / name / "out.json",
            hash_key=tmp_path / "key",
        )  # fmt: skip
    for name in ("report.html", "out.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


@pytest.fixture(scope="module")
def base_release(client, source, tmp_path_factory):
    target = tmp_path_factory.mktemp("made") / "out"
    return scale.mask(source, PLAN, target, client=client, chunk_size=200)


def test_a_release_in_python_has_report_and_manifest_too(base_release, tmp_path):
    base_release.report(tmp_path / "internal.html", audience="internal")
    assert "Internal" in (tmp_path / "internal.html").read_text()
    base_release.report(tmp_path / "report.txt")
    assert "k = 4 is kept" in (tmp_path / "report.txt").read_text()
    with raises(FileError, "file-exists"):
        base_release.report(tmp_path / "report.txt")
    assert base_release.manifest["input"] == {}
    assert base_release.manifest["columns"] == ["age", "height", "job", "born", "region", "ill"]
    assert base_release.manifest["output"]["types"]["born"] == "date32[day]"


def test_the_report_states_what_was_and_what_was_not_measured(base_release):
    summary = json.loads(json.dumps(summarise(base_release)))
    measured = {entry["name"] for entry in summary["measures"]}
    assert set(linear_cost_measures()) <= measured | set(summary["remarks"])
    assert "no process holds" in summary["remarks"]["interval_disclosure"]
    assert "Estimated on a sample" in summary["remarks"]["linkage"]
    assert summary["groups"] == [base_release.groups]
    assert summary["columns"]["unchanged"] == ["job", "born", "region", "ill"]
    assert set(summary["pictures"]) == {"before", "distributions", "correlations"}


def test_measures_without_confidential_columns_state_what_they_need(home, client, source):
    remarks = entries(home)["remarks"]
    assert remarks["l_diversity"] == "Not computed: needs a confidential column."
    assert "no process holds" in remarks["interval_disclosure"]


def test_missing_cells_of_a_release_are_counted_and_reported(client, tmp_path):
    table = people(400)
    region = pa.array([None if row % 4 == 0 else "north" for row in range(400)])
    source = write_files(table.drop(["region"]).append_column("region", region), tmp_path / "in")
    plan = Plan.of(
        ["age"], MDAV(k=4), within="region", identifiers=["name"], other_columns="release"
    )
    release = scale.mask(source, plan, tmp_path / "out", client=client, chunk_size=100)
    assert release.provenance["missing"] == {"region": 100}
    assert "100 released cells are missing" in summarise(release)["explanation"]


@pytest.mark.parametrize("sidecar", ["report", "manifest"])
def test_nothing_is_written_into_the_folder_of_the_release(
    sidecar, client, source, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    for path in ("out/a.json", "out/sub/a.json", "other/../out/a.json", tmp_path / "out/a.json"):
        with raises(FileError, "inside-the-release"):
            scale.mask(source, PLAN, tmp_path / "out", client=client, **{sidecar: path})
    assert names(tmp_path) == []


def test_paths_that_cannot_be_written_are_refused_before_the_work(
    client, source, tmp_path, monkeypatch
):
    monkeypatch.setattr("shoal.scale.runners.dask_cluster.DaskRunner.check", None)  # never called
    (tmp_path / "there.json").touch()
    common_options = {"target": tmp_path / "out", "client": client}
    for options, error, code in (
        ({"report": tmp_path / "a.pdf"}, FileError, None),
        ({"manifest": tmp_path / "a.html"}, FileError, None),
        ({"manifest": tmp_path / "there.json"}, FileError, "file-exists"),
        ({"report": tmp_path / "none" / "a.html"}, FileError, "cannot-write"),
        ({"report": tmp_path / "a.json", "manifest": tmp_path / "a.json"}, FileError, None),
        ({"audience": "nobody"}, ParameterError, None),
    ):
        with raises(error, code):
            scale.mask(source, PLAN, **common_options, **options)
    assert names(tmp_path) == ["there.json"]


@pytest.mark.parametrize("meanwhile", ["report.html", "out.json"])
def test_a_folder_is_withdrawn_if_report_or_manifest_cannot_be_published(
    meanwhile, client, source, tmp_path
):
    with (
        at_the_end((tmp_path / meanwhile).touch),
        raises(FileError, "file-exists"),
    ):
        scale.mask(
            source, PLAN, tmp_path / "out", client=client,
            report=tmp_path / "report.html", manifest=tmp_path / "out.json",
        )  # fmt: skip
    assert names(tmp_path) == [meanwhile]
    assert (tmp_path / meanwhile).read_text() == ""


def test_the_earlier_release_is_restored(client, source, tmp_path):
    scale.mask(source, PLAN, tmp_path / "out", client=client, chunk_size=200)
    earlier_marker = (tmp_path / "out" / "_SUCCESS").read_text()
    (tmp_path / "pages").mkdir()
    with (
        at_the_end(lambda: shutil.rmtree(tmp_path / "pages")),
        raises(FileError, "cannot-write"),
    ):
        scale.mask(
            source, PLAN, tmp_path / "out", client=client, force=True,
            report=tmp_path / "pages" / "report.html",
        )  # fmt: skip
    assert (tmp_path / "out" / "_SUCCESS").read_text() == earlier_marker
    assert names(tmp_path) == ["out"]


def test_an_interrupted_run_leaves_neither_folder_nor_files(client, source, tmp_path):
    def end():
        raise KeyboardInterrupt

    with at_the_end(end), pytest.raises(KeyboardInterrupt):
        scale.mask(
            source, PLAN, tmp_path / "out", client=client,
            report=tmp_path / "report.html", manifest=tmp_path / "out.json",
        )  # fmt: skip
    assert names(tmp_path) == []


def test_force_replaces_folder_report_and_manifest_together(client, source, home, tmp_path):
    shutil.copytree(home, tmp_path / "home")
    copy = tmp_path / "home"
    scale.mask(
        source, PLAN, copy / "out", client=client, chunk_size=300, force=True,
        report=copy / "report.html", manifest=copy / "out.json",
    )  # fmt: skip
    assert names(copy) == ["out", "out.json", "out.json.hashkey", "report.html"]
    assert entries(copy)["large"]["chunk_size"] == 300
    assert "mdav" in (copy / "report.html").read_text()


def test_a_dask_frame_has_no_files_to_name(client, tmp_path):
    from dask import dataframe

    frame = dataframe.from_pandas(people(200).select(["age", "height"]).to_pandas(), npartitions=2)
    scale.mask(
        frame, Plan.of(["age", "height"], MDAV(k=4)), tmp_path / "out", client=client,
        manifest=tmp_path / "out.json",
    )  # fmt: skip
    assert entries(tmp_path)["input"] == {}
