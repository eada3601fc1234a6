"""Tables larger than memory: several Parquet files, or a folder of them, become a folder."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import ParameterError

if TYPE_CHECKING:
    from shoal.io.dialect import Dialect
    from shoal.plan import Plan
    from shoal.scale import LargeRelease


# What is said about a table whose file does not say it; Parquet files do.
OF_OTHER_FILES = {
    "separator": "--separator",
    "decimal": "--decimal",
    "encoding": "--encoding",
    "missing": "--missing-text",
    "sheet": "--sheet",
    "layout": "--layout",
    "table": "--table",
    "keep_notes": "--keep-notes",
    "memory_limit": "--memory-limit",
    "mark_formulas": "--mark-formulas",
}


def is_large(
    sources: Sequence[str], target: str, scheduler: str | None, chunk_size: int | None
) -> bool:
    """Say whether the command line asks for a cluster: one Parquet file may become a folder too."""
    asked = scheduler is not None or chunk_size is not None
    folder = target.endswith("/") and sources[0].lower().endswith((".parquet", ".pq"))
    return asked or folder or len(sources) > 1 or Path(sources[0]).is_dir()


def mask_large(
    plan: "Plan",
    sources: Sequence[str],
    target: str,
    *,
    dialect: "Dialect",
    others: Mapping[str, Any],
    **options: Any,
) -> "LargeRelease":
    """Run a plan on files that are together larger than memory; ``options`` are those of `mask`."""
    _refuse(dialect, others)
    from shoal import scale

    given = {name: value for name, value in options.items() if value is not None}
    return scale.mask(sources, plan, target, **given)


def _refuse(dialect: "Dialect", others: Mapping[str, Any]) -> None:
    """Refuse options that mean nothing here: to ignore one in silence would mislead."""
    usual = type(dialect)()
    given = [option for option, value in others.items() if value]
    for name, option in OF_OTHER_FILES.items():
        if getattr(dialect, name) != getattr(usual, name):
            given.append(option)
    if given:
        raise ParameterError(
            f"{given[0]} is for one table that fits into memory; Parquet files that become a folder"
            " have no use for it. Leave it out.",
            code="option-not-for-large",
            option=given[0],
        )
