"""Deferred imports of modules that scikit-learn loads at start-up and no command needs.

Importing these modules takes half of the time of a short command, and scikit-learn uses them only
in functions that Shoal does not call.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

DEFERRED_MODULES = ("scipy.special", "scipy.stats", "pandas")


class LazyModule(ModuleType):
    """Placeholder in ``sys.modules`` that imports the module at the first attribute access."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


def defer_imports() -> None:
    """Install placeholders for the deferred modules that are not imported yet."""
    for name in DEFERRED_MODULES:
        sys.modules.setdefault(name, LazyModule(name))


def discard_placeholders() -> None:
    """Remove unused placeholders once scikit-learn is imported.

    Other libraries look into ``sys.modules`` to find out whether a table may be a pandas one.
    """
    for name in DEFERRED_MODULES:
        if isinstance(sys.modules.get(name), LazyModule):
            del sys.modules[name]
