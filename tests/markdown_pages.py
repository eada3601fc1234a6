"""Markdown pages of the documentation, and the code in them, run from top to bottom.

A page is run in an empty folder. Its ``python`` blocks share one namespace. Their output is
compared with a ``text`` block that follows and begins with ``# output``, or with the lines after
``>>>``, as in docstrings. A ``console`` block holds commands after ``$``, each with its output. In
stated output ``...`` stands for anything, and white space is normalised. A ``{picture}`` block
assigns a figure of matplotlib to ``picture``, which readers see in its place. Blocks in other
languages are not run.
"""

import ast
import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from shoal.cli import app
from shoal.errors import ShoalWarning

ROOT = Path(__file__).parents[1]
FENCE = re.compile(r"(?m)^( *)(```+|~~~+|:::+)([^\n`]*)\n(.*?)^\1\2 *$", re.S)
RUN = ("python", "pycon", "console")
DRAWN = "{picture}"
OUTPUT_MARK = "# output"
# Lines of output while kernels are not compiled yet; a narrow terminal wraps the first.
COMPILING = re.compile(r"(?m)^(Compiling for this machine[^.]*\.|Compiled \d+ kernels?.*)\n")
PROMPT = "$ "
ALLOWED = ("cat", "cmp", "cp", "diff", "echo", "head", "ls", "mkdir", "mv", "rm", "tail", "wc")
COMPARISON = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@dataclass(frozen=True)
class Block:
    """A block of code of a page."""

    language: str
    text: str
    line: int


def list_pages() -> list[Path]:
    """Return the Markdown files under version control; others are generated."""
    globs = [ROOT.glob("*.md"), (ROOT / "docs").rglob("*.md"), (ROOT / "src").rglob("*.md")]
    return sorted(path for paths in globs for path in paths)


def blocks(text: str) -> list[Block]:
    """Return the fenced blocks of a page, in order."""
    listed = []
    for match in FENCE.finditer(text):
        indent, _, language, body = match.groups()
        body = re.sub(rf"(?m)^{indent}", "", body)
        listed.append(Block(language.strip(), body, text[: match.start()].count("\n") + 2))
    return listed


def run(page: str, text: str) -> dict[str, Any]:
    """Run a page in the current folder; return its namespace, with its ``pictures`` as SVG."""
    names: dict[str, Any] = {"__name__": "page", "pictures": []}
    status = 0
    for block, after in pairwise([*blocks(text), Block("", "", 0)]):
        where = f"{page}:{block.line}"
        if block.language == "console":
            status = run_console(where, block.text, status)
        elif block.language.startswith(DRAWN):
            names["pictures"].append(_draw(where, block, names))
        elif block.language in RUN and ">>>" in block.text:
            _run_prompts(where, block, names)
        elif block.language in RUN:
            shown = _run_plain(where, block, names)
            if after.language == "text" and after.text.startswith(OUTPUT_MARK):
                compare(where, after.text.removeprefix(OUTPUT_MARK).lstrip("\n"), shown)
    return names


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Ignore warnings of Shoal, which pages show on purpose."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        yield


def _run_prompts(where: str, block: Block, names: dict[str, Any]) -> None:
    parser = doctest.DocTestParser()
    test = parser.get_doctest(f"{block.text}\n", names, where, where, block.line)
    failures: list[str] = []
    with _quiet():
        # Doctest copies the namespace, and later blocks need the names of this one.
        runner = doctest.DocTestRunner(optionflags=COMPARISON, verbose=False)
        test.globs = names
        runner.run(test, out=failures.append, clear_globs=False)
    assert runner.failures == 0, "".join(failures)


def _run_plain(where: str, block: Block, names: dict[str, Any]) -> str:
    tree = ast.parse(block.text, where)
    ast.increment_lineno(tree, block.line - 1)
    with _quiet(), contextlib.redirect_stdout(io.StringIO()) as shown:
        exec(compile(tree, where, "exec"), names)
    return shown.getvalue()


def _draw(where: str, block: Block, names: dict[str, Any]) -> str:
    """Return what a block draws, as SVG."""
    import figures  # in docs; importing matplotlib takes half a second

    tools = ("canvas", "threads", "BLUE", "RED", "GREEN", "GREY")
    names |= {tool: getattr(figures, tool) for tool in tools}
    with figures.style(**figures.ON_ANY_GROUND):
        _run_plain(where, block, names)
        return figures.svg(names.pop("picture")).decode()


def run_console(where: str, text: str, status: int) -> int:
    """Run the commands of a block and compare what they show; return the last exit code."""
    for command, stated in commands(text):
        shown, status = _run_command(where, command, status)
        compare(f"{where}: {command}", stated, shown)
    return status


def commands(text: str) -> list[tuple[str, str]]:
    """Return each command of a block with the output that the block states."""
    pairs: list[list[str]] = []
    is_continued = False
    for line in text.splitlines():
        if is_continued:
            pairs[-1][0] += f"\n{line}"
        elif line.startswith(PROMPT):
            pairs.append([line.removeprefix(PROMPT), ""])
        else:
            assert pairs, (
                f"A console block begins with {PROMPT!r} and a command, not with {line!r}."
            )
            pairs[-1][1] += f"{line}\n"
        is_continued = bool(pairs) and line.endswith("\\")
    return [(command, result) for command, result in pairs]


def _run_command(where: str, command: str, status: int) -> tuple[str, int]:
    words = shlex.split(command.replace("\\\n", " "), comments=True)
    assert words[0] in ("shoal", *ALLOWED), (
        f"{where}: {words[0]!r} is not run here. Show it in a text block, or add it to ALLOWED in"
        " markdown_pages.py."
    )
    if words[0] == "shoal" and not re.search(r"[|<>&;$*]", command):
        return _run_shoal(words[1:])
    script = f'shoal() {{ "{sys.executable}" -m shoal "$@"; }}\n(exit {status})\n{command}'
    paths = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    result = subprocess.run(
        ["bash", "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": paths},
    )
    return COMPILING.sub("", result.stdout), result.returncode


def _run_shoal(words: list[str]) -> tuple[str, int]:
    """Run a command of Shoal in this process, because a new one takes a second to start."""
    with _quiet():
        result = CliRunner().invoke(app, words, prog_name="shoal")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return COMPILING.sub("", result.output), result.exit_code


def compare(where: str, stated: str, shown: str) -> None:
    """Compare the output that a page states with that of its code."""
    if stated.strip() == "...":
        return
    is_equal = doctest.OutputChecker().check_output(
        stated.strip() + "\n", shown.strip() + "\n", COMPARISON
    )
    assert is_equal, f"{where}\nThe page says:\n{stated}\nThe code shows:\n{shown}"
