"""What a terminal shows: results stay, lines fit, words are whole, colours are for screens."""

import fcntl
import json
import os
import re
import struct
import subprocess
import sys
import termios

import numpy as np
import pandas as pd
import pyte
import pytest
from typer.testing import CliRunner

import shoal
from markdown_pages import COMPILING
from shoal import _progress as progress
from shoal._progress_estimate import (
    PHASE_OF_STAGE,
    PHASES,
    PHASES_WITH_SEARCH,
    SEARCH_AHEAD,
    STAGES_WITHOUT_RELEASE,
    Estimate,
)
from shoal._text import align_rows, count, limit_table_width, wrap_text
from shoal.cli import app

COLUMNS = 80


def run_on_terminal(*arguments, columns=COLUMNS, program=("-m", "shoal"), **environment):
    """Run a command on a terminal; return its exit code, the screen at the end and all bytes."""
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 60, columns, 0, 0))
    variables = {**os.environ, "TERM": "xterm-256color", **environment}
    for name in ("COLUMNS", "NO_COLOR", "CI"):
        if name not in environment:
            variables.pop(name, None)
    command = [sys.executable, *program, *map(str, arguments)]
    with subprocess.Popen(
        command, stdin=slave, stdout=slave, stderr=slave, env=variables
    ) as running:
        os.close(slave)
        shown = b""
        while chunk := _read(master):
            shown += chunk
    os.close(master)
    screen = pyte.Screen(columns, 400)
    pyte.ByteStream(screen).feed(shown)
    lines = [line.rstrip() for line in screen.display]
    return running.returncode, "\n".join(lines).rstrip(), shown


def _read(handle):
    try:
        return os.read(handle, 4096)
    except OSError:  # the other end was closed
        return b""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X = np.random.default_rng(0).normal(size=(200, 4))
    names = [f"a column with {n} in its name" for n in range(4)]
    pd.DataFrame(X, columns=names).to_csv("small.csv", index=False)
    return tmp_path


@pytest.fixture
def large_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X = np.random.default_rng(0).normal(size=(6_000, 4))
    pd.DataFrame(X, columns=list("abcd")).to_csv("large.csv", index=False)
    return tmp_path


MASK = ["mask", "large.csv", "out.csv", "-c", "a", "-c", "b", "-k", "50", "-m", "mdav"]


BAR_AT_ONCE = """
import runpy
from shoal.cli.console import progress_bar
progress_bar.DELAY = 0
runpy.run_module("shoal", run_name="__main__")
"""


def test_the_result_stays_on_the_screen_after_the_progress_bar(large_folder):
    code, screen, shown = run_on_terminal(*MASK, program=("-c", BAR_AT_ONCE))
    assert code == 0
    assert "Grouping" in shown.decode()
    assert "elapsed" in shown.decode()
    assert "Grouping" not in screen
    lines = COMPILING.sub("", screen).strip().split("\n")
    assert re.match(r"out\.csv: 6,000 records in 120 groups of 50; information loss", lines[0])
    assert lines[1].startswith("verdict: ")
    assert any(line.startswith("reservation: Columns 'c' and 'd'") for line in lines)


PROGRESS = """
import time
from shoal.cli.console import progress_bar
progress_bar.DELAY = 0
progress_bar.Estimate.describe_time = lambda self: "10:10 elapsed, about 10:30 left"
with progress_bar.progress_bar() as listen:
    for done in range(12):
        listen("searching, loss 15.755 %", done, 12)
        time.sleep(0.1)
"""


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_progress_takes_one_line(columns):
    shown = run_on_terminal(columns=columns, program=("-c", PROGRESS))[2]
    screen = pyte.Screen(columns, 10)
    stream = pyte.ByteStream(screen)
    heights = set()
    for part in re.split(rb"(?=\r)", shown):
        stream.feed(part)
        heights.add(sum(bool(line.strip()) for line in screen.display))
    assert max(heights) == 1
    assert b"about 10:30 left" in shown
    assert b"Improving" in shown


def test_errors_stay_on_the_screen_too(large_folder):
    pd.DataFrame({"out": [1]}).to_csv("out.csv")
    code, screen, _ = run_on_terminal(*MASK)
    assert code == 1
    assert "error: 'out.csv' exists already." in screen


def test_output_to_a_file_contains_only_the_result(large_folder):
    plain = subprocess.run(
        [sys.executable, "-m", "shoal", *MASK], capture_output=True, text=True, check=True
    )
    assert "Grouping" not in plain.stdout + plain.stderr
    assert "\x1b" not in plain.stdout + plain.stderr
    assert plain.stdout.count("\n") == 2  # lines of any length: a program may read them


COMMANDS = [
    ["methods"],
    ["steps"],
    ["inspect", "small.csv"],
    ["mask", "small.csv", "small-out.csv", "-c", "a column with 0 in its name", "-k", "3"],
    ["compare", "small.csv", "-c", "a column with 0 in its name", "-k", "3", "-m", "mdav"],
]


