"""The words of pages and docstrings for the spelling test, without code, names and addresses."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
NOT_PROSE = [
    re.compile(r"(?ms)^( *)(```+|~~~+)(?!\{glossary\}).*?^\1\2 *$"),  # blocks of code
    re.compile(r"(?m)^(?: {4}|\t).*$"),  # indented ones
    re.compile(r"(?s)<!--.*?-->|</?\w[^>]*>"),
    re.compile(r"``[^`]*``|`[^`]*`"),
    re.compile(r"\$\$[^$]*\$\$|\$[^$]*\$"),  # formulas
    re.compile(r"\]\([^)]*\)|\{[\w:-]+\}|\bhttps?://\S+"),  # addresses and roles
    re.compile(r":\w+:`[^`]*`"),
    re.compile(r"(?m)^(- \[\w+\] .*(?:\n  \S.*)*|\S[^\n]*\(\d{4}\)\..*)$"),  # papers
    re.compile(r"\[\w+\]_?"),
    re.compile(r"\b\w*[\d_/\\=.]+\w+\b"),  # names of files, numbers with units
    re.compile(r"\b\w*[a-z][A-Z]\w*\b"),  # names of classes
]
SECTIONS = re.compile(r"(?ms)^(References|Examples)\n-{3,}\n.*?(?=^\w[\w ]*\n-{3,}\n|\Z)")
FORMULA = re.compile(r"(?m)^( *)\.\. math::.*(?:\n\1 +\S.*)*")
DECLARED = re.compile(r"(?m)^\S+(, \S+)* : .*$")  # a parameter and its type


def in_page(text: str) -> set[str]:
    """Return the words of a page in Markdown."""
    for pattern in NOT_PROSE:
        text = pattern.sub(" ", text)
    return set(WORD.findall(text))


def in_docstrings(text: str) -> set[str]:
    """Return the words of the docstrings of a module."""
    return {word for docstring in _docstrings(text) for word in in_page(docstring)}


def _docstrings(text: str) -> Iterator[str]:
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, kinds):
            docstring = FORMULA.sub("", SECTIONS.sub("", ast.get_docstring(node) or ""))
            yield re.sub(r"(?m)^ {4,}(?=\S)", "", DECLARED.sub("", docstring))


def accepted(path: Path) -> set[str]:
    """Return the words in a file, one on each line, which may end in a comment after ``#``."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return {word for line in lines if (word := line.partition("#")[0].strip())}
