"""A command for every step, with options from the parameters that the step declares.

The steps are imported when one of these commands is run, so that other commands start fast.
"""

import inspect
import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin

import typer

from shoal._text import plain_text
from shoal.cli import _options as options
from shoal.cli._columns import split_lists
from shoal.cli._help import Command, Group
from shoal.cli._large import is_large
from shoal.cli._option_blocks import expand_blocks
from shoal.cli._release import mask_and_print
from shoal.cli._release_options import ReleaseOptions
from shoal.cli._session import session
from shoal.cli._settings import parse_settings, parse_types
from shoal.cli._wording import step_wording
from shoal.errors import FileError

if TYPE_CHECKING:
    from shoal._params import Parameter
    from shoal.metrics.limits import Limits
    from shoal.steps import Step

PANEL = "Steps of a plan, each as a command"
OF_STEP = "Parameters of the step"
SUMMARIES = {  # shown by `shoal --help` without importing the steps; see `shoal steps`
    "generalise": "Recode each column to one level of its hierarchy, with the least loss.",
    "suppress": "Suppress cells of records in small classes until every class has k records.",
    "recode": "Replace values by categories that the user names.",
    "pram": "Change categories at random with known probabilities (PRAM).",
    "swap": "Swap the values of each column at random within groups of at least k records.",
    "hybridise": "Release group means plus noise that has exactly the covariances of the group.",
    "rank-swap": "Swap each value with one of similar rank, column by column.",
    "add-noise": "Add normal noise to the values of some columns.",
    "top-bottom-code": "Replace the greatest or the least values of some columns by one value.",
    "round": "Round the values of some columns to multiples of a base.",
}
# Parameters whose options are shared with `shoal mask`; for others see `_option`.
SHARED_OPTIONS: dict[str, Any] = {
    "columns": options.Columns,
    "k": options.K,
    "household": options.Household,
    "weight": options.Weight,
    "within": options.Within,
    "random_state": options.Seed,
    "n_jobs": options.NJobs,
}
OPTION_NAMES = {"columns": "column", "random_state": "seed"}  # of options, where they differ


class StepGroup(Group):
    """The commands, with those of the steps, which are made when they are run."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands."""
        return [*super().list_commands(ctx), *SUMMARIES]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command; that of a step has no options before it is run."""
        if cmd_name in SUMMARIES:
            return Command(cmd_name, help=SUMMARIES[cmd_name], rich_help_panel=PANEL)
        return super().get_command(ctx, cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Return the command that the first argument names, and the other arguments."""
        if args and super().get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            from shoal.steps import STEPS, Microaggregate

            if args[0] in STEPS and STEPS[args[0]] is not Microaggregate:
                return args[0], step_command(args[0]), args[1:]
        return super().resolve_command(ctx, args)


def step_command(name: str) -> Any:
    """Return the command of a step."""
    from shoal.steps import STEPS

    application = typer.Typer(add_completion=False)
    application.command(name, cls=Command)(expand_blocks(_command_function(STEPS[name])))
    return typer.main.get_command(application)


def _command_function(cls: "type[Step]") -> Callable[..., None]:
    """Return the function of a step's command, with its parameters in the signature."""
    from shoal._params import signature_parameters
    from shoal.steps import describe_step

    step_parameters = signature_parameters(cls)

    def command(
        source: options.Source,
        target: options.Target,
        roles: options.RoleOptions,
        reading: options.ReadOptions,
        writing: ReleaseOptions,
        shuffle: options.Shuffle = False,
        save_plan: options.SavePlan = None,
        quiet: options.Quiet = False,
        json: options.Json = False,
        **values: Any,
    ) -> None:
        with session(quiet=quiet, wording=step_wording):
            names = reading.column_names_of(source)
            roles = roles.split(names)
            for option in {"column", "within"} & values.keys():
                (values[option],) = split_lists([values[option]], names)
            plan = _make_plan(
                cls,
                _step_values(step_parameters, values),
                values,
                roles,
                shuffle=shuffle,
                limits=writing.load_limits(),
            )
            mask_and_print(
                plan,
                [source],
                target,
                reading,
                writing,
                large=is_large([source], target, writing.scheduler, writing.chunk_size),
                save_plan=save_plan,
                as_json=json,
                quiet=quiet,
            )

    _add_options(command, _step_options(step_parameters))
    command.__doc__ = plain_text(describe_step(cls)["summary"])
    return command


def _step_options(step_parameters: Mapping[str, "Parameter"]) -> dict[str, tuple[Any, Any]]:
    """Return the annotation and the default of each option of a step's command."""
    step_options: dict[str, tuple[Any, Any]] = {}
    for parameter in step_parameters.values():
        if parameter.name == "unit":
            continue  # of the plan, for every step
        if parameter.name == "partitioner":
            step_options |= {
                "k": (options.K, inspect.Parameter.empty),
                "method": (options.Method, "auto"),
                "effort": (options.Effort, None),
                "budget": (options.Budget, None),
                "settings": (options.Settings, None),
            }
        else:
            step_options[OPTION_NAMES.get(parameter.name, parameter.name)] = _option(parameter)
    return step_options


