"""Sources, targets and scratch files in an object store: a real server on the loopback."""

import io
import json
import os
import signal
import sys

import pyarrow.parquet as pq
import pytest
from pyarrow import fs
from typer.testing import CliRunner

from clusters import (
    Client,
    at_stages,
    cluster,
    people,
    wait_for_two_workers,
    worker_pids,
    write_files,
)
from raising import raises
from s3_server import BUCKET, KEY, SECRET, environment, store
from shoal import Plan, scale, verify
from shoal.cli import app
from shoal.errors import FileError, ParameterError, ScratchFilesLeft
from shoal.io.files import read
from shoal.partitioners import MDAV
from shoal.scale.storage import files
from shoal.scale.storage.files import _open_store
from shoal.scale.storage.scratch_folder import ScratchFolder, write_scratch_object

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")

PLAN = Plan.of(
    ["age", "height"], MDAV(k=4), within="region", identifiers=["name"], other_columns="release"
)
ROOT = f"s3://{BUCKET}"


@pytest.fixture(scope="module")
def server():
    _open_store.cache_clear()
    with store() as running, environment(running.endpoint):
        yield running
    _open_store.cache_clear()


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return write_files(people(600), tmp_path_factory.mktemp("people") / "in")


@pytest.fixture(scope="module")
def release_in_folder(client, source, tmp_path_factory):
    out = tmp_path_factory.mktemp("right") / "out"
    return scale.mask(source, PLAN, out, client=client, chunk_size=200)


@pytest.fixture
def s3(server, source):
    """Return the server with the source in it, and nothing else."""
    server.objects.clear()
    server.log.clear()
    for path in source.iterdir():
        server.objects[f"in/{path.name}"] = path.read_bytes()
    yield server
    server.fails, server.denies, server.ranges = (lambda method, key: False), False, True


def hashes(release):
    return [entry["sha256"] for entry in release.files]


def mask(client, target=f"{ROOT}/out", source=f"{ROOT}/in/", **options):
    options = {"scratch": f"{ROOT}/private", "client": client, "chunk_size": 200, **options}
    return scale.mask(source, PLAN, target, **options)


def test_a_release_in_a_store_has_the_bytes_of_one_in_a_folder(s3, client, release_in_folder):
    release = mask(client)
    assert hashes(release) == hashes(release_in_folder)
    names = [entry["name"] for entry in release.files]
    assert s3.files("out/") == sorted(f"out/{name}" for name in ["_SUCCESS", *names])
    assert json.loads(s3.objects["out/_SUCCESS"])["files"] == list(release.files)
    assert not s3.files("private/")
    assert not [key for key in s3.files() if not key.startswith(("in/", "out/"))]
    written = [key for method, key in s3.log if method == "PUT" and key.startswith("out/")]
    assert [key for key in written if not key.endswith("/")][-1] == "out/_SUCCESS"


def test_a_store_and_files_can_be_mixed(s3, client, release_in_folder, source, tmp_path):
    web = [f"{s3.endpoint}/{BUCKET}/in/{at}.parquet?signature={SECRET}" for at in range(2)]
    manifest = tmp_path / "out.json"
    release = mask(client, source=[*web, source / "2.parquet"], scratch=tmp_path, manifest=manifest)
    assert hashes(release) == hashes(release_in_folder)
    assert SECRET not in manifest.read_text()
    names = [entry["name"] for entry in json.loads(manifest.read_text())["input"]["files"]]
    assert names == ["0.parquet", "1.parquet", "2.parquet"]
    assert not list(tmp_path.glob(".*.part"))
    back = scale.mask(f"{ROOT}/in", PLAN, f"file://{tmp_path}/back", client=client, chunk_size=200)
    assert back.files == release_in_folder.files


