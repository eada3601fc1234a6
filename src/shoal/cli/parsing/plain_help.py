"""Help texts and messages without the Python types of arguments and flags."""

import re
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

# Patterns of the parser's messages about a value, and the messages to show instead.
PLAIN_MESSAGES = (
    (r"Input should be a valid integer.*", "it must be a whole number."),
    (r"Input should be a valid number.*", "it must be a number."),
    (r"'.*' is not a valid integer.*", "it must be a whole number."),
    (r"'.*' is not a valid float.*", "it must be a number."),
    (r"\S+ is not in the range x>=(\S+)\.", r"it must be at least \1."),
    (r"\S+ is not in the range x<=(\S+)\.", r"it must be at most \1."),
    (r"Input should be greater than or equal to (\S+)", r"it must be at least \1."),
    (r"Input should be less than or equal to (\S+)", r"it must be at most \1."),
)


class _PlainHelp:
    """Show only the names of flags and arguments."""

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
    """A command with plain help and plain messages."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the command line; report invalid values in plain words."""
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as error:
            error.message = plain_message(error.message)
            raise


def plain_message(message: str) -> str:
    """Return what is wrong with a value, in plain words.

    >>> plain_message("Input should be greater than or equal to 1")
    'it must be at least 1.'
    >>> plain_message("'five' is not a valid integer range.")  # earlier versions of typer
    'it must be a whole number.'
    """
    for pattern, plain in PLAIN_MESSAGES:
        if re.fullmatch(pattern, message):
            return re.sub(pattern, plain, message)
    return message


class Group(_PlainHelp, TyperGroup):
    """A group of commands with plain help."""
