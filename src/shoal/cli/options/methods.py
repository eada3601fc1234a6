"""Options of methods: k, effort, seed and number of jobs."""

from typing import Annotated

import typer

from shoal.cli.options.declarations import seed_option


def _refuse_zero(n_jobs: int | None) -> int | None:
    """Refuse zero jobs before anything is read."""
    if n_jobs == 0:
        raise typer.BadParameter("it must be a number other than 0; -1 stands for all cores.")
    return n_jobs


K = Annotated[
    int, typer.Option("-k", metavar="INT", min=1, help="Smallest number of records in a group.")
]
KValues = Annotated[list[str], typer.Option("-k", metavar="INT,...", help="Values of k to try.")]
DependenceValues = Annotated[
    list[str],
    typer.Option(
        "--dependence",
        metavar="SHARE,...",
        help="Values to try, in [0, 1], for the share of the confidential columns in the distance.",
    ),
]
Method = Annotated[
    str,
    typer.Option(
        "-m",
        "--method",
        metavar="METHOD",
        help="Method that forms the groups; see 'shoal methods'.",
    ),
]
Effort = Annotated[
    str | None,
    typer.Option(
        "--effort",
        metavar="EFFORT",
        help="How hard to improve the groups of the method: quick, refine, search or prove.",
    ),
]
Budget = Annotated[
    float | None,
    typer.Option(
        "--budget", metavar="SECONDS", min=0, help="CPU seconds for --effort search or prove."
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="Any other parameter of the step or the method."
    ),
]
Seed = Annotated[
    int | None,
    seed_option(help="Seed of all random numbers; the same seed gives the same result."),
]
NJobs = Annotated[
    int | None,
    typer.Option(
        "--n-jobs",
        metavar="INT",
        callback=_refuse_zero,
        help="Number of jobs to run in parallel; all cores by default.",
    ),
]
