"""Mistakes in a plan, a parameter or a file name: exit codes, and messages in the user's words."""

import numpy as np
import pandas as pd
import pytest

import shoal
from shell import shell
from shoal.errors import FileError, ParameterError, PlanError
from shoal.io.files import read

PLAN = """version = 1
other_columns = "release"
[roles]
age = "quasi-identifier"
[[steps]]
method = "microaggregate"
columns = ["age"]
partition = { method = "auto", k = 5 }
"""


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("age,wage\n" + "".join(f"{i},{i * 7 % 11}\n" for i in range(20)))
    return path


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ('method = "microaggregate"', 'metod = "microaggregate"', ["'metod'", "'method'"]),
        ('method = "microaggregate"', "", ["Step 1 has no method", "microaggregate"]),
        ('{ method = "auto"', '{ metod = "auto"', ["partition of step 1", "'metod'", "'method'"]),
        ("k = 5", 'k = "five"', ["method 'auto'", "'k'"]),
        ("k = 5", "kk = 5", ["method 'auto'", "'kk'", "'k'"]),
        (
            "columns = [",
            'homogeneity = "merg"\ncolumns = [',
            ["step 'microaggregate'", "'homogeneity'"],
        ),
        ('"quasi-identifier"', '"quasi"', ["role"]),
        ("version = 1", "version = 9", ["version 9"]),
        ("[roles]", "[rolls]", ["'rolls'", "'roles'"]),
    ],
)
def test_a_mistake_in_a_plan_exits_with_2(source, tmp_path, before, after, words):
    plan = tmp_path / "plan.toml"
    assert before in PLAN
    plan.write_text(PLAN.replace(before, after, 1))
    result = shell("run", plan, source, tmp_path / "out.csv")
    message = " ".join(result.stderr.split())
    assert result.exit_code == 2, message
    assert not [word for word in words if word not in message], message
    assert not [name for name in ("Auto", "Microaggregate", "None") if name in message], message
    assert not (tmp_path / "out.csv").exists()


def test_data_that_a_right_plan_refuses_exit_with_1(source, tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN.replace("k = 5", "k = 50"))
    result = shell("run", plan, source, tmp_path / "out.csv")
    assert result.exit_code == 1
    assert "n_samples" not in result.stderr


@pytest.mark.parametrize(
    ("k", "words"), [("five", "must be a whole number"), ("0", "must be at least 1")]
)
def test_a_wrong_number_is_named_in_plain_words(source, tmp_path, k, words):
    result = shell("mask", source, tmp_path / "out.csv", "-c", "age", "-k", k)
    assert result.exit_code == 2
    assert words in " ".join(result.stderr.split())


@pytest.mark.parametrize("name", ["homogenity", "identifier", "efort"])
def test_a_misspelt_parameter_in_python_names_the_one_that_was_meant(name):
    table = pd.DataFrame({"age": range(10)})
    right = {"homogenity": "homogeneity", "identifier": "identifiers", "efort": "effort"}[name]
    with pytest.raises(ParameterError) as caught:
        shoal.microaggregate(table, ["age"], k=3, **{name: "merge"})
    assert (caught.value.code, caught.value.parameter) == ("unknown-parameter", name)
    assert f"Did you mean {right!r}?" in str(caught.value)
    if name == "efort":
        with pytest.raises(ParameterError) as caught:
            shoal.partition(table.to_numpy(), k=3, efort="refine")
        assert "Did you mean 'effort'?" in str(caught.value)


def test_a_misspelt_parameter_of_a_plan_names_the_one_that_was_meant():
    with pytest.raises(PlanError) as caught:
        shoal.Plan.from_dict({"version": 1, "roles": {}, "steps": [], "rolls": {}})
    assert "Did you mean 'roles'?" in str(caught.value)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (np.random.default_rng(0).bytes(4000), "not-text"),
        (b"%PDF-1.7\n" + bytes(range(256)) * 20, "not-text"),
        ("a,b\nü,1\n".encode("latin-1"), "wrong-encoding"),
        ("a,b\nü,1\n".encode("utf-16"), "wrong-encoding"),
    ],
    ids=["random bytes", "a PDF", "latin-1", "utf-16"],
)
def test_what_is_no_text_is_not_taken_for_another_encoding(tmp_path, content, code):
    path = tmp_path / "in.csv"
    path.write_bytes(content)
    with pytest.raises(FileError) as caught:
        read(path)
    assert caught.value.code == code
