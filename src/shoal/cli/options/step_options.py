"""Options of a step's command, derived from the parameters of the step."""

import inspect
from collections.abc import Mapping
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin

import typer

from shoal._text import plain_text
from shoal.cli import options

if TYPE_CHECKING:
    from shoal._params import Parameter

STEP_PANEL = "Parameters of the step"
# Parameters with the same option as in `shoal mask`; `_option` makes the options of the others.
SHARED_OPTIONS: dict[str, Any] = {
    "columns": options.Columns,
    "k": options.K,
    "household": options.Household,
    "weight": options.Weight,
    "within": options.Within,
    "random_state": options.Seed,
    "n_jobs": options.NJobs,
}
OPTION_NAMES = {"columns": "column", "random_state": "seed"}  # if they differ from the parameters


def step_options(step_parameters: Mapping[str, "Parameter"]) -> dict[str, tuple[Any, Any]]:
    """Return annotation and default of each option of a step's command, by the option's name."""
    result: dict[str, tuple[Any, Any]] = {}
    for parameter in step_parameters.values():
        if parameter.name == "unit":
            continue  # an option of the plan, which every step command has
        if parameter.name == "partitioner":
            result |= {
                "k": (options.K, inspect.Parameter.empty),
                "method": (options.Method, "auto"),
                "effort": (options.Effort, None),
                "budget": (options.Budget, None),
                "settings": (options.Settings, None),
                "n_jobs": (options.NJobs, None),
            }
        else:
            result[OPTION_NAMES.get(parameter.name, parameter.name)] = _option(parameter)
    result.setdefault("seed", (options.Seed, None))  # --shuffle needs it with any step
    return result


def _option(parameter: "Parameter") -> tuple[Any, Any]:
    """Return the annotation and the default of the option for a parameter."""
    default: Any = inspect.Parameter.empty if parameter.required else None
    if parameter.name in SHARED_OPTIONS:
        return SHARED_OPTIONS[parameter.name], default
    flag, text = f"--{parameter.name.replace('_', '-')}", plain_text(parameter.description)
    if isinstance(parameter.default, bool):
        names = (f"{flag}/--no-{flag[2:]}",)
        option = typer.Option(*names, help=text, rich_help_panel=STEP_PANEL)
        return Annotated[bool, option], parameter.default
    is_mapping = parameter.accepts({})
    placeholder = "COLUMN=VALUE,..." if is_mapping else "|".join(_choices(parameter)) or "VALUE"
    if not parameter.required and parameter.default is not None:
        text += f" Default: {parameter.default}."
    option = typer.Option(flag, metavar=placeholder, help=text, rich_help_panel=STEP_PANEL)
    kind: Any = list[str] if is_mapping else str
    return Annotated[kind if parameter.required else kind | None, option], default


def _choices(parameter: "Parameter") -> list[str]:
    """Return the words that a parameter accepts, or none if it also accepts other values."""
    from shoal._params import union_members

    members = [member for member in union_members(parameter.annotation) if member is not NoneType]
    if not all(get_origin(member) is Literal for member in members):
        return []
    return [str(word) for member in members for word in get_args(member)]
