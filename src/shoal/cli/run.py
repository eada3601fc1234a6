"""``shoal run``: run a plan on a file."""

from shoal.cli import _options as options
from shoal.cli._large import is_large
from shoal.cli._release import mask_and_print
from shoal.cli._release_options import ReleaseOptions
from shoal.cli._session import session
from shoal.cli._source_arguments import check_sources
from shoal.cli._wording import plan_wording


def run(
    plan: options.PlanFile,
    source: options.Sources,
    target: options.Target,
    reading: options.ReadOptions,
    writing: ReleaseOptions,
    shuffle: options.Shuffle = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Run PLAN on SOURCE and write the release to TARGET."""
    with session(quiet=quiet, wording=plan_wording):
        check_sources(source)
        from shoal.plan import Plan

        mask_and_print(
            Plan.load(plan, shuffle=shuffle, limits=writing.load_limits()),
            source,
            target,
            reading,
            writing,
            large=is_large(source, target, writing.scheduler, writing.chunk_size),
            plan_file=plan,
            as_json=json,
            quiet=quiet,
        )
