"""Sources, targets and scratch files in an object store: a real server on the loopback."""

import io
import json

import pyarrow.parquet as pq
import pytest

from clusters import people, write_files
from raising import raises
from shoal import Plan, scale, verify
from shoal.errors import FileError
from shoal.partitioners import MDAV
from stores import BUCKET, SECRET, environment, store

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")

PLAN = Plan.of(
    ["age", "height"], MDAV(k=4), within="region", identifiers=["name"], other_columns="release"
)
ROOT = f"s3://{BUCKET}"


@pytest.fixture(scope="module")
def server():
    with store() as running, environment(running.endpoint):
        yield running


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return write_files(people(600), tmp_path_factory.mktemp("people") / "in")


@pytest.fixture(scope="module")
def right(client, source, tmp_path_factory):
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


def hashes(made):
    return [entry["sha256"] for entry in made.files]


def mask(client, target=f"{ROOT}/out", source=f"{ROOT}/in/", **options):
    options = {"scratch": f"{ROOT}/private", "client": client, "chunk_size": 200, **options}
    return scale.mask(source, PLAN, target, **options)


def test_a_release_in_a_store_has_the_bytes_of_one_in_a_folder(s3, client, right):
    made = mask(client)
    assert hashes(made) == hashes(right)
    names = [entry["name"] for entry in made.files]
    assert s3.files("out/") == sorted(f"out/{name}" for name in ["_SUCCESS", *names])
    assert json.loads(s3.objects["out/_SUCCESS"])["files"] == list(made.files)
    assert not s3.files("private/")
    assert not [key for key in s3.files() if not key.startswith(("in/", "out/"))]
    written = [key for method, key in s3.log if method == "PUT" and key.startswith("out/")]
    assert [key for key in written if not key.endswith("/")][-1] == "out/_SUCCESS"


def test_a_store_and_files_can_be_mixed(s3, client, right, source, tmp_path):
    web = [f"{s3.endpoint}/{BUCKET}/in/{at}.parquet?signature={SECRET}" for at in range(2)]
    manifest = tmp_path / "out.json"
    made = mask(client, source=[*web, source / "2.parquet"], scratch=tmp_path, manifest=manifest)
    assert hashes(made) == hashes(right)
    assert SECRET not in manifest.read_text()
    names = [entry["name"] for entry in json.loads(manifest.read_text())["input"]["files"]]
    assert names == ["0.parquet", "1.parquet", "2.parquet"]
    assert not list(tmp_path.glob(".*.part"))
    back = scale.mask(f"{ROOT}/in", PLAN, f"file://{tmp_path}/back", client=client, chunk_size=200)
    assert back.files == right.files


def test_a_release_in_a_store_is_verified_there(s3, client, source, tmp_path):
    manifest = tmp_path / "out.json"
    made = mask(client, manifest=manifest)
    verification = verify(f"{ROOT}/out/", manifest, original=f"{ROOT}/in", client=client)
    assert not verification.failed
    assert "the plan gives the same bytes" in {check.message for check in verification}
    key = f"out/{made.files[0]['name']}"
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
    seen = []

    def look(method, key):
        """Read the release before each change of it."""
        if method in ("PUT", "DELETE", "POST") and (key.startswith("out/") or not key):
            marker = json.loads(s3.objects["out/_SUCCESS"])
            content = [s3.objects[f"out/{entry['name']}"] for entry in marker["files"]]
            seen.append(sum(pq.read_metadata(io.BytesIO(one)).num_rows for one in content))
        return False

    s3.fails = look
    new = mask(client, force=True, chunk_size=100)
    assert hashes(new) != hashes(old)
    assert len(seen) > 3
    assert set(seen) == {600}
    names = ["_SUCCESS", *(entry["name"] for entry in new.files)]
    assert s3.files("out/") == sorted(f"out/{name}" for name in names)
    assert scale.released_files(f"{ROOT}/out") == [
        f"{ROOT}/out/{entry['name']}" for entry in new.files
    ]


def cut_after(server, n, prefix):
    """Let the server answer n changes below a prefix, and no request after them."""
    left = [n]

    def fails(method, key):
        if method != "GET" and method != "HEAD" and key.startswith(prefix) and key[-1:] != "/":
            left[0] -= 1
        return left[0] < 0

    server.fails = fails


@pytest.mark.parametrize("n", range(3))
def test_a_store_that_is_lost_while_publishing_has_no_release(n, s3, client, right, tmp_path):
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
    made = mask(client, force=True)
    assert hashes(made) == hashes(right)
    assert len(s3.files("out/")) == 1 + len(made.files)


def test_dropped_connections_are_tried_again(s3, client, right):
    seen = {}

    def drop(method, key):
        """Cut off the first request of each kind for each file."""
        seen[method, key] = seen.get((method, key), 0) + 1
        return seen[method, key] == 1 and len(seen) % 5 == 0

    s3.fails = drop
    assert hashes(mask(client)) == hashes(right)
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