def test_a_release_in_a_store_is_verified_there(s3, client, source, tmp_path):
    manifest = tmp_path / "out.json"
    release = mask(client, manifest=manifest)
    verification = verify(f"{ROOT}/out/", manifest, original=f"{ROOT}/in", client=client)
    assert not verification.failed
    assert "the plan gives the same bytes" in {check.message for check in verification}
    key = f"out/{release.files[0]['name']}"
    content = s3.objects[key]
    s3.objects[key] = content[:-1] + b"x"
    assert "files" in verify(f"{ROOT}/out", manifest).failed
    del s3.objects[key]
    assert "files" in verify(f"{ROOT}/out", manifest).failed
    with raises(FileError, "release-incomplete"):
        scale.released_files(f"{ROOT}/out")
    s3.objects[key] = content
    s3.objects["out/more.parquet"] = content
    assert verify(f"{ROOT}/out", manifest).failed == ["files"]


def test_readers_see_the_old_release_or_the_new_one_whole(s3, client):
    old = mask(client)
    record_counts = []

    def count_records(method, key):
        """Read the release before each change of it."""
        if method in ("PUT", "DELETE", "POST") and (key.startswith("out/") or not key):
            marker = json.loads(s3.objects["out/_SUCCESS"])
            contents = [s3.objects[f"out/{entry['name']}"] for entry in marker["files"]]
            record_counts.append(
                sum(
                    pq.read_metadata(io.BytesIO(file_content)).num_rows for file_content in contents
                )
            )
        return False

    s3.fails = count_records
    new = mask(client, force=True, chunk_size=100)
    assert hashes(new) != hashes(old)
    assert len(record_counts) > 3
    assert set(record_counts) == {600}
    names = ["_SUCCESS", *(entry["name"] for entry in new.files)]
    assert s3.files("out/") == sorted(f"out/{name}" for name in names)
    assert scale.released_files(f"{ROOT}/out") == [
        f"{ROOT}/out/{entry['name']}" for entry in new.files
    ]


def cut_after(server, n, prefix):
    """Let the server answer n changes below a prefix, and no request after them."""
    remaining = [n]

    def fails(method, key):
        if method != "GET" and method != "HEAD" and key.startswith(prefix) and key[-1:] != "/":
            remaining[0] -= 1
        return remaining[0] < 0

    server.fails = fails


@pytest.fixture
def impatient(monkeypatch, s3):
    """Try a request twice; as Shoal opens a store, Arrow tries for six seconds."""
    system = fs.S3FileSystem(
        endpoint_override=s3.endpoint.removeprefix("http://"), scheme="http", region="us-east-1",
        access_key=KEY, secret_key=SECRET, allow_delayed_open=True,
        retry_strategy=fs.AwsDefaultS3RetryStrategy(max_attempts=2),
    )  # fmt: skip
    monkeypatch.setattr(files, "_open_store", lambda root: (system, BUCKET))


@pytest.mark.parametrize("n", [0, 2])
@pytest.mark.usefixtures("impatient")
def test_a_store_that_is_lost_while_publishing_has_no_release(
    n, s3, client, release_in_folder, tmp_path
):
    cut_after(s3, n, "out/")
    with raises(FileError, "store-unreachable"):
        mask(client, scratch=tmp_path)
    assert not list(tmp_path.iterdir())
    s3.fails = lambda method, key: False
    assert "out/_SUCCESS" not in s3.objects
    with raises(FileError, "not-a-release"):
        scale.released_files(f"{ROOT}/out")
    if n == 0:
        assert not s3.files("out/")
        return
    with raises(FileError, "unfinished-release"):
        mask(client, f"{ROOT}/other", source=f"{ROOT}/out")
    with raises(FileError, "unfinished-release"):
        mask(client)
    release = mask(client, force=True)
    assert hashes(release) == hashes(release_in_folder)
    assert len(s3.files("out/")) == 1 + len(release.files)


