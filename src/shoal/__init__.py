"""Microaggregation and statistical disclosure control: every record in a group of at least k."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from shoal import datasets, scale
    from shoal._progress import show_progress
    from shoal.audit import verify
    from shoal.comparison import advise, compare
    from shoal.frame.types.hierarchy import Hierarchy
    from shoal.inspection import inspect
    from shoal.metrics import MEASURES
    from shoal.metrics.analyses import utility
    from shoal.metrics.assessment import assess
    from shoal.metrics.attacks import attack
    from shoal.metrics.limits import Limits
    from shoal.partitioners import METHODS, lower_bound, partition
    from shoal.plan import Plan
    from shoal.plan.microaggregate import microaggregate
    from shoal.plan.release import Release
    from shoal.steps import STEPS, Microaggregate

# Modules are imported when a name is first used, so that `import shoal` stays fast.
_MODULES = {
    "METHODS": "shoal.partitioners",
    "MEASURES": "shoal.metrics",
    "STEPS": "shoal.steps",
    "Hierarchy": "shoal.frame.types.hierarchy",
    "Limits": "shoal.metrics.limits",
    "Microaggregate": "shoal.steps",
    "Plan": "shoal.plan",
    "Release": "shoal.plan.release",
    "advise": "shoal.comparison",
    "assess": "shoal.metrics.assessment",
    "attack": "shoal.metrics.attacks",
    "compare": "shoal.comparison",
    "datasets": "shoal.datasets",
    "inspect": "shoal.inspection",
    "lower_bound": "shoal.partitioners",
    "microaggregate": "shoal.plan.microaggregate",
    "partition": "shoal.partitioners",
    "scale": "shoal.scale",
    "show_progress": "shoal._progress",
    "utility": "shoal.metrics.analyses",
    "verify": "shoal.audit",
}

__all__ = [
    "MEASURES",
    "METHODS",
    "STEPS",
    "Hierarchy",
    "Limits",
    "Microaggregate",
    "Plan",
    "Release",
    "advise",
    "assess",
    "attack",
    "compare",
    "datasets",
    "inspect",
    "lower_bound",
    "microaggregate",
    "partition",
    "scale",
    "show_progress",
    "utility",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'shoal' has no attribute {name!r}")
    module = import_module(_MODULES[name])
    globals()[name] = value = module if name in ("datasets", "scale") else getattr(module, name)
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
