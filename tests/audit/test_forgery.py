"""Whatever field of a manifest is forged and sealed again, `verify` does not pass it."""

import copy
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import shoal
from shoal.audit import file_audit, keys
from shoal.audit import manifest as manifests
from shoal.cli import app
from shoal.errors import ShoalError, ShoalWarning

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")
del ShoalWarning

CSV = "name;town;age;size;ill;free\n" + "".join(
    f"p{i};{'ab'[i % 2]};{20 + i * 7 % 30};{i * 13 % 17};{i * 37 % 101};{i % 5}\n"
    for i in range(40)
)
PLAN = """version = 1
[roles]
name = "identifier"
town = "quasi-identifier"
age = "quasi-identifier"
size = "quasi-identifier"
ill = "confidential"
free = "non-confidential"
[types]
size = "ordinal"
[[steps]]
method = "microaggregate"
columns = ["age", "size"]
within = "town"
homogeneity = "merge"
partition = { method = "mdav", k = 4 }
[[steps]]
method = "rank-swap"
columns = ["ill"]
percent = 40
"""
RUN = [
    *("run", "agreed.toml", "in.csv", "out.csv", "--separator", ";", "--sign", "key.pem"),
    *("--manifest", "out.json", "--report", "out.txt"),
]
# What no run can tell: where software had another version, or a file another name, the same
# release comes out. The signature covers these too.
NOT_RECOMPUTED = ("versions", "input.name", "output.name", "report.name")


@pytest.fixture(scope="module")
def base_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("forgery")


@pytest.fixture(scope="module")
def manifest(base_folder):
    """Return the manifest of a signed release, with everything that a manifest can hold."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(base_folder)
        Path("in.csv").write_text(CSV)
        keys.make_key_pair("key.pem", "public.pem")
        Path("agreed.toml").write_text(PLAN)
        result = CliRunner().invoke(app, RUN)
        assert result.exit_code == 0, result.output
    return json.loads((base_folder / "out.json").read_text())


@pytest.fixture
def folder(base_folder, manifest, monkeypatch):
    monkeypatch.chdir(base_folder)
    yield base_folder
    (base_folder / "out.json").write_text(manifests.dumps(manifest))


@pytest.fixture
def runs_kept(monkeypatch):
    """Let a plan that is not forged be run once, and not for every forged field of another kind."""
    deliveries = {}
    deliver = file_audit.deliver

    def deliver_once(plan, original, target, *, dialect, **options):
        key = json.dumps(plan.to_dict(), sort_keys=True), repr(dialect), Path(target).name
        if key not in deliveries:
            deliveries[key] = deliver(plan, original, target, dialect=dialect, **options)
        return deliveries[key]

    monkeypatch.setattr(file_audit, "deliver", deliver_once)


def paths_to_entries(entry, path=()):
    """Yield the path to every entry, to lists and tables too."""
    if path:
        yield path
    if isinstance(entry, dict | list):
        for name, value in entry.items() if isinstance(entry, dict) else enumerate(entry):
            yield from paths_to_entries(value, (*path, name))


def other(value):
    """Return another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        return f"{value} indeed"
    if isinstance(value, list):
        return [*value, copy.deepcopy(value[-1]) if value else "more"]
    return {**value, "more": 1} if isinstance(value, dict) else 1


def parent_of(entries, path):
    """Return the mapping or list that holds an entry, and its name there."""
    for name in path[:-1]:
        entries = entries[name]
    return entries, path[-1]


def changed(entries, path):
    parent, name = parent_of(entries, path)
    parent[name] = other(parent[name])


def removed(entries, path):
    parent, name = parent_of(entries, path)
    del parent[name]


def emptied(entries, path):
    parent, name = parent_of(entries, path)
    parent[name] = type(parent[name])()


def spelled(path):
    return ".".join(str(name) for name in path)


