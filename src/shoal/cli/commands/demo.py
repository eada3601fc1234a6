"""``shoal demo``: mask the built-in survey and keep all files."""

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import options
from shoal.cli.console.session import compile_ahead, session
from shoal.cli.masking.mask import release_file
from shoal.cli.masking.output import print_release
from shoal.cli.wording import plan_wording

Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder to write to.")]


def demo(
    folder: Folder = Path("demo"), force: options.Force = False, quiet: options.Quiet = False
) -> None:
    """Mask a synthetic survey of 1,000 people; write original, plan, release and report."""
    with session(quiet=quiet, wording=plan_wording):
        compile_ahead()
        from shoal import datasets
        from shoal.io.dialect import Dialect
        from shoal.io.files import write
        from shoal.io.publish import Publication
        from shoal.partitioners import partitioner
        from shoal.plan import Plan
        from shoal.steps import Microaggregate

        folder.mkdir(parents=True, exist_ok=True)
        roles = datasets.ROLES["survey"]
        columns = [name for name, role in roles.items() if role == "quasi-identifier"]
        step = Microaggregate(columns, partitioner("auto", {"k": 5}), within="region")
        plan = Plan(roles, [step])
        original, target = folder / "original.csv", folder / "release.csv"
        with Publication(force=force) as publication:
            survey = datasets.survey(kind="pyarrow")
            write(survey, publication.add(original), target=original)
        plan.save(folder / "plan.toml", force=force)
        release_options = options.ReleaseOptions(report=folder / "report.html", force=force)
        release = release_file(plan, str(original), str(target), Dialect(), release_options).release
        documents = {folder / "report.html": "the report"}
        print_release(
            release, str(target), release_options, documents=documents, as_json=False, quiet=quiet
        )
