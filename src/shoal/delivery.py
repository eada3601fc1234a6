"""A file or a database becomes what may leave: read, run the plan, keep the rest to the letter."""

from shoal.plan import Plan
from shoal.release import Release
from shoal.table.dialect import Dialect
from shoal.table.files import open_source
from shoal.table.source import Source


def mask_source(plan: Plan, place: str, dialect: Dialect) -> tuple[Release, Source]:
    """Run ``plan`` on what lies at ``place``.

    Parameters
    ----------
    plan : Plan
        What is done.
    place : str
        A file, or the address of a database.
    dialect : Dialect
        What the file does not say.

    Returns
    -------
    Release
        What the plan made.
    Source
        The same with what the file says about it, ready to be written.
    """
    opened = open_source(place, dialect=dialect, numbers=())
    made = plan.run(opened.with_numbers(plan.numbers, plan.words))
    leaving = opened.released(
        made.data, made.unchanged, kept=made.kept, keep_notes=dialect.keep_notes
    )
    return made, leaving
