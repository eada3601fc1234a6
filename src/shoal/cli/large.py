"""Tables larger than memory: Parquet files masked on a cluster into a folder."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.cli.console.wording import FILE_FLAGS
from shoal.errors import ParameterError

if TYPE_CHECKING:
    from shoal.io.dialect import Dialect
    from shoal.plan import Plan
    from shoal.scale import LargeRelease

PARQUET_SUFFIXES = (".parquet", ".pq")
DIALECT_OPTIONS = {"missing": "missing_text"}  # by field of a dialect, where they differ


def may_be_large(source: str) -> bool:
    """Return whether a cluster can mask a source: a Parquet file, a folder, or one in a store."""
    from shoal.io.store import is_store

    return _is_parquet(source) or is_store(source) or Path(source).is_dir()


def is_large(
    sources: Sequence[str], target: str, scheduler: str | None, chunk_size: int | None
) -> bool:
    """Return whether to mask on a cluster: by option, by folder target or by several sources."""
    from shoal.io.store import is_store

    requested = scheduler is not None or chunk_size is not None
    in_store = any(is_store(location) for location in (*sources, target))
    to_folder = target.endswith("/") and _is_parquet(sources[0])
    several_files = len(sources) > 1 or Path(sources[0]).is_dir()
    return requested or in_store or to_folder or several_files


def _is_parquet(source: str) -> bool:
    return source.lower().endswith(PARQUET_SUFFIXES)


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
        The plan.
    sources : list of str
        Parquet files or folders of them.
    target : str
        The folder to write.
    dialect : Dialect
        How to read and write; anything but the default is refused.
    unsupported : mapping of str to object
        The values of options without effect on a cluster, by option; those given are refused.
    **options
        Those of `shoal.scale.mask`; None stands for the default.

    Returns
    -------
    LargeRelease
        The release.
    """
    _refuse_unsupported(dialect, unsupported)
    from shoal import scale

    set_options = {name: value for name, value in options.items() if value is not None}
    return scale.mask(sources, plan, target, **set_options)


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
