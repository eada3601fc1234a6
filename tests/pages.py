"""The code of a written page, run from top to bottom.

A page is run in an empty folder. Its ``python`` blocks share one namespace; what they print is
compared where a ``text`` block that begins with ``# output`` follows, or after ``>>>`` as in
docstrings. A ``console`` block holds commands after ``$`` and what each of them shows. In stated
output ``...`` stands for anything, and blanks count as one. A ``{picture}`` block draws: it leaves
a figure of matplotlib in ``picture``, which readers see in its place. Blocks of other languages are
read by people alone.
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
# Lines that are shown where no kernels are kept yet; a narrow terminal wraps the first.
COMPILING = re.compile(r"(?m)^(Compiling for this machine[^.]*\.|Compiled \d+ kernels?.*)\n")
PROMPT = "$ "
ALLOWED = ("cat", "cmp", "cp", "diff", "echo", "head", "ls", "mkdir", "mv", "rm", "tail", "wc")
LIKE = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@dataclass(frozen=True)
class Block:
    """A block of code of a page."""

    language: str
    text: str
    line: int


def written() -> list[Path]:
    """Return every page that people write: Markdown under version control."""
    places = [ROOT.glob("*.md"), (ROOT / "docs").rglob("*.md"), (ROOT / "src").rglob("*.md")]
    return sorted(path for place in places for path in place)


def blocks(text: str) -> list[Block]:
    """Return the fenced blocks of a page, in order."""
    listed = []
    for match in FENCE.finditer(text):
        indent, _, language, body = match.groups()
        body = re.sub(rf"(?m)^{indent}", "", body)
        listed.append(Block(language.strip(), body, text[: match.start()].count("\n") + 2))
    return listed


def run(page: str, text: str) -> dict[str, Any]:
    """Run a page in the folder we are in; return its namespace, with its ``pictures`` as SVG."""
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
    """Let warnings pass that Shoal gives to whoever signs: pages show them on purpose."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        yield


def _run_prompts(where: str, block: Block, names: dict[str, Any]) -> None:
    parser = doctest.DocTestParser()
    test = parser.get_doctest(f"{block.text}\n", names, where, where, block.line)
    failures: list[str] = []
    with _quiet():
        # The namespace is the page's own, so that the next block goes on with it.
        runner = doctest.DocTestRunner(optionflags=LIKE, verbose=False)
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
    import figures  # of docs; matplotlib takes half a second to begin

    tools = ("canvas", "threads", "BLUE", "RED", "GREEN", "GREY")
    names |= {tool: getattr(figures, tool) for tool in tools}
    with figures.style(**figures.ON_ANY_GROUND):
        _run_plain(where, block, names)
        return figures.svg(names.pop("picture")).decode()


def run_console(where: str, text: str, status: int) -> int:
    """Run the commands of a block and compare what they show; return the last exit code."""
    for command, actual in commands(text):
        shown, status = _run_command(where, command, status)
        compare(f"{where}: {command}", actual, shown)
    return status


def commands(text: str) -> list[tuple[str, str]]:
    """Return each command of a block with what the block says it shows."""
    pairs: list[list[str]] = []
    goes_on = False
    for line in text.splitlines():
        if goes_on:
            pairs[-1][0] += f"\n{line}"
        elif line.startswith(PROMPT):
            pairs.append([line.removeprefix(PROMPT), ""])
        else:
            assert pairs, (
                f"A console block begins with {PROMPT!r} and a command, not with {line!r}."
            )
            pairs[-1][1] += f"{line}\n"
        goes_on = bool(pairs) and line.endswith("\\")
    return [(command, result) for command, result in pairs]


def _run_command(where: str, command: str, status: int) -> tuple[str, int]:
    words = shlex.split(command.replace("\\\n", " "), comments=True)
    assert words[0] in ("shoal", *ALLOWED), (
        f"{where}: {words[0]!r} is not run here. Show it in a text block, or allow it in pages.py."
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
    """Run a command of ours in this process: a new one would take a second to begin."""
    with _quiet():
        result = CliRunner().invoke(app, words, prog_name="shoal")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return COMPILING.sub("", result.output), result.exit_code


def compare(where: str, stated: str, shown: str) -> None:
    """Hold what a page says against what its code shows."""
    if stated.strip() == "...":
        return
    same = doctest.OutputChecker().check_output(stated.strip() + "\n", shown.strip() + "\n", LIKE)
    assert same, f"{where}\nThe page says:\n{stated}\nThe code shows:\n{shown}"
