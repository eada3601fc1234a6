"""Tables larger than memory: Parquet files masked on a cluster into a folder."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import ParameterError

if TYPE_CHECKING:
    from shoal.io.dialect import Dialect
    from shoal.plan import Plan
    from shoal.scale import LargeRelease

# Fields of a dialect that Parquet files do not need, and their options.
DIALECT_OPTIONS = {
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
    """Return whether to mask on a cluster: by option, by folder target or by several sources."""
    from shoal.io.store import is_store

    requested = scheduler is not None or chunk_size is not None
    requested = requested or any(is_store(location) for location in (*sources, target))
    to_folder = target.endswith("/") and sources[0].lower().endswith((".parquet", ".pq"))
    return requested or to_folder or len(sources) > 1 or Path(sources[0]).is_dir()


def mask_large(
    plan: "Plan",
    sources: Sequence[str],
    target: str,
    *,
    dialect: "Dialect",
    unsupported: Mapping[str, Any],
    **options: Any,
) -> "LargeRelease":
    """Run a plan on a cluster; ``options`` are those of `shoal.scale.mask`."""
    _refuse_unsupported(dialect, unsupported)
    from shoal import scale

    set_options = {name: value for name, value in options.items() if value is not None}
    return scale.mask(sources, plan, target, **set_options)


def _refuse_unsupported(dialect: "Dialect", unsupported: Mapping[str, Any]) -> None:
    """Refuse options that have no effect on a cluster instead of ignoring them."""
    default = type(dialect)()
    unsupported_options = [option for option, value in unsupported.items() if value]
    for name, option in DIALECT_OPTIONS.items():
        if getattr(dialect, name) != getattr(default, name):
            unsupported_options.append(option)
    if unsupported_options:
        raise ParameterError(
            f"{unsupported_options[0]} is for a single table that fits into memory, not for Parquet"
            " files that are masked into a folder. Leave it out.",
            code="option-not-for-large",
            option=unsupported_options[0],
        )
