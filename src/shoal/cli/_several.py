"""Options that take several values: ``--k 3 5 10`` as well as ``--k 3 --k 5 --k 10``."""

from collections.abc import Collection, Sequence
from typing import Any

from typer.core import TyperCommand


class Several(TyperCommand):
    """A command whose repeatable options take the words that follow them, too."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Repeat the options in front of their further values, then parse as always."""
        names = {
            name
            for option in self.params
            if getattr(option, "multiple", False)
            for name in option.opts
        }
        return super().parse_args(ctx, repeated(args, names))


def repeated(words: Sequence[str], several: Collection[str]) -> list[str]:
    """Return words with each option of ``several`` in front of each of its values.

    Examples
    --------
    >>> repeated(["in.csv", "--k", "3", "5", "--force"], {"--k"})
    ['in.csv', '--k', '3', '--k', '5', '--force']
    """
    found: list[str] = []
    option, values = "", 0
    for at, word in enumerate(words):
        if word == "--":
            return [*found, *words[at:]]
        if word.startswith("-"):
            option, values = (word if word in several else ""), 0
        elif option:
            found += [option] if values else []
            values += 1
        found.append(word)
    return found
