"""Spelling: of pages, change fragments and docstrings."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from spellchecker import SpellChecker

import markdown_pages
import words

ROOT = markdown_pages.ROOT
ACCEPTED = ROOT / "docs" / "words.txt"
PAGES = [*markdown_pages.list_pages(), *sorted((ROOT / "changes").glob("*.md"))]
SOURCES = [
    *sorted((ROOT / "src").rglob("*.py")),
    *sorted((ROOT / "docs").rglob("*.py")),
    *sorted((ROOT / "examples").rglob("*.py")),
]


@pytest.fixture(scope="module")
def dictionary():
    """Return the words that are right, in small letters."""
    checker = SpellChecker(distance=1)
    checker.word_frequency.load_words(words.accepted(ACCEPTED))
    return checker


def unknown(words, dictionary):
    """Return the words that neither the dictionary nor our list holds."""
    plain = {re.sub(r"['’]s?$", "", word.lower().replace("’", "'")) for word in words}
    return sorted(word for word in plain if len(word) > 2 and word not in dictionary)


def test_every_word_of_a_page_is_known(dictionary):
    actual = {path: unknown(words.in_page(text(path)), dictionary) for path in PAGES}
    wrong = {str(path.relative_to(ROOT)): odd for path, odd in actual.items() if odd}
    assert not wrong, "Mend them, or put words that are right into docs/words.txt."


def test_every_word_of_a_docstring_is_known(dictionary):
    actual = {path: unknown(words.in_docstrings(text(path)), dictionary) for path in SOURCES}
    wrong = {str(path.relative_to(ROOT)): odd for path, odd in actual.items() if odd}
    assert not wrong, "Mend them, or put words that are right into docs/words.txt."


def test_common_misspellings_are_not_in_the_repository():
    command = [sys.executable, "-m", "codespell_lib", "--builtin", "clear,rare,informal"]
    command += ["--ignore-words", str(ACCEPTED), *map(str, [*PAGES, *SOURCES])]
    result = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", cwd=ROOT)
    assert result.returncode == 0, result.stdout + result.stderr


def test_accepted_stand_in_order_and_once():
    groups = re.split(r"(?m)^#.*\n|^\n", text(ACCEPTED))
    lists = [group.split() for group in groups if group.strip()]
    assert all(group == sorted(group) for group in lists)
    flat = [word for group in lists for word in group]
    assert len(flat) == len(set(flat))
    assert all(word == word.lower() for word in flat)


@pytest.mark.parametrize("slip", ["guarrantee", "recieve", "microagregation", "seperate", "wich"])
def test_a_misspelling_is_found(dictionary, slip):
    assert unknown(words.in_page(f"Here is a {slip} that `{slip}x` may not hide."), dictionary) == [
        slip
    ]


def test_code_names_and_addresses_are_not_spelled():
    page = (
        "Take `mdavv`.\n\n```python\nqwertz = 1\n```\n\nSee [it](https://xyzzy.example/qwertz).\n"
    )
    assert words.in_page(page) == {"Take", "See", "it"}


def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
