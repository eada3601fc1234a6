"""A page about the command line, from its own declarations."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from making.grid import grid
from shoal.cli import app
from shoal.cli.commands.step_commands import SUMMARIES, step_command


def pages(root: Path) -> Iterator[tuple[str, str]]:
    """Yield name and text of the page."""
    del root
    group: Any = typer.main.get_command(app)
    commands = {**group.commands, **{name: step_command(name) for name in SUMMARIES}}
    sections = [_section(name, command) for name, command in commands.items()]
    about = (
        f"{group.help} `shoal --version` prints the version, `shoal COMMAND --help` the text"
        " below. The exit code is 0 on success, 1 if the data are refused or a guarantee is not"
        " kept, and 2 if the command line is wrong."
    )
    yield "reference/commands.md", "\n\n".join(["# Commands", about, *sections]) + "\n"


def _section(name: str, command: Any) -> str:
    shown = [parameter for parameter in command.params if not _silent(parameter)]
    named = [p.name.upper() if p.required else f"[{p.name.upper()}]" for p in shown if _argument(p)]
    usage = " ".join([f"shoal {name}", *named, "[OPTIONS]"])
    table = grid(["Option", "Meaning", "Default"], map(_row, shown)) if shown else ""
    return "\n\n".join(
        filter(None, [f"## shoal {name}", f"```text\n{usage}\n```", _prose(command.help), table])
    )


def _silent(parameter: Any) -> bool:
    return bool(getattr(parameter, "hidden", False)) or parameter.name == "help"


def _argument(parameter: Any) -> bool:
    return bool(parameter.param_type_name == "argument")


def _row(parameter: Any) -> list[str]:
    names = [parameter.name.upper()] if _argument(parameter) else parameter.opts
    names = [*names, *parameter.secondary_opts]
    default = parameter.default
    plain = isinstance(default, str | int | float) and not isinstance(default, bool)
    shown = "required" if parameter.required else f"`{default}`" if plain and default != "" else ""
    return [", ".join(f"`{name}`" for name in names), _prose(parameter.help), shown]


def _prose(text: str | None) -> str:
    return " ".join((text or "").replace("\b", "").split())
