"""``shoal methods``: list the methods."""

from shoal.cli import _options as options
from shoal.cli._session import say, session


def methods(json: options.Json = False) -> None:
    """List the methods: size of groups, seeded or not, cost, guarantee, paper."""
    with session():
        from shoal.partitioners import METHODS, describe

        entries = {name: describe(cls) for name, cls in METHODS.items()}
        titles = ["groups", "draws", "cost", "paper", "summary", "guarantee"]
        rows = [["method", *titles]] + [
            [name, *(str(entry[title]) for title in titles)] for name, entry in entries.items()
        ]
        widths = [max(len(row[at]) for row in rows) for at in range(len(titles))]
        lines = [
            "  ".join([*(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=False)), row[-1]])
            for row in rows
        ]
        say(entries, "\n".join(lines), as_json=json, quiet=False)
