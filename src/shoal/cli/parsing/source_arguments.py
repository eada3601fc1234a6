"""Several SOURCE arguments of one command, which must be Parquet files."""

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.cli.parsing.columns import COLUMNS
from shoal.cli.parsing.plain_help import Command
from shoal.cli.parsing.sources import may_be_large
from shoal.errors import ParameterError

ArgumentRun = tuple[str, str, list[str]]  # an option, its value, and the arguments that follow


class SeveralSourcesCommand(Command):
    """A command that takes several sources, and refuses a stray value after an option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse ``SOURCE TARGET -c age wage``, which would make TARGET a second source.

        If TARGET is missing, name it: the parser would say that SOURCE is missing.
        """
        takes_value = {
            name: not getattr(option, "is_flag", False)
            for option in self.params
            if option.param_type_name == "option"
            for name in option.opts
        }
        n_required = sum(option.param_type_name == "argument" for option in self.params)
        runs = argument_runs(args, takes_value)
        if sum(len(run) for _, _, run in runs) == n_required - 1 and not (
            ctx.resilient_parsing or "--help" in args
        ):
            ctx.fail("Missing argument 'TARGET'.")
        column_advice = self._column_in_place_of_target(runs, n_required)
        if column_advice:
            ctx.fail(f"Missing argument 'TARGET'. {column_advice}")
        stray = stray_argument(args, takes_value, n_required)
        if stray is not None and stray[0] in takes_value:  # others are refused as unknown
            option, value, argument = stray
            way_out = self._way_out(option, value, argument)
            ctx.fail(f"{argument!r} is neither SOURCE nor TARGET. {way_out}")
        return super().parse_args(ctx, args)

    def _column_in_place_of_target(self, runs: Sequence[ArgumentRun], n_required: int) -> str:
        """Return advice on ``SOURCE -c age wage``, where TARGET is missing, or an empty string.

        ``wage`` cannot be TARGET: a target file has a suffix, and a target folder is only possible
        if SOURCE is a folder or a Parquet file.
        """
        arguments = [argument for _, _, run in runs for argument in run]
        if len(arguments) != n_required or len(runs) < 2 or may_be_large(arguments[0]):
            return ""
        option, value, (argument, *_) = runs[-1]
        columns = [flag for param in self.params if param.metavar == COLUMNS for flag in param.opts]
        is_column = option in columns and not set(argument) & set("./:\\")
        return self._way_out(option, value, argument) if is_column else ""

    def _way_out(self, option: str, value: str, argument: str) -> str:
        """Return how to give an option two values, if it takes several."""
        if not value:
            return "Write SOURCE and TARGET one after the other."
        parameter = next(param for param in self.params if option in param.opts)
        if (parameter.metavar or "") == COLUMNS:
            return f"Separate columns by commas: {option} {value},{argument}."
        if getattr(parameter, "multiple", False):
            return f"Repeat the option for more: {option} {value} {option} {argument}."
        return f"{option} takes one value."


def stray_argument(
    words: Sequence[str], takes_value: Mapping[str, bool], n_required: int
) -> tuple[str, str, str] | None:
    """Return an option, its value and the argument after it, if there are too many arguments.

    Parameters
    ----------
    words : list of str
        The command line without the command.
    takes_value : mapping of str to bool
        Whether an option takes a value.
    n_required : int
        Number of arguments that the command requires; options may stand between them.

    Returns
    -------
    tuple of str, or None
        The option, its value (empty if the option takes none) and the stray argument.

    Examples
    --------
    >>> stray_argument(["in.csv", "out.csv", "-c", "age", "wage"], {"-c": True}, 2)
    ('-c', 'age', 'wage')
    >>> stray_argument(["-c", "age", "in.csv", "out.csv"], {"-c": True}, 2)
    """
    runs = argument_runs(words, takes_value)
    n_arguments = sum(len(run) for _, _, run in runs)
    later_arguments = [(option, value, run[0]) for option, value, run in runs[1:] if run]
    return later_arguments[-1] if n_arguments > n_required and later_arguments else None


def argument_runs(words: Sequence[str], takes_value: Mapping[str, bool]) -> list[ArgumentRun]:
    """Return the runs of adjacent arguments, each with the option before it and its value."""
    runs: list[ArgumentRun] = []
    option, value = "", ""
    expects_value = False
    in_run = False
    for i, word in enumerate(words):
        if word == "--":
            runs.append((option, value, list(words[i + 1 :])))
            break
        if expects_value:
            value = word
            expects_value = False
        elif word.startswith("-") and word != "-":
            option, _, value = word.partition("=")
            in_run = False
            expects_value = takes_value.get(word, False)
        elif in_run:
            runs[-1][2].append(word)
        else:
            runs.append((option, value, [word]))
            in_run = True
    return runs


def check_sources(sources: Sequence[str]) -> None:
    """Refuse several sources unless all are Parquet files or folders of them."""
    not_parquet = [source for source in sources if not may_be_large(source)]
    if len(sources) > 1 and not_parquet:
        raise ParameterError(
            f"{not_parquet[0]!r} is one of {len(sources)} sources, and only Parquet files can be"
            " masked together. Name one source and one target, and separate several columns by"
            " commas: -c age,wage.",
            code="several-sources",
            sources=tuple(sources),
        )
