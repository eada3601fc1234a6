"""Lists of columns on the command line: ``-c a,b`` is ``-c a -c b``."""

import json

import pandas as pd
import pytest

from shell import shell
from shoal.cli.parsing.columns import column_names_of, split_columns, split_lists
from shoal.io.dialect import Dialect


@pytest.fixture
def source(tmp_path):
    rows = "".join(f"{i},{i * 7 % 11},{i % 3},{i * 5 % 13},{i % 2}\n" for i in range(26))
    path = tmp_path / "in.csv"
    path.write_text('a,b,c,"d,e",s\n' + rows)
    return path


@pytest.mark.parametrize(
    ("texts", "columns", "names"),
    [
        (["a,b"], "a b", ["a", "b"]),
        (["a, b", "c"], "a b c", ["a", "b", "c"]),
        (["a,b"], "a,b a b", ["a,b"]),  # the exact name wins
        (["a,b,c"], "a b,c b c", ["a", "b,c"]),
        (["a,x"], "a", ["a", "x"]),  # the command refuses x by its name
        (["a,"], "a", ["a"]),
        ([","], "a", [","]),
        ([" a"], " a", [" a"]),
    ],
)
def test_a_list_is_split_at_the_commas_that_belong_to_no_name(texts, columns, names):
    known = [" a"] if columns == " a" else columns.split(" ")
    assert split_columns(texts, known) == names


def test_the_source_is_read_only_if_a_list_contains_a_comma():
    def refuse():
        raise AssertionError("the source was read")

    assert split_lists([["a", "b"], None], refuse) == [["a", "b"], None]


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet", "jsonl", "feather"])
def test_the_names_of_every_kind_of_file_are_found(source, tmp_path, ending):
    path, table = tmp_path / f"table.{ending}", pd.read_csv(source)
    if ending.startswith("csv"):
        table.to_csv(path, index=False)
    elif ending == "jsonl":
        table.to_json(path, orient="records", lines=True)
    else:
        getattr(table, f"to_{ending}")(path)
    assert column_names_of([str(path)], Dialect()) == ["a", "b", "c", "d,e", "s"]


def test_the_names_of_a_folder_are_those_of_its_files(source, tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    pd.read_csv(source).to_parquet(folder / "1.parquet")
    assert column_names_of([str(folder)], Dialect()) == ["a", "b", "c", "d,e", "s"]


BOTH = {
    "mask": (
        ["-k", 3, "-c", "a,b", "--confidential", "c,s", "-i", "d,e", "--unit", "record"],
        [
            "-k",
            3,
            "-c",
            "a",
            "-c",
            "b",
            "--confidential",
            "c",
            "--confidential",
            "s",
            "-i",
            "d,e",
            "--unit",
            "record",
        ],
    ),
    "round": (["-c", "a,b", "--base", 5], ["-c", "a", "-c", "b", "--base", 5]),
    "swap": (
        ["-k", 3, "-c", "b,d,e", "--within", "s,c", "--seed", 1],
        ["-k", 3, "-c", "b", "-c", "d,e", "--within", "s", "--within", "c", "--seed", 1],
    ),
}


@pytest.mark.parametrize("command", BOTH)
def test_commas_and_repeated_options_give_the_same_release(source, tmp_path, command):
    releases = []
    for number, words in enumerate(BOTH[command]):
        target = tmp_path / f"{number}.csv"
        result = shell(command, source, target, *words)
        assert result.exit_code in (0, 1), result.output
        assert target.exists(), result.output
        releases.append(target.read_bytes())
    assert releases[0] == releases[1]


@pytest.mark.parametrize(
    ("command", "commas", "repeated"),
    [
        ("assess", ["-c", "a,b", "--measure", "il1s,linkage"],
         ["-c", "a", "-c", "b", "--measure", "il1s", "--measure", "linkage"]),
        ("attack", ["-c", "a,b", "--confidential", "c,s", "--seed", 0, "--attack", "linkage-rank"],
         ["-c", "a", "-c", "b", "--confidential", "c", "--confidential", "s", "--seed", 0,
          "--attack", "linkage-rank"]),
        ("utility", ["-c", "a,b,c", "--measure", "range-counts,regression", "--seed", 0],
         ["-c", "a", "-c", "b", "-c", "c", "--measure", "range-counts", "--measure", "regression",
          "--seed", 0]),
    ],
)  # fmt: skip
def test_commands_that_compare_files_take_both(source, tmp_path, command, commas, repeated):
    masked = tmp_path / "masked.csv"
    assert shell("mask", source, masked, "-c", "a,b", "-k", 3, "-q").exit_code == 0
    results = [shell(command, source, masked, *words, "--json") for words in (commas, repeated)]
    assert [result.exit_code for result in results] == [0, 0], results[0].output
    assert json.loads(results[0].stdout) == json.loads(results[1].stdout)


def test_risk_and_tradeoff_take_both(source):
    for commas, repeated in (
        (["risk", source, "-c", "a,b", "--sampling-fraction", 0.1],
         ["risk", source, "-c", "a", "-c", "b", "--sampling-fraction", 0.1]),
        (["tradeoff", source, "-c", "a,b", "--confidential", "c,d,e", "-k", "3",
          "--dependence", "0,1"],
         ["tradeoff", source, "-c", "a", "-c", "b", "--confidential", "c", "--confidential", "d,e",
          "-k", "3", "--dependence", "0", "--dependence", "1"]),
    ):  # fmt: skip
        results = [shell(*words, "--json") for words in (commas, repeated)]
        assert [result.exit_code for result in results] == [0, 0], results[0].output
        assert json.loads(results[0].stdout) == json.loads(results[1].stdout)


def test_a_wrong_name_in_a_list_is_refused_by_itself(source, tmp_path):
    result = shell("mask", source, tmp_path / "out.csv", "-c", "a,bb", "-k", 3)
    assert result.exit_code == 1
    assert "no column 'bb'" in result.stderr


def test_a_stray_column_is_refused_with_commas_as_the_way_out(source, tmp_path):
    result = shell("mask", source, tmp_path / "out.csv", "-k", 3, "-c", "a", "b")
    assert result.exit_code == 2
    assert "-c a,b" in result.stderr
