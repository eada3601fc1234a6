"""Several sources on one command line: Parquet files alone, named side by side."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from typer.core import TyperCommand

from shoal.errors import ParameterError

PARQUET = (".parquet", ".pq")


class SideBySide(TyperCommand):
    """A command that takes several sources, and refuses a word that an option did not take."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse ``SOURCE TARGET -c age wage``, where TARGET would become a second source."""
        takes = {
            name: not getattr(option, "is_flag", False)
            for option in self.params
            if option.param_type_name == "option"
            for name in option.opts
        }
        stray = stray_word(args, takes, self._least())
        if stray is not None:
            option, word = stray
            ctx.fail(
                f"{word!r} stands apart from SOURCE and TARGET. An option takes one value; repeat"
                f" it for more: {option} ... {option} {word}."
            )
        return super().parse_args(ctx, args)

    def _least(self) -> int:
        """Return how many arguments there must be: one for each kind."""
        return sum(option.param_type_name == "argument" for option in self.params)


def stray_word(
    words: Sequence[str], takes: Mapping[str, bool], least: int
) -> tuple[str, str] | None:
    """Return an option and the word after its value, where that word makes the arguments too many.

    Parameters
    ----------
    words : list of str
        The command line, without the command.
    takes : mapping of str to bool
        Whether an option takes a value.
    least : int
        Number of arguments that the command needs; so many may stand apart from each other.

    Returns
    -------
    tuple of str, or None
        The option and the word.

    Examples
    --------
    >>> stray_word(["in.csv", "out.csv", "-c", "age", "wage"], {"-c": True}, 2)
    ('-c', 'wage')
    >>> stray_word(["-c", "age", "in.csv", "out.csv"], {"-c": True}, 2)
    """
    runs: list[tuple[str, list[str]]] = []  # words side by side, after the option before them
    option, value, joined = "", False, False
    for at, word in enumerate(words):
        if word == "--":
            runs.append((option, list(words[at + 1 :])))
            break
        if value:
            value = False
        elif word.startswith("-") and word != "-":
            option, joined = word.partition("=")[0], False
            value = takes.get(word, False)
        elif joined:
            runs[-1][1].append(word)
        else:
            runs.append((option, [word]))
            joined = True
    number = sum(len(run) for _, run in runs)
    after = [(option, run[0]) for option, run in runs[1:] if run]
    return after[-1] if number > least and after else None


def check_sources(sources: Sequence[str]) -> None:
    """Refuse several sources that are not all Parquet files or folders of them."""
    others = [s for s in sources if not s.lower().endswith(PARQUET) and not Path(s).is_dir()]
    if len(sources) > 1 and others:
        raise ParameterError(
            f"{others[0]!r} is one of {len(sources)} sources, and only Parquet files are masked"
            " together. Name one source and one target; an option for several columns is repeated:"
            " -c age -c wage.",
            code="several-sources",
            sources=tuple(sources),
        )
