"""How a measure says what it needs, what it tells and which way is good."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any, Literal

Kind = Literal["utility", "risk"]
Better = Literal["lower", "higher", "near one", "neither"]


@dataclass(frozen=True)
class About:
    """What a measure is about.

    Parameters
    ----------
    kind : str
        ``"utility"``: what the analyst lost; ``"risk"``: what an attacker gains.
    better : str
        Which way is good: ``"lower"``, ``"higher"``, ``"near one"`` or
        ``"neither"``.
    unit : str
        What the number counts, for a reader; ``"%"`` for shares of 100.
    """

    kind: Kind
    better: Better
    unit: str = ""


MEASURES: dict[str, Callable[..., Any]] = {}
ABOUT: dict[str, About] = {}


def measure(
    kind: Kind, better: Better, unit: str = ""
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function as a measure; its parameter names are its needs."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        MEASURES[function.__name__] = function
        ABOUT[function.__name__] = About(kind, better, unit)
        return function

    return register


def computable(given: Mapping[str, Any]) -> dict[str, Any]:
    """Compute every measure whose needs are among ``given``."""
    return {
        name: function(**{need: given[need] for need in signature(function).parameters})
        for name, function in MEASURES.items()
        if all(need in given for need in signature(function).parameters)
    }
