"""Identifiers name what they hold, in the words of the field: withdrawn names do not come back."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# Metaphors, participles and verbs that say nothing about the value or the function.
WITHDRAWN = {
    "anew", "company", "crowd", "dear", "demand", "door", "drain", "fee", "found", "having", "heed",
    "hear", "hole", "hope", "hurry", "law", "mourn", "pains", "poured", "renew", "retie", "room",
    "settle", "settled", "sharing", "toll", "told", "worn",
}  # fmt: skip
FOLDERS = [ROOT / name for name in ("src", "benchmarks", "reproduction", "docs", "examples")]


def is_withdrawn(identifier):
    return identifier.strip("_").lower() in WITHDRAWN


def identifiers(tree):
    """Yield the names that a module defines: functions, classes, parameters and variables."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_no_identifier_is_a_withdrawn_name(folder):
    withdrawn = [
        f"{path.relative_to(ROOT)}: {identifier}"
        for path in folder.rglob("*.py")
        for identifier in identifiers(ast.parse(path.read_text(encoding="utf-8")))
        if is_withdrawn(identifier)
    ]
    assert withdrawn == []


def test_withdrawn_names_are_detected():
    tree = ast.parse("def settle(x):\n    _found = x + none_found\nclass Crowd: ...")
    assert set(filter(is_withdrawn, identifiers(tree))) == {"settle", "Crowd", "_found"}
