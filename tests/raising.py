"""Assertions on the code and the attributes of exceptions and warnings."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from shoal.errors import Coded, ShoalWarning


@contextmanager
def raises(cls: type[Coded], code: str | None = None, **attributes: Any) -> Iterator[Any]:
    """Expect an exception with this ``code`` and at least these ``attributes``."""
    with pytest.raises(cls) as caught:
        yield caught
    _compare(caught.value, code, attributes)


@contextmanager
def warns(cls: type[Coded], code: str | None = None, **attributes: Any) -> Iterator[Any]:
    """Expect a warning of ``cls`` with this ``code`` and at least these ``attributes``."""
    with pytest.warns(cls) as caught:
        yield caught
    issued = [entry.message for entry in caught if isinstance(entry.message, cls)]
    with_code = [warning for warning in issued if code is None or warning.code == code]
    assert with_code, f"expected code {code!r}, got {[warning.code for warning in issued]}"
    if attributes:
        actual = [
            {name: warning.attributes.get(name) for name in attributes} for warning in with_code
        ]
        assert attributes in actual, f"expected {attributes}, got {actual}"


def without_warnings(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Return the result of a function, whose warnings are ignored."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        return function(*arguments, **options)


def _compare(error: Coded, code: str | None, attributes: dict[str, Any]) -> None:
    assert code is None or error.code == code, (
        f"expected code {code!r}, got {error.code!r}: {error}"
    )
    actual = {name: error.attributes.get(name) for name in attributes}
    assert actual == attributes, f"expected {attributes}, got {actual}: {error}"
