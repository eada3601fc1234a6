"""Files appear completely or not at all."""

import os
import signal
import subprocess
import sys
import textwrap

import pytest

from raising import raises
from shoal import _progress as progress
from shoal.errors import FileError
from shoal.io.publish import Publication


def leftovers(folder):
    return sorted(path.name for path in folder.iterdir())


def test_files_appear_together_at_the_end(tmp_path):
    with Publication() as publication:
        publication.add(tmp_path / "a").write_text("one")
        publication.add(tmp_path / "b").write_text("two")
        assert not (tmp_path / "a").exists()
    assert leftovers(tmp_path) == ["a", "b"]
    assert (tmp_path / "a").read_text() == "one"


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_no_file_is_left_after_an_error(tmp_path, error):
    def interrupted():
        with Publication() as publication:
            publication.add(tmp_path / "a").write_text("half")
            raise error

    with pytest.raises(error):
        interrupted()
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize("force", [False, True])
def test_an_interrupt_between_two_files_waits_until_both_are_published(
    tmp_path, monkeypatch, force
):
    rename = Publication._rename

    def rename_and_interrupt(*arguments):
        rename(*arguments)
        signal.raise_signal(signal.SIGINT)

    def publish():
        with Publication(force=force) as publication:
            publication.add(tmp_path / "a").write_text("one")
            publication.add(tmp_path / "b").write_text("two")

    monkeypatch.setattr(Publication, "_rename", rename_and_interrupt)
    with progress.recording_published() as published, pytest.raises(KeyboardInterrupt):
        publish()
    assert leftovers(tmp_path) == published == ["a", "b"]


def test_a_file_that_exists_is_kept_unless_forced(tmp_path):
    (tmp_path / "a").write_text("old")
    with raises(FileError, "file-exists"):
        Publication().add(tmp_path / "a")
    with Publication(force=True) as publication:
        publication.add(tmp_path / "a").write_text("new")
    assert (tmp_path / "a").read_text() == "new"
    assert leftovers(tmp_path) == ["a"]


def test_an_error_names_the_files_that_were_replaced_before_it(tmp_path):
    (tmp_path / "a").write_text("old")

    def obstructed():
        with Publication(force=True) as publication:
            publication.add(tmp_path / "a").write_text("new")
            publication.add(tmp_path / "b").write_text("new")
            (tmp_path / "b").mkdir()

    with raises(FileError, "cannot-write", file=str(tmp_path / "b")) as caught:
        obstructed()
    assert str(caught.value).endswith(f"Replaced before that: {str(tmp_path / 'a')!r}.")
    assert (tmp_path / "a").read_text() == "new"
    assert leftovers(tmp_path) == ["a", "b"]


def test_a_file_created_meanwhile_is_kept(tmp_path):
    def overtaken():
        with Publication() as publication:
            publication.add(tmp_path / "a").write_text("mine")
            (tmp_path / "a").write_text("theirs")

    with raises(FileError, "file-exists"):
        overtaken()
    assert (tmp_path / "a").read_text() == "theirs"
    assert leftovers(tmp_path) == ["a"]


def test_a_replaced_file_keeps_its_mode_and_a_new_one_has_the_default(tmp_path):
    old = tmp_path / "old"
    old.write_text("")
    old.chmod(0o640)
    (tmp_path / "default").write_text("")
    with Publication(force=True) as publication:
        publication.add(old).write_text("x")
        publication.add(tmp_path / "new").write_text("x")
    assert old.stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "default").stat().st_mode


def test_two_files_of_one_name_are_refused(tmp_path):
    def twice():
        with Publication() as publication:
            publication.add(tmp_path / "a").write_text("one")
            publication.add(tmp_path / "." / "a").write_text("two")

    with raises(FileError, "written-twice"):
        twice()
    assert leftovers(tmp_path) == []


def test_a_missing_folder_is_refused(tmp_path):
    with raises(FileError, "cannot-write"):
        Publication().add(tmp_path / "nowhere" / "a")
    with raises(FileError, "is-a-directory"):
        Publication().add(tmp_path)


SLOW_WRITER = """
import sys, time
from pathlib import Path
from shoal.io.publish import Publication
with Publication(force=True) as publication:
    part = publication.add(Path(sys.argv[1]))
    part.write_text("half")
    print("writing", flush=True)
    time.sleep(60)
"""


