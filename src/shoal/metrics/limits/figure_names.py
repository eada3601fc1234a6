"""Figures of results by name: numbers on which limits can be set."""

from collections.abc import Mapping
from functools import cache
from math import isfinite
from typing import Any, Protocol

from shoal.metrics import MEASURE_INFO

NOT_NUMBERS = ("class_sizes",)  # measures that are a table of counts
WORST_SUFFIX = "_worst_group"  # suffix of the figure of the worst-off subgroup
# The command that computes a figure, and the function of Python.
FUNCTION_OF_COMMAND = {
    "assess": "shoal.assess",
    "attack": "shoal.attack",
    "utility": "shoal.utility",
    "risk": "shoal.metrics.survey.survey_risk",
}


class HasFigures(Protocol):
    """A result whose figures can be compared with limits."""

    def figures(self) -> dict[str, float]:
        """Return numbers by name; those of a column or a part have its name after a colon."""

    def reasons(self) -> dict[str, str]:
        """Return why figures could not be computed, by name."""


@cache
def command_of_figures() -> dict[str, str]:
    """Return the command that computes each figure: assess, attack, utility or risk."""
    from shoal.metrics.analyses.result import FIGURES as ANALYSES
    from shoal.metrics.attacks.run import ATTACKS  # imports compiled loops
    from shoal.metrics.survey import FIGURES, GROUP_FIGURES

    names = {name: "assess" for name in MEASURE_INFO if name not in NOT_NUMBERS}
    for attack in ATTACKS:
        names |= {figure: "attack" for figure in attack_figures(attack)}
    names |= {name: "utility" for name in ANALYSES}
    names |= {f"{name}{WORST_SUFFIX}": command for name, command in names.items()}
    risks = [*FIGURES, *(f"{name}{WORST_SUFFIX}" for name in GROUP_FIGURES)]
    return {**dict.fromkeys(risks, "risk"), **names}


def attack_figures(attack: str) -> tuple[str, str]:
    """Return the names of the rate and of the excess of an attack."""
    name = attack.replace("-", "_")
    return name, f"{name}_excess"


def flatten(values: Mapping[str, Any]) -> dict[str, float]:
    """Return nested numbers by name; the keys of a mapping follow the name, after colons.

    Parameters
    ----------
    values : mapping of str to number or mapping
        Values of measures; entries that are neither are left out.

    Returns
    -------
    dict of str to float
        All numbers.

    Examples
    --------
    >>> flatten({"linkage": 0.1, "t_closeness": {"income": 0.2}})
    {'linkage': 0.1, 't_closeness:income': 0.2}
    """
    figures: dict[str, float] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            figures |= {f"{name}:{key}": figure for key, figure in flatten(value).items()}
        elif isinstance(value, int | float) and not isinstance(value, bool):
            figures[str(name)] = float(value)
    return figures


def is_figure_of(figure: str, name: str) -> bool:
    """Return whether a figure is the named one, or that of one of its columns or parts."""
    return figure == name or figure.startswith(f"{name}:")


def is_number(value: Any) -> bool:
    """Return whether a value is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
