"""Attacks and analyses by name: run them one after the other, and keep their results."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Generic, Protocol, TypeVar

from shoal import _progress as progress


class HasName(Protocol):
    """A result of an attack or analysis."""

    @property
    def name(self) -> str:
        """Name of the attack or analysis."""


Result = TypeVar("Result", bound=HasName)
Setting = TypeVar("Setting")


class ResultsByName(Mapping[str, Result], Generic[Result]):
    """Results by name, with the reason for each missing result.

    Parameters
    ----------
    results : sequence of Result
        The results of the attacks or analyses that were carried out.
    not_run : mapping of str to str
        Why other attacks or analyses were not carried out, by name.
    """

    def __init__(self, results: Sequence[Result], not_run: Mapping[str, str]):
        self.results = tuple(results)
        self.not_run = dict(not_run)

    def __getitem__(self, name: str) -> Result:
        for result in self.results:
            if result.name == name:
                return result
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (result.name for result in self.results)

    def __len__(self) -> int:
        return len(self.results)


def run_each(
    stage: str,
    functions: Mapping[str, Callable[[Setting], Result | list[Result] | str]],
    names: Sequence[str],
    setting: Setting,
) -> tuple[list[Result], dict[str, str]]:
    """Call the functions one after the other, and report progress.

    Parameters
    ----------
    stage : str
        Name of the stage in progress reports.
    functions : mapping of str to callable
        Functions by name. Each returns its result or results, or the reason why it has none.
    names : sequence of str
        Names of the functions to call.
    setting : object
        The argument of each call.

    Returns
    -------
    results : list
        All results, in the order of the names.
    not_run : dict
        The reasons of the functions without a result, by name.
    """
    results: list[Result] = []
    not_run: dict[str, str] = {}
    for i, name in enumerate(names):
        progress.report(stage, i, len(names))
        outcome = functions[name](setting)
        if isinstance(outcome, str):
            not_run[name] = outcome
        else:
            results += outcome if isinstance(outcome, list) else [outcome]
    progress.report(stage, len(names), len(names))
    return results, not_run