def test_a_killed_run_leaves_the_old_file(tmp_path):
    target = tmp_path / "a.csv"
    target.write_text("old")
    writer = subprocess.Popen(
        [sys.executable, "-c", SLOW_WRITER, str(target)], stdout=subprocess.PIPE, text=True
    )
    with writer:
        assert writer.stdout.readline() == "writing\n"
        os.kill(writer.pid, signal.SIGKILL)
    assert target.read_text() == "old"


FULL_DISK = """
import resource, signal, sys
from pathlib import Path
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
import pyarrow as pa
from shoal.errors import FileError
from shoal.io.files import write
from shoal.io.publish import Publication
from shoal.io.files import check_format
target = Path(sys.argv[1])
check_format(target)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
table = pa.table({"x": [i / 7 for i in range(20000)]})
try:
    with Publication(force=True) as publication:
        write(table, publication.add(target), target=target)
except FileError as error:
    print(error)
"""


TARGETS = ["a.csv", "a.csv.gz", "a.csv.zst", "a.parquet", "a.feather", "a.xlsx", "a.sav", "a.xpt"]


@pytest.mark.parametrize("name", TARGETS)
def test_a_full_disk_leaves_the_old_file(tmp_path, name):
    target = tmp_path / name
    target.write_text("old")
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(FULL_DISK), str(target)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "could not be written" in result.stdout
    assert target.read_text() == "old"
    assert leftovers(tmp_path) == [name]


def test_two_runs_do_not_write_to_one_target(tmp_path):
    with Publication(force=True) as first:
        first.add(tmp_path / "a").write_text("one")
        with raises(FileError, "target-locked"), Publication(force=True) as second:
            second.add(tmp_path / "a")
        with Publication(force=True) as other:
            other.add(tmp_path / "b").write_text("beside")
    assert (tmp_path / "a").read_text() == "one"
    assert leftovers(tmp_path) == ["a", "b"]
    with Publication(force=True) as third:
        third.add(tmp_path / "a").write_text("three")
    assert leftovers(tmp_path) == ["a", "b"]


LOCKER = """
import sys
from pathlib import Path
from shoal.errors import FileError
from shoal.io.publish import Publication
sys.stdin.readline()
try:
    with Publication(force=True) as publication:
        publication.add(Path(sys.argv[1])).write_text(sys.argv[2] * 1000)
        print("holds", flush=True)
        sys.stdin.readline()
except FileError as error:
    print(error.code, flush=True)
"""


def test_one_of_several_processes_gets_the_target(tmp_path):
    target = tmp_path / "a.csv"
    command = [sys.executable, "-c", LOCKER, str(target)]
    runs = [
        subprocess.Popen([*command, mark], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for mark in "abc"
    ]
    for run in runs:
        run.stdin.write("\n")
        run.stdin.flush()
    answers = [run.stdout.readline().strip() for run in runs]
    assert sorted(answers) == ["holds", "target-locked", "target-locked"]
    for run in runs:
        run.communicate("\n")
    assert leftovers(tmp_path) == ["a.csv"]
    assert set(target.read_text()) == {"abc"[answers.index("holds")]}


def test_leftovers_of_a_killed_run_are_removed_by_the_next(tmp_path):
    target = tmp_path / "a.csv"
    writer = subprocess.Popen(
        [sys.executable, "-c", SLOW_WRITER, str(target)], stdout=subprocess.PIPE, text=True
    )
    with writer:
        assert writer.stdout.readline() == "writing\n"
        os.kill(writer.pid, signal.SIGKILL)
    remaining = leftovers(tmp_path)
    assert len(remaining) == 2  # a partial file and a released lock
    for name in (".other.csv.abcdefgh.part.csv", ".a.csv.mine", ".a.csv.abcdefgh.partly"):
        (tmp_path / name).write_text("of somebody else")
    (tmp_path / ".a.csv.ab345678.part").mkdir()
    (tmp_path / ".a.csv.12345678.part.csv").write_text("just made")
    for path in tmp_path.iterdir():
        if path.name != ".a.csv.12345678.part.csv":
            os.utime(path, (1, 1))
    with Publication() as publication:
        publication.add(target).write_text("new")
    kept = [".12345678.part.csv", ".ab345678.part", ".abcdefgh.partly", ".mine"]
    others = [".other.csv.abcdefgh.part.csv", "a.csv"]
    assert leftovers(tmp_path) == sorted([*(f".a.csv{end}" for end in kept), *others])
