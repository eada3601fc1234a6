"""A command for each step of a plan, with options for the parameters of the step.

The steps are imported when such a command is run, so that other commands start fast.
"""

import inspect
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

import typer

from shoal._text import plain_text
from shoal.cli import options
from shoal.cli.console.session import session
from shoal.cli.masking.mask import mask_and_print
from shoal.cli.options.blocks import expand_blocks
from shoal.cli.options.step_options import step_options
from shoal.cli.options.step_values import step_values
from shoal.cli.parsing.column_options import parse_missing_codes, parse_types
from shoal.cli.parsing.columns import split_lists
from shoal.cli.parsing.plain_help import Command, Group
from shoal.cli.parsing.settings import build_partitioner, parse_settings
from shoal.cli.wording import step_wording

if TYPE_CHECKING:
    from shoal.metrics.limits import Limits
    from shoal.steps import Step

PANEL = "Steps of a plan, each as a command"
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


class StepGroup(Group):
    """All commands; the commands of steps are built when they are run."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands."""
        return [*super().list_commands(ctx), *SUMMARIES]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command; until it is run, a step's command has no options."""
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
    """Return the function of a step's command, with its options in the signature."""
    from shoal._params import signature_parameters
    from shoal.steps import describe_step

    step_parameters = signature_parameters(cls)

    def command(
        source: options.Source,
        target: options.Target,
        role_options: options.RoleOptions,
        read_options: options.ReadOptions,
        release_options: options.ReleaseOptions,
        shuffle: options.Shuffle = False,
        save_plan: options.SavePlan = None,
        quiet: options.Quiet = False,
        json: options.Json = False,
        **values: Any,
    ) -> None:
        with session(quiet=quiet, wording=step_wording):
            read_names = read_options.column_names_reader(source)
            values = _with_split_lists(values, read_names)
            role_options = role_options.with_split_lists(read_names)
            mask_and_print(
                _make_plan(
                    cls, values, role_options, shuffle=shuffle, limits=release_options.load_limits()
                ),
                [source],
                target,
                read_options,
                release_options,
                seed=values["seed"],
                save_plan=save_plan,
                as_json=json,
                quiet=quiet,
            )

    _add_options(command, step_options(step_parameters))
    command.__doc__ = plain_text(describe_step(cls)["summary"])
    return command


def _with_split_lists(
    values: Mapping[str, Any], read_names: Callable[[], Collection[str]]
) -> dict[str, Any]:
    """Return the values of options with their lists of columns split."""
    names = [name for name in ("column", "within") if name in values]
    lists = split_lists([values[name] for name in names], read_names)
    return {**values, **dict(zip(names, lists, strict=True))}


def _add_options(command: Callable[..., None], added: Mapping[str, tuple[Any, Any]]) -> None:
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
        for option, (annotation, default) in added.items()
    ]
    shared = [parameter.replace(kind=keyword) for parameter in fixed_parameters]
    parameters = [*shared[:2], *option_parameters, *shared[2:]]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    hints = {option: annotation for option, (annotation, _) in added.items()}
    command.__annotations__ = {**command.__annotations__, **hints}


def _make_plan(
    cls: "type[Step]",
    values: Mapping[str, Any],
    role_options: options.RoleOptions,
    *,
    shuffle: bool,
    limits: "Limits | None",
) -> Any:
    """Return the plan of one step that the values of the options describe."""
    from shoal import _params as parameters
    from shoal.plan import Plan
    from shoal.plan.definition.validation import roles_of

    signature = parameters.signature_parameters(cls)
    step_parameters = step_values(signature, values)
    if "partitioner" in signature:
        method, effort = values["method"], values["effort"]
        _, method_options = parse_settings(values["settings"] or [], method, effort)
        common = {name: values[name] for name in ("budget", "seed", "n_jobs")}
        step_parameters["partitioner"] = build_partitioner(
            method, values["k"], method_options, effort=effort, **common
        )
    return Plan(
        roles_of(
            step_parameters["columns"],
            role_options.identifier or (),
            role_options.confidential or (),
        ),
        [parameters.build(cls, step_parameters)],
        parse_types(role_options.types, role_options.hierarchy),
        unit=role_options.unit,
        missing_codes=parse_missing_codes(role_options.missing_codes),
        other_columns="release",
        shuffle=shuffle,
        random_state=values["seed"] if shuffle else None,
        limits=limits,
    )
