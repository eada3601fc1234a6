"""Names of figures, the numbers on which limits can be set, and the commands that compute them."""

from collections.abc import Mapping
from functools import cache
from math import isfinite
from typing import Any, Protocol

from shoal.metrics import MEASURE_INFO

MEASURES_WITHOUT_FIGURE = ("class_sizes",)  # a table of counts
WORST_GROUP_SUFFIX = "_worst_group"  # ends the name of a figure of the subgroup that fares worst
# The Python function that computes the same figures as each command.
FUNCTION_OF_COMMAND = {
    "assess": "shoal.assess",
    "attack": "shoal.attack",
    "utility": "shoal.utility",
    "risk": "shoal.metrics.survey.survey_risk",
}


class HasFigures(Protocol):
    """A result whose figures can be compared with limits."""

    def figures(self) -> dict[str, float]:
        """Return numbers by name; the name of a column or part follows a colon."""

    def reasons(self) -> dict[str, str]:
        """Return why figures could not be computed, by name."""


@cache
def command_by_figure() -> dict[str, str]:
    """Return the command that computes each figure: assess, attack, utility or risk."""
    from shoal.metrics.analyses.result import FIGURES as UTILITY_FIGURES
    from shoal.metrics.attacks.run import ATTACKS  # imports compiled loops
    from shoal.metrics.survey import FIGURES as RISK_FIGURES
    from shoal.metrics.survey import GROUP_FIGURES as RISK_FIGURES_OF_GROUPS

    commands = {name: "assess" for name in MEASURE_INFO if name not in MEASURES_WITHOUT_FIGURE}
    for attack in ATTACKS:
        commands |= dict.fromkeys(attack_figure_names(attack), "attack")
    commands |= dict.fromkeys(UTILITY_FIGURES, "utility")
    commands |= {f"{name}{WORST_GROUP_SUFFIX}": command for name, command in commands.items()}
    risk_figures_of_groups = [f"{name}{WORST_GROUP_SUFFIX}" for name in RISK_FIGURES_OF_GROUPS]
    return {**dict.fromkeys([*RISK_FIGURES, *risk_figures_of_groups], "risk"), **commands}


def attack_figure_names(attack: str) -> tuple[str, str]:
    """Return the names of both figures of an attack: its rate, and its excess over the baseline."""
    name = attack.replace("-", "_")
    return name, f"{name}_excess"


def flatten_figures(values: Mapping[str, Any]) -> dict[str, float]:
    """Return nested values as numbers by name; keys follow the name, after colons.

    Parameters
    ----------
    values : mapping of str to number or mapping
        Values of measures; entries that are neither are left out.

    Returns
    -------
    dict of str to float
        The numbers, by name and keys.

    Examples
    --------
    >>> flatten_figures({"linkage": 0.1, "t_closeness": {"income": 0.2}})
    {'linkage': 0.1, 't_closeness:income': 0.2}
    """
    figures: dict[str, float] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            figures |= {f"{name}:{key}": figure for key, figure in flatten_figures(value).items()}
        elif isinstance(value, int | float) and not isinstance(value, bool):
            figures[str(name)] = float(value)
    return figures


def is_figure_of(figure: str, name: str) -> bool:
    """Return whether a figure has this name, with or without a column or part."""
    return figure == name or figure.startswith(f"{name}:")


def base_name(figure: str) -> str:
    """Return the name of a figure without its column or part.

    Examples
    --------
    >>> base_name("t_closeness:income")
    't_closeness'
    """
    return figure.partition(":")[0]


def is_finite_number(value: Any) -> bool:
    """Return whether a value is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
