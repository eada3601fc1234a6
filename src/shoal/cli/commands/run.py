"""``shoal run``: run a plan on a file."""

from typing import TYPE_CHECKING, Annotated

from shoal.cli import options
from shoal.cli.console.session import session
from shoal.cli.masking.mask import mask_and_print
from shoal.cli.options.declarations import seed_option
from shoal.cli.parsing.source_arguments import check_sources
from shoal.cli.wording import plan_wording

if TYPE_CHECKING:
    from shoal.plan import Plan

Seed = Annotated[
    int | None,
    seed_option(
        help="Seed for everything random that PLAN leaves open. A short seed can be guessed and"
        " used to undo the masking; by default, unguessable seeds are drawn."
    ),
]


def run(
    plan: options.PlanFile,
    source: options.Sources,
    target: options.Target,
    read_options: options.ReadOptions,
    release_options: options.ReleaseOptions,
    shuffle: options.Shuffle = False,
    seed: Seed = None,
    n_jobs: options.NJobs = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Run PLAN on SOURCE and write the release to TARGET."""
    with session(quiet=quiet, wording=plan_wording):
        check_sources(source)
        from shoal._jobs import default_n_jobs
        from shoal.plan import Plan

        loaded_plan = Plan.load(plan, shuffle=shuffle, limits=release_options.load_limits())
        with default_n_jobs(n_jobs):
            mask_and_print(
                loaded_plan if seed is None else _with_seeds(loaded_plan, seed),
                source,
                target,
                read_options,
                release_options,
                seed=seed,
                plan_file=plan,
                as_json=json,
                quiet=quiet,
            )


def _with_seeds(plan: "Plan", seed: int) -> "Plan":
    """Return the plan with the seeds that it does not state, drawn from one generator.

    Each step gets a seed of its own, since equal seeds would give equal noise to several columns.
    """
    import numpy as np

    from shoal._seeds import draw_seed

    generator = np.random.default_rng(seed)
    draws_order = plan.shuffle and plan.random_state is None
    return plan.replace(
        steps=[step.draw_missing_seeds(generator) for step in plan.steps],
        random_state=draw_seed(generator) if draws_order else plan.random_state,
    )
