"""A Dask DataFrame becomes files, so that it is computed once."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from shoal.errors import InputError
from shoal.scale.cluster import said
from shoal.scale.job import task
from shoal.scale.slices import appearing
from shoal.table.roles import listed

if TYPE_CHECKING:
    from distributed import Client


def is_dask_frame(source: Any) -> bool:
    """Say whether the source is a Dask DataFrame; without importing Dask."""
    return type(source).__module__.startswith(("dask.", "dask_expr.")) and hasattr(
        source, "to_delayed"
    )


def write_frame(client: "Client", frame: Any, folder: Path) -> list[str]:
    """Write the partitions of a Dask DataFrame to Parquet files; return these."""
    from dask.delayed import delayed

    schema = _schema(frame._meta_nonempty)
    paths = [str(folder / f"{at:08d}.parquet") for at in range(frame.npartitions)]
    parts = [
        delayed(_write)(part, path, schema)
        for part, path in zip(frame.to_delayed(), paths, strict=True)
    ]
    with said():
        client.gather(client.compute(parts))
    return paths


def _schema(example: Any) -> pa.Schema:
    try:
        return pa.Schema.from_pandas(example, preserve_index=False).remove_metadata()
    except pa.ArrowException:
        untyped = [str(name) for name, kind in example.dtypes.items() if str(kind) == "object"]
        raise InputError(
            f"{listed(untyped)} of the Dask DataFrame: what the values are is not said. Set the"
            " type with astype, then run again."
        ) from None


@task
def _write(part: Any, path: str, schema: pa.Schema) -> None:
    try:
        table = pa.Table.from_pandas(part, schema=schema, preserve_index=False)
    except (pa.ArrowException, KeyError, OverflowError):
        raise InputError(_complaint(part, schema)) from None
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
