"""A Dask DataFrame becomes files, so that it is computed once."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from shoal.errors import ColumnError, InputError
from shoal.frame.roles import name_columns
from shoal.scale.cluster import said
from shoal.scale.job import task
from shoal.scale.slices import appearing

if TYPE_CHECKING:
    from distributed import Client


def is_dask_frame(source: Any) -> bool:
    """Say whether the source is a Dask DataFrame; without importing Dask."""
    ours = type(source).__module__.startswith(("dask.", "dask_expr."))
    return ours and hasattr(source, "columns") and getattr(source, "ndim", 0) == 2


def write_frame(
    client: "Client", frame: Any, folder: Path, masked: Collection[str] = ()
) -> list[str]:
    """Write the partitions of a Dask DataFrame to Parquet files; return these.

    Categories of ``masked`` columns must be texts, since files forget that numbers are categories.
    """
    from dask.delayed import delayed

    _check_names([str(name) for name in frame.columns])
    _check_categories(frame.dtypes, masked)
    schema = _schema(frame._meta_nonempty)
    paths = [str(folder / f"{at:08d}.parquet") for at in range(frame.npartitions)]
    parts = [
        delayed(_write)(part, path, schema)
        for part, path in zip(frame.to_delayed(), paths, strict=True)
    ]
    with said():
        client.gather(client.compute(parts))
    return paths


def _check_names(names: Sequence[str]) -> None:
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise ColumnError(
            f"The Dask DataFrame has several columns {twice[0]!r}. Rename them: a plan could mean"
            " each of them.",
            code="name-twice",
            column=twice[0],
        )


def _check_categories(kinds: Any, masked: Collection[str]) -> None:
    for name, kind in kinds.items():
        texts = getattr(getattr(kind, "categories", None), "inferred_type", "string")
        if str(name) in masked and texts not in ("string", "empty"):
            raise ColumnError(
                f"Column {str(name)!r} of the Dask DataFrame holds categories that are no text, and"
                " files would forget that they are categories. Turn it into text or numbers with"
                " astype, then run again.",
                code="categories-not-text",
                column=str(name),
            )


def _schema(example: Any) -> pa.Schema:
    try:
        return pa.Schema.from_pandas(example, preserve_index=False).remove_metadata()
    except pa.ArrowException:
        untyped = [str(name) for name, kind in example.dtypes.items() if str(kind) == "object"]
        raise InputError(
            f"{name_columns(untyped)} of the Dask DataFrame: what the values are is not said. Set"
            " the type with astype, then run again.",
            code="type-unknown",
            columns=tuple(untyped),
        ) from None


@task
def _write(part: Any, path: str, schema: pa.Schema) -> None:
    try:
        table = pa.Table.from_pandas(part, schema=schema, preserve_index=False)
    except (pa.ArrowException, KeyError, OverflowError):
        raise InputError(_complaint(part, schema), code="partition-of-another-type") from None
    with appearing(Path(path)) as writing:
        pq.write_table(table.replace_schema_metadata(None), writing)


def _complaint(part: Any, schema: pa.Schema) -> str:
    """Say which column is to blame; what Arrow says may hold a value."""
    where = "A column"
    for field in schema:
        try:
            pa.Table.from_pandas(part[[field.name]], pa.schema([field]), preserve_index=False)
        except (pa.ArrowException, KeyError, OverflowError):
            where = f"Column {field.name!r}"
            break
    return (
        f"{where} has another type in some partition than in the Dask DataFrame. Set the type with"
        " astype, then run again."
    )