def test_dropped_connections_are_tried_again(s3, client, release_in_folder):
    n_requests = {}

    def drop(method, key):
        """Cut off the first request of each kind for each file."""
        n_requests[method, key] = n_requests.get((method, key), 0) + 1
        return n_requests[method, key] == 1 and len(n_requests) % 5 == 0

    s3.fails = drop
    assert hashes(mask(client)) == hashes(release_in_folder)
    assert not s3.files("private/")


def test_errors_do_not_show_credentials(s3, client, tmp_path):
    s3.denies = True
    with raises(FileError, "store-denies") as caught:
        mask(client)
    assert "AKIA" not in str(caught.value) + repr(caught.value.attributes)
    web = f"{s3.endpoint}/{BUCKET}/in/0.parquet?signature={SECRET}"
    with raises(FileError, "store-denies") as caught:
        scale.mask(web, PLAN, tmp_path / "out", client=client)
    assert SECRET not in str(caught.value) + repr(caught.value.attributes)
    assert not list(tmp_path.iterdir())


def test_a_dask_frame_is_written_to_the_store(s3, client):
    import dask.dataframe as dd

    frame = dd.from_pandas(people(600).to_pandas(), npartitions=3)
    release = mask(client, source=frame)
    assert release.provenance["records"] == 600
    assert release.measures["smallest_class"] >= 4
    assert not s3.files("private/")


def test_a_run_whose_worker_is_killed_gives_the_same_files(s3, release_in_folder):
    def kill():
        wait_for_two_workers(processes)
        os.kill(worker_pids(processes)[0], signal.SIGKILL)

    with cluster(2) as local_cluster, Client(local_cluster, set_as_default=False) as processes:
        processes.run(sys.path.insert, 0, sys.path[0])
        with at_stages(kill, "grouping"):
            release = mask(processes)
    assert hashes(release) == hashes(release_in_folder)
    assert not s3.files("private/")
    assert len(s3.files("out/")) == 1 + len(release.files)


def test_a_worker_that_writes_after_the_end_of_the_run_leaves_nothing(s3):
    folder = ScratchFolder(f"{ROOT}/private", "out")
    folder.create()
    write_scratch_object(folder.path("cells/1.arrow"), b"in time")
    assert len(s3.files("private/")) == 2
    folder.close()
    with raises(FileError, "run-ended"):
        write_scratch_object(folder.path("cells/2.arrow"), b"too late")
    assert not s3.files("private/")


@pytest.mark.usefixtures("impatient")
def test_a_store_that_is_lost_during_the_run_is_reported(s3, client):
    cut_after(s3, 2, "private/")
    with raises(FileError, "store-unreachable"), pytest.warns(ScratchFilesLeft) as caught:
        mask(client)
    assert caught[0].message.folder.startswith(f"{ROOT}/private/.out.")
    assert not s3.files("out/")


def test_a_report_that_cannot_be_published_withdraws_the_release(s3, client, tmp_path):
    old = mask(client)
    earlier_files, earlier_marker = s3.files("out/"), s3.objects["out/_SUCCESS"]
    s3.objects["out/_UNFINISHED"] = b'{"files": ["part-9.parquet"]}'  # of a killed run
    s3.objects["out/part-9.parquet"] = b"incomplete"

    def block_report(method, key):
        if method == "PUT" and key == "out/_SUCCESS":
            (tmp_path / "report.txt").mkdir(exist_ok=True)
        return False

    s3.fails = block_report
    with raises(FileError, "cannot-write"):
        mask(client, report=tmp_path / "report.txt", force=True, chunk_size=100)
    assert s3.files("out/") == earlier_files
    assert s3.objects["out/_SUCCESS"] == earlier_marker
    assert len(scale.released_files(f"{ROOT}/out")) == len(old.files)


