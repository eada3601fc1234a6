"""``shoal methods`` and ``shoal steps``: the available methods and steps."""

from collections.abc import Mapping
from typing import Any

from shoal._text import align_rows
from shoal.cli import options
from shoal.cli.console.session import print_result, session


def methods(json: options.Json = False) -> None:
    """List the methods: group sizes, whether they are random, cost, guarantee and paper."""
    with session():
        from shoal.partitioners import METHODS, describe

        entries = {name: describe(cls) for name, cls in METHODS.items()}
        titles = ["groups", "draws", "cost", "paper", "summary", "guarantee"]
        print_result(entries, _table("method", titles, entries), as_json=json, quiet=False)


def steps(json: options.Json = False) -> None:
    """List the steps of a plan: whether they are random, their paper and their guarantee."""
    with session():
        from shoal.steps import STEPS, describe_step

        entries = {name: describe_step(cls) for name, cls in STEPS.items()}
        titles = ["draws", "paper", "promises", "summary"]
        print_result(entries, _table("step", titles, entries), as_json=json, quiet=False)


def _table(noun: str, titles: list[str], entries: Mapping[str, Mapping[str, Any]]) -> str:
    rows = [[noun, *titles]] + [
        [name, *(str(entry[title]) for title in titles)] for name, entry in entries.items()
    ]
    return align_rows(rows)
