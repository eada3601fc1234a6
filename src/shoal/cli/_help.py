"""Help texts without the Python types of arguments and flags."""

from typing import Any

from typer.core import TyperCommand, TyperGroup


class _PlainHelp:
    """Show flags and arguments by their names alone."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters; arguments and flags, such as ``--help``, show no type."""
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            if param.param_type_name == "argument":
                param.display_type_rich = lambda ctx: None
            elif getattr(param, "is_flag", False) and param.metavar is None:
                param.metavar = ""
        return params


class Command(_PlainHelp, TyperCommand):
    """A command with plain help."""


class Group(_PlainHelp, TyperGroup):
    """The program itself, with plain help."""