# Several commands in one process: it takes longer to begin than to run any of them.
ONE_AFTER_ANOTHER = """
import json, sys
from shoal.cli import main
for words in json.loads(sys.argv[1]):
    sys.argv = ["shoal", *words]
    try:
        main()
    except SystemExit as end:
        if end.code:
            raise
"""


@pytest.mark.parametrize(("commands", "columns"), [(COMMANDS, 60), (COMMANDS[2:3], 80)])
def test_lines_fit_the_terminal_and_words_are_whole(folder, commands, columns):
    """A line that fills the terminal would have been broken by it."""
    program = "-c", ONE_AFTER_ANOTHER
    code, screen, _ = run_on_terminal(json.dumps(commands), columns=columns, program=program)
    assert code == 0
    words = set()
    for command in commands:
        again = [*command, "--force"] if command[0] in ("mask", "compare") else command
        words.update(CliRunner().invoke(app, again).output.split())
    shown = [line for line in COMPILING.sub("", screen).split("\n") if "shoal run" not in line]
    assert 10 < len(shown) < 400  # all of it is on the screen
    assert all(len(line) <= columns for line in shown)
    unknown = {word for line in shown for word in line.split()} - words
    assert not unknown


def test_only_the_label_of_a_reservation_is_coloured_and_nothing_where_no_color_is_set(folder):
    mask = COMMANDS[3]
    assert re.search(rb"\x1b\[33m\x1b\[1mreservation:\x1b\[0m \w", run_on_terminal(*mask)[2])
    assert b"\x1b[33m" not in run_on_terminal(*mask, "--force", NO_COLOR="1")[2]


def test_a_comparison_is_a_table_on_a_usual_terminal(folder):
    command = ["compare", "small.csv", "-c", "a column with 0 in its name", "-k", "3,4,5"]
    code, screen, _ = run_on_terminal(*command, columns=80)
    assert code == 0
    (heading,) = [line for line in screen.split("\n") if line.startswith("run  method")]
    rows = [line.split() for line in screen.split("\n") if re.match(r"0\d  ", line)]
    assert [row[0] for row in rows] == ["01", "02", "03"]
    assert "loss" in heading
    shown = [[cell for cell in row if re.fullmatch(r"\d+\.\d+", cell)] for row in rows]
    assert all(re.fullmatch(r"\d+\.\d", risk) for _, risk in shown), shown


def test_help_shows_no_python_types():
    for command in ([], ["mask"], ["verify"], ["inspect"], ["app"]):
        shown = CliRunner().invoke(app, [*command, "--help"], env={"COLUMNS": "80"}).output
        assert not re.search(r"<(bool|str|list)", shown)
        assert "--help" in shown


def test_completion_can_be_installed():
    shown = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "100"}).output
    assert "--install-completion" in shown
    names = (
        CliRunner()
        .invoke(
            app,
            [],
            prog_name="shoal",
            env={
                "_SHOAL_COMPLETE": "complete_bash",
                "COMP_WORDS": "shoal ma",
                "COMP_CWORD": "1",
            },
        )
        .output
    )
    assert "mask" in names


def test_an_unknown_option_is_named_before_stray_words():
    result = CliRunner().invoke(app, ["mask", "a", "b", "-c", "x", "-k", "2", "--foo", "bar"])
    assert result.exit_code == 2
    assert "--foo" in result.stderr
    assert "neither SOURCE nor TARGET" not in result.stderr


@pytest.mark.parametrize(
    ("words", "missing"),
    [
        ("mask in.csv -c age -k 5", "TARGET"),
        ("mask -c age -k 5", "SOURCE"),
        ("run plan.toml in.csv", "TARGET"),
        ("run plan.toml", "SOURCE"),
        ("run", "PLAN"),
    ],
)
def test_a_missing_argument_is_named(words, missing):
    result = CliRunner().invoke(app, words.split())
    assert result.exit_code == 2
    assert f"Missing argument '{missing}'" in result.stderr


def test_help_needs_no_target():
    assert CliRunner().invoke(app, ["mask", "in.csv", "--help"]).exit_code == 0


def test_the_share_done_never_falls_and_the_remaining_time_follows_from_it():
    now = [0.0]
    estimate = Estimate(lambda: now[0])
    reports = [("reading", 0, 0), ("grouping", 1, 2), ("moving records", 9, 10),
               ("moving records", 1, 10), ("searching, loss 4.71 %", 1, 9),
               ("writing", 0, 0), ("publishing", 0, 0)]  # fmt: skip
    shares, words = [], []
    for report in reports:
        now[0] += 2.0
        words.append(estimate.update(*report))
        shares.append(estimate.share)
    assert shares == sorted(shares)
    assert shares[1] == pytest.approx((PHASES["Reading"] + PHASES["Grouping"] / 2) / 100)
    assert words[1] == "Grouping"
    assert words[4] == "Improving the groups: loss 4.71 %"
    assert shares[4] > shares[3]  # although another stage of this part has been done
    now[0] = 100.0
    estimate.share = 0.25
    assert estimate.describe_time() == "1:40 elapsed, about 5:00 left"
    estimate.update("searching, loss 4.71 %", 0, 600)
    now[0] += 5
    assert estimate.describe_time() == "1:45 elapsed"  # nothing is known of it yet
    estimate.update("searching, loss 4.70 %", 60, 600)
    now[0] += 55
    assert estimate.describe_time() == "2:40 elapsed, about 9:00 left"
    assert set(PHASE_OF_STAGE.values()) <= set(PHASES)
    assert not set(PHASE_OF_STAGE) & set(STAGES_WITHOUT_RELEASE)


