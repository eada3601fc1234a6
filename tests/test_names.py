"""Identifiers name what they hold, in the words of the field: withdrawn names do not come back."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# Metaphors, participles, adverbs and verbs that say nothing about the value or the function.
WITHDRAWN = {
    "among", "anew", "asking", "beyond", "but", "certain", "coming", "company", "crowd", "dear",
    "demand", "demanded", "demands", "disguise", "door", "doubt", "drain", "due", "everywhere",
    "fee", "firsts", "foreseen", "found", "fresh", "gone", "grave", "have", "having", "heat",
    "heed", "hear", "hole", "hope", "hopeless", "hurry", "intact", "lacks", "law", "mourn", "never",
    "noted", "over", "pains", "poured", "renew", "retie", "room", "sees", "settle", "settled",
    "sharing", "suspects", "them", "those", "toll", "told", "under", "unread", "usual", "were",
    "whom", "worn",
}  # fmt: skip
# Phrases of docstrings and comments that read as if translated, with the one to use instead.
PHRASES = {
    r"\bwhere None\b": "if None",
    r"\bbut for (?:rounding|the|a|words)\b": "up to rounding, except for",
    r'"""(?:Say|Tell) ': "Return whether, return which",
    r"\bfor ever\b": "indefinitely",
    r"\bas (?:a|the) (?:plan|user|query|name) says\b": "by the plan",
    r"\bif the (?:plan|step) says so\b": "if the plan requires it",
    r"\bwhat the (?:clock|file|page) says\b": "the time, the metadata, the words",
    r"``\w+`` says (?:that|whether|where|which|how|of)\b": "is True where, is whether",
    r"\b(?:is|are|was|were) (?:told|looked at)\b": "is reported, is evaluated",
    r"\bcumulated\b": "cumulative",
}
FOLDERS = [
    ROOT / name for name in ("src", "tests", "benchmarks", "reproduction", "docs", "examples")
]


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


def withdrawn_phrases(source):
    """Return the phrases in a module, which may be spread over lines of a docstring or comment."""
    text = re.sub(r"\s*\n\s*(?:# )?", " ", source)
    return {phrase for phrase in PHRASES if re.search(phrase, text)}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_no_docstring_or_comment_has_a_withdrawn_phrase(folder):
    actual = {
        f"{path.relative_to(ROOT)}: {phrase}": PHRASES[phrase]
        for path in folder.rglob("*.py")
        if path != Path(__file__)  # whose patterns and examples are such phrases
        for phrase in withdrawn_phrases(path.read_text(encoding="utf-8"))
    }
    assert actual == {}


def test_withdrawn_phrases_are_detected_across_lines():
    source = (
        '"""Say whether it holds; all cores where\n\n    None."""\n# equal but\n# for rounding\n'
    )
    assert len(withdrawn_phrases(source)) == 3
