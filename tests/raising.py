"""Expect an exception or a warning by its code and attributes, not by its prose."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from shoal.errors import Coded


@contextmanager
def raises(cls: type[Coded], code: str | None = None, **attributes: Any) -> Iterator[Any]:
    """Expect an exception of exactly this ``code`` whose ``attributes`` are at least these."""
    with pytest.raises(cls) as caught:
        yield caught
    _compare(caught.value, code, attributes)


@contextmanager
def warns(cls: type[Coded], code: str | None = None, **attributes: Any) -> Iterator[Any]:
    """Expect a warning of ``cls`` with this ``code`` and at least these ``attributes``."""
    with pytest.warns(cls) as caught:
        yield caught
    given = [one.message for one in caught if isinstance(one.message, cls)]
    fitting = [one for one in given if code is None or one.code == code]
    assert fitting, f"expected code {code!r}, got {[one.code for one in given]}"
    if attributes:
        held = [{name: one.attributes.get(name) for name in attributes} for one in fitting]
        assert attributes in held, f"expected {attributes}, got {held}"


def _compare(error: Coded, code: str | None, attributes: dict[str, Any]) -> None:
    assert code is None or error.code == code, (
        f"expected code {code!r}, got {error.code!r}: {error}"
    )
    held = {name: error.attributes.get(name) for name in attributes}
    assert held == attributes, f"expected {attributes}, got {held}: {error}"
