"""Masking on a cluster: Parquet files become the files of a folder."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from shoal.cli.wording import FILE_FLAGS
from shoal.errors import ParameterError

if TYPE_CHECKING:
    from shoal.io.dialect import Dialect
    from shoal.plan import Plan
    from shoal.scale import LargeRelease

DIALECT_OPTIONS = {"missing": "missing_text"}  # by field of a dialect, if the names differ


def mask_large(
    plan: "Plan",
    sources: Sequence[str],
    target: str,
    *,
    dialect: "Dialect",
    unsupported: Mapping[str, Any],
    **options: Any,
) -> "LargeRelease":
    """Run a plan on a cluster.

    Parameters
    ----------
    plan : Plan
        What is done to the table.
    sources : list of str
        Parquet files or folders of them.
    target : str
        The folder to write.
    dialect : Dialect
        How to read and write; anything but the default is refused.
    unsupported : mapping of str to object
        Values of options that have no effect on a cluster, by option; any that is set is refused.
    **options
        Options of `shoal.scale.mask`; None stands for the default.

    Returns
    -------
    LargeRelease
        The files, measures and verdict of the release.
    """
    _refuse_unsupported(dialect, unsupported)
    from shoal import scale

    given_options = {name: value for name, value in options.items() if value is not None}
    return scale.mask(sources, plan, target, **given_options)


def _refuse_unsupported(dialect: "Dialect", unsupported: Mapping[str, Any]) -> None:
    """Refuse options that have no effect on a cluster instead of ignoring them."""
    default = type(dialect)()
    given = [option for option, value in unsupported.items() if value]
    for field in fields(dialect):
        if getattr(dialect, field.name) != getattr(default, field.name):
            given.append(FILE_FLAGS[DIALECT_OPTIONS.get(field.name, field.name)])
    if given:
        raise ParameterError(
            f"{given[0]} is for a single table that fits into memory, not for Parquet files that"
            " are masked into a folder. Leave it out.",
            code="option-not-for-large",
            option=given[0],
        )