def test_a_search_that_has_just_begun_is_not_said_to_be_nearly_done():
    estimate = Estimate(lambda: 0.0)
    estimate.update("reading", 0, 0)
    estimate.update(SEARCH_AHEAD, 0, 0)
    for stage in ("grouping", "moving records"):
        estimate.update(stage, 10, 10)
    estimate.update("searching, loss 4.71 %", 6, 600)
    assert 0.05 < estimate.share < 0.15
    estimate.update("searching, loss 4.71 %", 600, 600)
    assert 0.9 < estimate.share < 1
    assert list(PHASES_WITH_SEARCH) == list(PHASES)
    assert sum(PHASES_WITH_SEARCH.values()) == 100


def test_no_remaining_time_is_given_before_a_search_begins():
    now = [0.0]
    estimate = Estimate(lambda: now[0])
    estimate.update("reading", 0, 0)
    assert estimate.update(SEARCH_AHEAD, 0, 0) == "Reading"
    for stage in ("grouping", "moving records"):
        now[0] += 30
        estimate.update(stage, 9, 10)
        assert estimate.describe_time() == f"{'0:30' if stage == 'grouping' else '1:00'} elapsed"
    estimate.update("searching, loss 4.71 %", 0, 600)
    now[0] += 60
    estimate.update("searching, loss 4.71 %", 60, 600)
    assert estimate.describe_time() == "2:00 elapsed, about 9:00 left"


@pytest.mark.parametrize("effort", ["search", "prove", "refine"])
def test_a_search_is_announced_before_the_groups_it_starts_from(effort):
    stages = []
    with progress.reporting_to(lambda stage, done, total: stages.append(stage)):
        shoal.partition(np.arange(40.0).reshape(20, 2) % 7, k=3, effort=effort)
    announced = [SEARCH_AHEAD] if effort != "refine" else []
    assert [stage for stage in stages if stage == SEARCH_AHEAD] == announced
    assert stages[:1] == announced or effort == "refine"


def test_tables_wrap_between_words_and_become_lists_where_they_must():
    rows = [["name", "size", "why"], ["a-long-name", "12", "because of many words"]]
    assert align_rows([]) == ""
    assert align_rows(rows).split("\n")[1] == "a-long-name    12  because of many words"
    with limit_table_width(32):
        assert align_rows(rows).split("\n")[1:] == [
            "a-long-name    12  because of",
            "                   many words",
        ]
    with limit_table_width(20):
        narrow = ["a-long-name    12", "    because of many", "      words"]
        assert align_rows(rows).split("\n")[1:] == narrow
    numbers = [["name", "first_measure", "second_measure"], ["x", "1.5", "2.5"]]
    with limit_table_width(24):
        assert align_rows(numbers) == "x\n  first_measure   1.5\n  second_measure  2.5"


def test_wrapped_lines_keep_their_indentation_colours_and_long_words():
    styled = "\x1b[31mone\x1b[0m two three"
    assert wrap_text(styled, 9) == "\x1b[31mone\x1b[0m two\n  three"
    assert wrap_text("  - one two three", 12) == "  - one two\n    three"
    assert wrap_text("/a/very/long/path/indeed x", 10) == "/a/very/long/path/indeed\n  x"
    assert wrap_text("any length", None) == "any length"
    assert count(1, "group") == "1 group"
    assert count(2500, "group") == "2,500 groups"


def test_sentences_stand_below_rows_where_that_takes_fewer_lines():
    why = "because of so many words that they would fill a narrow column for a long time"
    rows = [["name", "role", "why"], ["first", "a-long-role", why], ["second", "another", ""]]
    with limit_table_width(40):
        assert align_rows(rows).split("\n")[1:] == [
            "first   a-long-role",
            "    because of so many words that they",
            "      would fill a narrow column for a",
            "      long time",
            "second  another",
        ]


@pytest.mark.parametrize("target", [["b.csv"], []])
def test_several_values_after_an_option_are_refused_with_what_was_meant(target):
    done = CliRunner().invoke(app, ["mask", "a.csv", *target, "-k", "3", "-c", "age", "wage"])
    assert done.exit_code == 2
    assert "-c age,wage" in " ".join(done.stderr.split()).replace("│ ", "")
    assert ("Missing argument 'TARGET'" in done.stderr) == (not target)