def outcome(**options):
    """Return what `verify` says: the names of failures, or of what it could not look at."""
    try:
        verification = shoal.verify("out.csv", "out.json", report="out.txt", **options)
    except ShoalError:
        return ["refused"], []
    return verification.failed, [check.name for check in verification if check.passed is None]


def forge(manifest, forging, path):
    entries = copy.deepcopy(manifest)
    forging(entries, path)
    if path != ("seal",):
        entries = manifests.sealed(entries)
    Path("out.json").write_text(manifests.dumps(entries))


def test_the_manifest_as_it_was_written_passes(folder, manifest):
    assert manifest["report"]["name"] == "out.txt"
    everything = {"original": "in.csv", "key": "public.pem", "plan": "agreed.toml"}
    assert outcome(**everything) == ([], [])
    assert outcome() == ([], ["signature"])


@pytest.mark.parametrize("forging", [changed, removed, emptied])
@pytest.mark.usefixtures("runs_kept")
def test_every_forged_field_fails_with_the_original_and_the_plan(folder, manifest, forging):
    passed = []
    for path in paths_to_entries(manifest):
        parent, name = parent_of(manifest, path)
        if forging is emptied and not isinstance(parent[name], str | list | dict):
            continue
        forge(manifest, forging, path)
        if json.loads(Path("out.json").read_text()) == manifest:
            continue  # it was empty before
        failed, unsure = outcome(original="in.csv", plan="agreed.toml")
        if not failed:
            passed.append(spelled(path))
            # Without types a manifest says less: one that is written in Python has none.
            less = forging is removed and passed[-1] == "output.types"
            assert less or passed[-1].startswith(NOT_RECOMPUTED), f"{passed[-1]} was forged unseen"
            assert not passed[-1].startswith("versions") or "versions" in unsure


@pytest.mark.parametrize("forging", [changed, removed])
def test_every_forged_field_fails_with_the_key(folder, manifest, forging):
    for path in paths_to_entries(manifest):
        forge(manifest, forging, path)
        failed, _ = outcome(key="public.pem")
        assert {"signature", "refused"} & set(failed), f"{spelled(path)} was forged unseen"


def test_an_added_entry_fails(folder, manifest):
    for forged in (
        {**manifest, "approved": "by the board"},
        {**manifest, "large": {"chunk_size": 5}},
    ):
        Path("out.json").write_text(manifests.dumps(manifests.sealed(forged)))
        assert outcome(original="in.csv")[0]


def test_forging_what_the_file_shows_fails_without_the_original(folder, manifest):
    """Fields that follow from the released file and the plan need no original."""
    unseen = []
    for path in paths_to_entries(manifest):
        forge(manifest, changed, path)
        if not outcome()[0]:
            unseen.append(path)
    detected = {path for path in paths_to_entries(manifest)} - set(unseen)
    for name in ("manifest", "note", "records", "columns", "dropped", "promise", "seal"):
        assert {path for path in paths_to_entries(manifest) if path[0] == name} <= detected, name
    for path in (("verdict", "k"), ("verdict", "status"), ("verdict", "sentence"),
                 ("verdict", "promised"), ("measures", "smallest_class"),
                 ("measures", "class_sizes"), ("output", "sha256"), ("output", "bytes"),
                 ("report", "sha256")):  # fmt: skip
        assert path in detected, path


def test_a_verdict_that_conceals_a_finding_fails(folder, manifest):
    for i, finding in enumerate(manifest["verdict"]["findings"]):
        forge(manifest, removed, ("verdict", "findings", i))
        assert "statements" in outcome(original="in.csv")[0], finding["code"]


def test_a_manifest_with_the_note_of_an_earlier_version_verifies(folder, manifest):
    entries = {**manifest, "note": manifests.FORMER_NOTES[0]}
    Path("out.json").write_text(manifests.dumps(manifests.sealed(entries)))
    (check,) = [check for check in shoal.verify("out.csv", "out.json") if check.name == "manifest"]
    assert check.passed


