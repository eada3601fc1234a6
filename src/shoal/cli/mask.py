"""``shoal mask``: microaggregate one file into another."""

from typing import Annotated

import typer

from shoal.cli import _options as options
from shoal.cli._large import is_large
from shoal.cli._release import mask_and_print
from shoal.cli._release_options import ReleaseOptions
from shoal.cli._session import compile_ahead, session
from shoal.cli._settings import parse_column_weights, parse_settings, parse_types
from shoal.cli._source_arguments import check_sources
from shoal.cli._wording import PLAN_FLAGS
from shoal.errors import ParameterError

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
        "--missing", metavar="POLICY", help="How to treat missing values: see 'shoal steps'."
    ),
]
Edits = Annotated[
    list[str] | None,
    typer.Option(
        "--edit", metavar="RULE", help="Rule of the records, such as 'total == a + b'; repeatable."
    ),
]
Repair = Annotated[
    str | None,
    typer.Option(
        "--repair", metavar="WAY", help="If masking breaks an edit: refuse, or regroup its columns."
    ),
]


def mask(
    source: options.Sources,
    target: options.Target,
    k: options.K,
    plan: options.PlanOptions,
    reading: options.ReadOptions,
    writing: ReleaseOptions,
    method: options.Method = "auto",
    effort: options.Effort = None,
    budget: options.Budget = None,
    column_weight: ColumnWeights = None,
    missing: Missing = None,
    edit: Edits = None,
    repair: Repair = None,
    shuffle: options.Shuffle = False,
    save_plan: options.SavePlan = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Microaggregate SOURCE into TARGET."""
    with session(quiet=quiet):
        check_sources(source)
        plan = plan.split(reading.column_names_of(*source))
        if method == "auto" and effort is None:
            compile_ahead()
        from shoal.frame.missing_codes import parse_missing_codes
        from shoal.partitioners import partitioner
        from shoal.plan import Plan

        step, method_options = parse_settings(plan.settings or [], method, effort)
        for option, value in (("missing", missing), ("column_weights", column_weight)):
            if value and option in step:
                flag = PLAN_FLAGS[option]
                raise ParameterError(
                    f"{flag} and --set {option} are both given. Leave one out.",
                    code="option-given-twice",
                    option=option,
                )
        common = {"effort": effort, "budget": budget}
        common |= {"random_state": plan.seed, "n_jobs": plan.n_jobs}
        method_options |= {name: value for name, value in common.items() if value is not None}
        step_options = {
            "missing": missing,
            "column_weights": parse_column_weights(column_weight) if column_weight else None,
        }
        step |= plan.step_parameters
        step |= {name: value for name, value in step_options.items() if value is not None}
        large = is_large(source, target, writing.scheduler, writing.chunk_size)
        mask_and_print(
            Plan.of(
                plan.column,
                partitioner(method, {"k": k, **method_options}),
                identifiers=plan.identifier or (),
                confidential=plan.confidential or (),
                types=parse_types(plan.types, plan.hierarchy),
                missing_codes=parse_missing_codes(plan.missing_codes or []),
                shuffle=shuffle,
                random_state=plan.seed if shuffle and not large else None,
                other_columns="release",
                edits=edit or (),
                repair=repair,  # type: ignore[arg-type]
                limits=writing.load_limits(),
                **step,
            ),
            source,
            target,
            reading,
            writing,
            large=large,
            seed=plan.seed,
            save_plan=save_plan,
            as_json=json,
            quiet=quiet,
        )
