"""A file or a database becomes what may leave: read, run the plan, keep the rest to the letter."""

from typing import Any, NamedTuple

from shoal.io.dialect import Dialect
from shoal.io.files import open_source
from shoal.io.source import Source
from shoal.plan import Plan
from shoal.plan.release import Release


class Delivery(NamedTuple):
    """A release on its way out.

    Parameters
    ----------
    release : Release
        What the plan made.
    leaving : Source
        The same with what the file says about it, ready to be written.
    table : pyarrow.Table
        What the plan was run on.
    """

    release: Release
    leaving: Source
    table: Any


def mask_source(plan: Plan, place: str, dialect: Dialect) -> Delivery:
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
    Delivery
        What the plan made, and what leaves.
    """
    opened = open_source(place, dialect=dialect, numbers=())
    table = opened.with_numbers(plan.numbers, plan.words)
    made = plan.run(table)
    leaving = opened.released(
        made.data, made.unchanged, kept=made.kept, keep_notes=dialect.keep_notes
    )
    return Delivery(made, leaving, table)