def test_a_manifest_of_version_1_still_verifies(folder, manifest):
    old = copy.deepcopy(manifest)
    del old["verdict"], old["report"]
    old["manifest"] = 1
    old["input"] = manifests.entry_of_file("in.csv")
    Path("out.json").write_text(manifests.dumps(manifests.sealed(old)))
    verification = shoal.verify("out.csv", "out.json", original="in.csv")
    assert verification.failed == []
    assert [check.name for check in verification if check.passed is None] == [
        "signature",
        "verdict",
    ]
    old["measures"] = {**old["measures"], "information_loss": 1.0}
    Path("out.json").write_text(manifests.dumps(manifests.sealed(old)))
    assert shoal.verify("out.csv", "out.json", original="in.csv").failed == ["statements"]
    del old["output"]["bytes"]
    Path("out.json").write_text(manifests.dumps(manifests.sealed(old)))
    assert shoal.verify("out.csv", "out.json").failed == []
    for part in ("input", "output"):
        bare = {**old, part: {}}
        Path("out.json").write_text(manifests.dumps(manifests.sealed(bare)))
        name = "original" if part == "input" else "file"
        assert name in shoal.verify("out.csv", "out.json", original="in.csv").failed


def test_a_unit_that_the_plan_does_not_name_hides_nothing(folder, manifest):
    """Without the original: neither measures nor verdict may claim that units were counted."""
    forged = copy.deepcopy(manifest)
    forged["measures"]["fewest_units"] = 4
    forged["measures"]["reidentification"]["marketer"] = 0.0001
    Path("out.json").write_text(manifests.dumps(manifests.sealed(forged)))
    assert outcome()[0] == ["measures"]
    forged = copy.deepcopy(manifest)
    forged["verdict"]["unit"] = "name"
    Path("out.json").write_text(manifests.dumps(manifests.sealed(forged)))
    assert outcome()[0] == ["verdict"]


def test_a_verdict_on_units_cannot_be_passed_off_as_one_on_records(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"p{i // 2};{20 + i // 2 * 7 % 30}\n" for i in range(80)]
    Path("in.csv").write_text("name;age\n" + "".join(rows))
    mask = ["mask", "in.csv", "out.csv", "--separator", ";", "-c", "age", "-k", "4"]
    result = CliRunner().invoke(app, [*mask, "--unit", "name", "--manifest", "out.json"])
    assert result.exit_code == 0, result.output
    written = json.loads(Path("out.json").read_text())
    assert written["verdict"]["unit"] == "name"
    assert shoal.verify("out.csv", "out.json").failed == []
    for unit in ("record", "age"):
        forged = copy.deepcopy(written)
        forged["verdict"]["unit"] = unit
        Path("out.json").write_text(manifests.dumps(manifests.sealed(forged)))
        assert shoal.verify("out.csv", "out.json").failed == ["verdict"]
    forged = copy.deepcopy(written)
    forged["verdict"]["k"] = written["promise"]["smallest_class"] + 1
    Path("out.json").write_text(manifests.dumps(manifests.sealed(forged)))
    assert shoal.verify("out.csv", "out.json").failed == ["verdict"]


@pytest.mark.parametrize("ending", ["csv", "parquet", "xpt", "sav"])
def test_a_release_is_verified_with_the_types_that_it_had(tmp_path, monkeypatch, ending):
    """Numbers as text, truth values as numbers: the file need not hold the types of the run."""
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{i % 7},{i},{i % 2 == 0}\n" for i in range(60))
    Path("in.csv").write_text("age,ill,old\n" + rows)
    mask = ["mask", "in.csv", f"out.{ending}", "-c", "age", "-k", "5", "--confidential", "ill"]
    result = CliRunner().invoke(app, [*mask, "--set", "closeness=0.3", "--manifest", "out.json"])
    assert result.exit_code == 0, result.output
    assert shoal.verify(f"out.{ending}", "out.json").failed == []
    assert shoal.verify(f"out.{ending}", "out.json", original="in.csv").failed == []
