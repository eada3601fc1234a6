"""``shoal methods`` and ``shoal steps``: the available methods and steps."""

from collections.abc import Mapping
from typing import Any

from shoal._text import align_rows
from shoal.cli import options
from shoal.cli.console.session import print_result, session

HEADINGS = {"draws": "random", "promises": "guarantee"}  # of keys whose name is not a heading


def methods(json: options.Json = False) -> None:
    """List the methods: group sizes, whether they are random, cost, guarantee and paper."""
    with session():
        from shoal.partitioners import METHODS, describe

        entries = {name: describe(cls) for name, cls in METHODS.items()}
        keys = ["groups", "draws", "cost", "paper", "summary", "guarantee"]
        print_result(entries, _table("method", keys, entries), as_json=json, quiet=False)


def steps(json: options.Json = False) -> None:
    """List the steps of a plan: whether they are random, their paper and their guarantee."""
    with session():
        from shoal.steps import STEPS, describe_step

        entries = {name: describe_step(cls) for name, cls in STEPS.items()}
        keys = ["draws", "paper", "promises", "summary"]
        print_result(entries, _table("step", keys, entries), as_json=json, quiet=False)


def _table(noun: str, keys: list[str], entries: Mapping[str, Mapping[str, Any]]) -> str:
    rows = [[noun, *(HEADINGS.get(key, key) for key in keys)]] + [
        [name, *(str(entry[key]) for key in keys)] for name, entry in entries.items()
    ]
    return align_rows(rows)
