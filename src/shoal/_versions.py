"""Versions of installed software."""

from functools import cache
from importlib.metadata import version


@cache
def installed_version(name: str) -> str:
    """Return the version of an installed distribution, which is looked up once."""
    return version(name)
