"""Results that take long to compute, or that differ between runs, stored as JSON files.

``make papers`` computes them again; the tests read them, and compute a few of them again.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "results"
_is_recomputing = [False]


@contextmanager
def recomputing() -> Iterator[None]:
    """Within the context, compute stored results again and store them."""
    _is_recomputing[0] = True
    try:
        yield
    finally:
        _is_recomputing[0] = False


def stored(name: str) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    """Return a decorator that stores what a function returns in ``results/{name}.json``."""

    def store_result(function: Callable[[], Any]) -> Callable[[], Any]:
        @cache
        @wraps(function)
        def result() -> Any:
            path = FOLDER / f"{name}.json"
            if not _is_recomputing[0]:
                return json.loads(path.read_text(encoding="utf-8"))
            content = json.loads(json.dumps(function()))  # as it will be read back
            FOLDER.mkdir(exist_ok=True)
            path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
            return content

        return result

    return store_result