def _add_options(command: Callable[..., None], step_options: Mapping[str, tuple[Any, Any]]) -> None:
    """Add options to the signature of a command, after source and target."""
    signature = inspect.signature(command)
    fixed_parameters = [
        parameter
        for parameter in signature.parameters.values()
        if parameter.kind is not parameter.VAR_KEYWORD
    ]
    keyword = inspect.Parameter.KEYWORD_ONLY
    option_parameters = [
        inspect.Parameter(option, keyword, default=default, annotation=annotation)
        for option, (annotation, default) in step_options.items()
    ]
    shared = [parameter.replace(kind=keyword) for parameter in fixed_parameters]
    parameters = [*shared[:2], *option_parameters, *shared[2:]]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    hints = {option: annotation for option, (annotation, _) in step_options.items()}
    command.__annotations__ = {**command.__annotations__, **hints}


def _option(parameter: "Parameter") -> tuple[Any, Any]:
    """Return the annotation and the default of the option for a parameter."""
    default: Any = inspect.Parameter.empty if parameter.required else None
    if parameter.name in SHARED_OPTIONS:
        return SHARED_OPTIONS[parameter.name], default
    flag, text = f"--{parameter.name.replace('_', '-')}", plain_text(parameter.description)
    if isinstance(parameter.default, bool):
        names = (f"{flag}/--no-{flag[2:]}",)
        option = typer.Option(*names, help=text, rich_help_panel=OF_STEP)
        return Annotated[bool, option], parameter.default
    takes_pairs = parameter.accepts({})
    placeholder = "COLUMN=VALUE,..." if takes_pairs else "|".join(_choices(parameter)) or "VALUE"
    if not parameter.required and parameter.default is not None:
        text += f" Default: {parameter.default}."
    option = typer.Option(flag, metavar=placeholder, help=text, rich_help_panel=OF_STEP)
    kind: Any = list[str] if takes_pairs else str
    return Annotated[kind if parameter.required else kind | None, option], default


def _choices(parameter: "Parameter") -> list[str]:
    """Return the words that a parameter takes; none if it takes anything else."""
    from shoal._params import union_members

    members = [member for member in union_members(parameter.annotation) if member is not NoneType]
    if not all(get_origin(member) is Literal for member in members):
        return []
    return [str(word) for member in members for word in get_args(member)]


def _step_values(
    step_parameters: Mapping[str, "Parameter"], values_by_option: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the parameters of the step that options give."""
    values: dict[str, Any] = {}
    for name, parameter in step_parameters.items():
        value = values_by_option.get(OPTION_NAMES.get(name, name))
        if value is None or name == "unit":
            continue
        if name not in SHARED_OPTIONS and not isinstance(value, bool):
            value = _parse(parameter, [value] if isinstance(value, str) else value)
        values[name] = value
    return values


def _parse(parameter: "Parameter", texts: Sequence[str]) -> Any:
    """Return the value of a parameter: a number, text, a list, a mapping, or a file with one."""
    from shoal._params import parse_json

    values = [
        _read_file(text[1:]) if text.startswith("@") else parameter.parse(text) for text in texts
    ]
    if all(isinstance(value, dict) for value in values) and parameter.accepts({}):
        return {key: value for mapping in values for key, value in mapping.items()}
    if len(values) == 1 and not parameter.accepts(values[0]):
        items = [parse_json(item) for item in texts[0].split(",")]
        return items if parameter.accepts(items) else values[0]
    return values[0] if len(values) == 1 else values


def _read_file(name: str) -> Any:
    """Return the content of a JSON or TOML file."""
    path = Path(name)
    try:
        text = path.read_text(encoding="utf-8")
        return tomllib.loads(text) if path.suffix.lower() == ".toml" else json.loads(text)
    except OSError as error:
        reason = (error.strerror or "I/O error").lower()
    except ValueError:
        reason = "it is neither JSON nor TOML"
    raise FileError(f"{name!r} could not be read: {reason}.", code="file-unreadable", file=name)


def _make_plan(
    cls: "type[Step]",
    values: dict[str, Any],
    option_values: Mapping[str, Any],
    roles: options.RoleOptions,
    *,
    shuffle: bool,
    limits: "Limits | None",
) -> Any:
    from shoal import _params as parameters
    from shoal.frame.missing_codes import parse_missing_codes
    from shoal.partitioners import partitioner
    from shoal.plan import Plan
    from shoal.plan.definition.validation import roles_of

    if "partitioner" in parameters.signature_parameters(cls):
        method, effort = option_values["method"], option_values["effort"]
        _, method_options = parse_settings(option_values["settings"] or [], method, effort)
        common = {
            "effort": effort,
            "budget": option_values["budget"],
            "random_state": option_values.get("seed"),
        }
        method_options |= {name: value for name, value in common.items() if value is not None}
        values["partitioner"] = partitioner(method, {"k": option_values["k"], **method_options})
    return Plan(
        roles_of(values["columns"], roles.identifier or (), roles.confidential or ()),
        [parameters.build(cls, values)],
        parse_types(roles.types, roles.hierarchy),
        unit=roles.unit,
        missing_codes=parse_missing_codes(roles.missing_codes or []),
        other_columns="release",
        shuffle=shuffle,
        random_state=option_values.get("seed") if shuffle else None,
        limits=limits,
    )
