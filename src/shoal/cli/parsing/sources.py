"""Which sources on the command line are masked on a cluster."""

from collections.abc import Sequence
from pathlib import Path

PARQUET_SUFFIXES = (".parquet", ".pq")


def may_be_large(source: str) -> bool:
    """Return whether a cluster can mask a source: a Parquet file, a folder, or one in a store."""
    from shoal.io.store_addresses import is_store

    return _is_parquet(source) or is_store(source) or Path(source).is_dir()


def is_large(
    sources: Sequence[str], target: str, scheduler: str | None, chunk_size: int | None
) -> bool:
    """Return whether to mask on a cluster.

    That is requested by an option, a location in a store, several sources, a source folder, or a
    target folder for a Parquet file.
    """
    from shoal.io.store_addresses import is_store

    requested = scheduler is not None or chunk_size is not None
    in_store = any(is_store(location) for location in (*sources, target))
    to_folder = target.endswith("/") and _is_parquet(sources[0])
    several_files = len(sources) > 1 or Path(sources[0]).is_dir()
    return requested or in_store or to_folder or several_files


def _is_parquet(source: str) -> bool:
    return source.lower().endswith(PARQUET_SUFFIXES)
