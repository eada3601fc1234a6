"""docs/guarantees.md lists every finding and every threshold."""

import ast
import re
from pathlib import Path

from shoal import _params as parameters
from shoal.plan.thresholds import Thresholds

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "guarantees.md").read_text(encoding="utf-8")
# Findings that the run itself has noted, whose codes come from warnings.
RUN_CODES = (
    "missing-values", "released-index", "constant-column", "cells-suppressed", "strata-merged",
    "values-generalised", "values-randomised", "columns-weighted", "unfinished", "kind-inferred",
    "missing-codes",
)  # fmt: skip
SEVERITIES = {"breaks", "qualifies", "informs"}


def codes_in_source():
    """Return the code of every Finding that some module makes, and of those noted by a run."""
    codes = {*RUN_CODES, "one-contributor", "few-contributors"}  # the last two share a function
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Finding":
                constants = [
                    argument.value
                    for argument in node.args[:1]
                    if isinstance(argument, ast.Constant)
                ]
                codes.update(constants)
    return codes


def rows():
    table = PAGE.split("## Findings")[1].split("\n## ")[0]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()
            if line.startswith("| `")]  # fmt: skip


def test_every_code_is_listed_once():
    listed = [row[0].strip("`") for row in rows()]
    assert sorted(listed) == sorted(codes_in_source())


def test_every_severity_is_one_of_three():
    for row in rows():
        assert set(re.findall(r"\w+", row[1].replace(" or ", " "))) <= SEVERITIES


def test_every_threshold_is_listed_with_its_default():
    section = PAGE.split("## Thresholds")[1].split("\n## ")[0]
    listed = dict(re.findall(r"^\| `(\w+)` \| ([^|]+?) \|", section, re.M))
    declared = parameters.signature_parameters(Thresholds)
    assert listed == {
        name: "none" if parameter.default is None else f"{parameter.default:g}"
        for name, parameter in declared.items()
    }