@pytest.mark.parametrize(
    ("options", "error", "code"),
    [
        ({"scratch": None}, ParameterError, "scratch-needed"),
        ({"scratch": f"{ROOT}/out/x"}, ParameterError, "scratch-in-target"),
        ({"scratch": "https://host.example/x"}, FileError, "web-is-only-read"),
        ({"scratch": "/nowhere/at/all"}, FileError, "cannot-write"),
        ({"target": "https://host.example/x"}, FileError, "web-is-only-read"),
        ({"target": f"s3://key:{SECRET}@{BUCKET}/out"}, FileError, "credentials-in-address"),
        ({"target": f"{ROOT}/out?token={SECRET}"}, FileError, "options-in-address"),
        ({"target": "s3:///"}, FileError, "address-unreadable"),
        ({"target": "s3://[/out"}, FileError, "address-unreadable"),
        ({"target": "ftp://host.example/out"}, FileError, "unknown-store"),
        ({"target": "/tmp/out"}, ParameterError, "scratch-not-used"),
        ({"target": "s3://no-such-bucket/out"}, FileError, "no-such-bucket"),
        ({"target": f"{ROOT}/in/0.parquet"}, FileError, "is-a-file"),
        ({"target": f"{ROOT}/in"}, FileError, "file-exists"),
        ({"target": f"{ROOT}/in", "force": True}, FileError, "not-a-release"),
        ({"target": f"{ROOT}/in/out"}, FileError, "target-inside-source"),
        ({"source": f"{ROOT}/empty"}, FileError, "no-parquet-files"),
        ({"source": [f"{ROOT}/in", f"{ROOT}/in/0.parquet"]}, FileError, "source-twice"),
        ({"source": "https://host.example/in/"}, FileError, "web-not-listed"),
        ({"report": f"{ROOT}/report.html"}, FileError, "sidecar-in-store"),
    ],
)
def test_invalid_places_and_addresses_are_refused_with_a_code(options, error, code, s3, client):
    earlier_files = s3.files()
    with raises(error, code) as caught:
        mask(client, **options)
    assert SECRET not in str(caught.value) + repr(caught.value.attributes)
    assert s3.files() == earlier_files


def test_other_files_in_the_target_are_kept(s3, client):
    mask(client)
    s3.objects["out/thesis.txt"] = b"mine"
    with raises(FileError, "other-files-in-release", file="thesis.txt"):
        mask(client, force=True)
    with raises(FileError, "target-holds-source"):
        del s3.objects["out/thesis.txt"]
        mask(client, source=f"{ROOT}/out", force=True)


def test_files_on_the_web_are_read_in_parts_or_refused(s3, client, tmp_path):
    web = f"{s3.endpoint}/{BUCKET}/in/0.parquet"
    s3.ranges = False
    with raises(FileError, "no-ranges"):
        scale.mask(web, PLAN, tmp_path / "out", client=client)
    with raises(FileError, "no-such-file"):
        scale.mask(f"{web[:-9]}x.parquet", PLAN, tmp_path / "out", client=client)
    with raises(FileError, "store-not-supported"):
        read(f"{ROOT}/in/0.parquet")


def test_the_command_masks_and_verifies_in_a_store(s3, client, release_in_folder, tmp_path):
    scheduler = ["--scheduler", client.scheduler.address]
    arguments = ["mask", f"{ROOT}/in/", f"{ROOT}/out/", "-c", "age", "-c", "height", "-k", "4"]
    arguments += [
        "--within",
        "region",
        "-i",
        "name",
        "-m",
        "mdav",
        "--chunk-size",
        "200",
        *scheduler,
    ]
    refused = CliRunner().invoke(app, arguments)
    assert refused.exit_code == 2
    assert "--scratch" in refused.output
    files = ["--manifest", str(tmp_path / "out.json")]
    result = CliRunner().invoke(app, [*arguments, "--scratch", f"{ROOT}/private", *files])
    assert result.exit_code == 0, result.output
    assert f"{ROOT}/out/: 600 records" in result.output
    listed = json.loads(s3.objects["out/_SUCCESS"])["files"]
    assert [entry["sha256"] for entry in listed] == hashes(release_in_folder)
    result = CliRunner().invoke(app, ["verify", f"{ROOT}/out", *files])
    assert result.exit_code == 0, result.output
