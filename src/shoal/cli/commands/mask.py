"""``shoal mask``: microaggregate one file into another."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import options
from shoal.cli.console.session import compile_ahead, session
from shoal.cli.masking.mask import mask_and_print
from shoal.cli.parsing.column_options import parse_column_weights, parse_missing_codes, parse_types
from shoal.cli.parsing.settings import build_partitioner, parse_settings
from shoal.cli.parsing.source_arguments import check_sources
from shoal.cli.parsing.sources import is_large
from shoal.cli.wording import PLAN_FLAGS
from shoal.errors import ParameterError

if TYPE_CHECKING:
    from shoal.metrics.limits import Limits
    from shoal.plan import Plan

ColumnWeights = Annotated[
    list[str] | None,
    typer.Option(
        "--column-weight",
        metavar="COLUMN=WEIGHT",
        help="Importance of a column in the distances, 1 by default; repeatable.",
    ),
]
Missing = Annotated[
    str | None,
    typer.Option(
        "--missing",
        metavar="POLICY",
        help="How to treat missing values: refuse, own-groups, impute or drop; refuse by default.",
    ),
]
Edits = Annotated[
    list[str] | None,
    typer.Option(
        "--edit",
        metavar="RULE",
        help="Rule that the records obey, such as 'total == a + b'; repeatable.",
    ),
]
Repair = Annotated[
    str | None,
    typer.Option(
        "--repair",
        metavar="WAY",
        help="What to do if masking breaks a rule of --edit: refuse the release, or regroup the"
        " columns of the rule.",
    ),
]


@dataclass(frozen=True)
class MaskingOptions:
    """The method, and parameters of the step that other commands set by ``--set``."""

    method: options.Method = "auto"
    effort: options.Effort = None
    budget: options.Budget = None
    column_weight: ColumnWeights = None
    missing: Missing = None
    edit: Edits = None
    repair: Repair = None
    shuffle: options.Shuffle = False

    @property
    def step_parameters(self) -> dict[str, Any]:
        """The parameters of the step that are given."""
        parameters: dict[str, Any] = {}
        if self.missing is not None:
            parameters["missing"] = self.missing
        if self.column_weight:
            parameters["column_weights"] = parse_column_weights(self.column_weight)
        return parameters


def mask(
    source: options.Sources,
    target: options.Target,
    k: options.K,
    plan_options: options.PlanOptions,
    masking_options: MaskingOptions,
    read_options: options.ReadOptions,
    release_options: options.ReleaseOptions,
    save_plan: options.SavePlan = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Microaggregate SOURCE into TARGET."""
    with session(quiet=quiet):
        check_sources(source)
        plan_options = plan_options.with_split_lists(read_options.column_names_reader(*source))
        if masking_options.method == "auto" and masking_options.effort is None:
            compile_ahead()
        large = is_large(source, target, release_options.scheduler, release_options.chunk_size)
        mask_and_print(
            _make_plan(
                k, plan_options, masking_options, release_options.load_limits(), large=large
            ),
            source,
            target,
            read_options,
            release_options,
            seed=plan_options.seed,
            save_plan=save_plan,
            as_json=json,
            quiet=quiet,
        )


def _make_plan(
    k: int,
    plan_options: options.PlanOptions,
    masking_options: MaskingOptions,
    limits: "Limits | None",
    *,
    large: bool,
) -> "Plan":
    """Return the plan of one microaggregation that the options describe."""
    from shoal.plan import Plan

    step, method_options = parse_settings(
        plan_options.settings or [], masking_options.method, masking_options.effort
    )
    _refuse_given_twice(masking_options.step_parameters, step)
    return Plan.of(
        plan_options.column,
        build_partitioner(
            masking_options.method,
            k,
            method_options,
            effort=masking_options.effort,
            budget=masking_options.budget,
            seed=plan_options.seed,
            n_jobs=plan_options.n_jobs,
        ),
        identifiers=plan_options.identifier or (),
        confidential=plan_options.confidential or (),
        types=parse_types(plan_options.types, plan_options.hierarchy),
        missing_codes=parse_missing_codes(plan_options.missing_codes),
        shuffle=masking_options.shuffle,
        random_state=None if large else plan_options.seed,
        other_columns="release",
        edits=masking_options.edit or (),
        repair=masking_options.repair,  # type: ignore[arg-type]
        limits=limits,
        **{**step, **plan_options.step_parameters, **masking_options.step_parameters},
    )


def _refuse_given_twice(step_parameters: dict[str, Any], set_parameters: dict[str, Any]) -> None:
    """Refuse a parameter that is given both by its own option and by ``--set``."""
    for name in step_parameters.keys() & set_parameters.keys():
        raise ParameterError(
            f"{PLAN_FLAGS[name]} and --set {name} are both given. Leave one out.",
            code="option-given-twice",
            option=name,
        )
