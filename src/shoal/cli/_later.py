"""Imports put off until they are needed.

scikit-learn imports these two when it starts, which takes half of the time of a
short command, and touches them only in functions that no command calls.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

LATER = ("scipy.stats", "pandas")


class Later(ModuleType):
    """Stands for a module that is imported when an attribute of it is asked for."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


def put_off() -> None:
    """Put off the imports that have not happened yet."""
    for name in LATER:
        sys.modules.setdefault(name, Later(name))


def let_go() -> None:
    """Forget what nobody touched, once scikit-learn has started.

    Others look into ``sys.modules`` to learn whether a table may be a pandas one.
    """
    for name in LATER:
        if isinstance(sys.modules.get(name), Later):
            del sys.modules[name]
