"""Write a Dask DataFrame to files, so that it is computed only once."""

from collections.abc import Collection, Sequence
from typing import Any

import pyarrow as pa

from shoal.errors import ColumnError, InputError, ParameterError
from shoal.frame.roles import name_columns
from shoal.scale.runners.dask_cluster import DaskRunner, translate_errors
from shoal.scale.runners.runner import Runner
from shoal.scale.storage.files import join
from shoal.scale.storage.scratch_files import write_parquet
from shoal.scale.worker_task import worker_task


def is_dask_frame(source: Any) -> bool:
    """Return whether the source is a Dask DataFrame, without importing Dask."""
    from_dask = type(source).__module__.startswith(("dask.", "dask_expr."))
    return from_dask and hasattr(source, "columns") and getattr(source, "ndim", 0) == 2


def write_frame(runner: Runner, frame: Any, folder: str, masked: Collection[str] = ()) -> list[str]:
    """Write the partitions of a Dask DataFrame to Parquet files; return their paths.

    Categories of ``masked`` columns must be text: in a file, numeric categories become plain
    numbers.
    """
    if not isinstance(runner, DaskRunner):
        raise ParameterError(
            "A Dask DataFrame is computed by Dask. Leave `client` out or give a Dask cluster, or"
            " write the table to Parquet files first.",
            code="frame-needs-dask",
            parameter="client",
        )
    from dask.delayed import delayed

    _check_names([str(name) for name in frame.columns])
    _check_categories(frame.dtypes, masked)
    schema = _frame_schema(frame._meta_nonempty)
    paths = [join(folder, f"{number:08d}.parquet") for number in range(frame.npartitions)]
    tasks = [
        delayed(_write_partition)(partition, path, schema)
        for partition, path in zip(frame.to_delayed(), paths, strict=True)
    ]
    with translate_errors():
        runner.client.gather(runner.client.compute(tasks))
    return paths


def _check_names(names: Sequence[str]) -> None:
    """Refuse names that several columns share."""
    duplicates = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if duplicates:
        raise ColumnError(
            f"The Dask DataFrame has several columns named {duplicates[0]!r}. Rename them, so that"
            " a plan can refer to each.",
            code="name-twice",
            column=duplicates[0],
        )


def _check_categories(dtypes: Any, masked: Collection[str]) -> None:
    """Refuse masked columns whose categories are not text."""
    for name, dtype in dtypes.items():
        category_type = getattr(getattr(dtype, "categories", None), "inferred_type", "string")
        if str(name) in masked and category_type not in ("string", "empty"):
            raise ColumnError(
                f"Column {str(name)!r} of the Dask DataFrame has categories that are not text,"
                " which a file cannot store as categories. Convert it to text or numbers with"
                " astype, then run again.",
                code="categories-not-text",
                column=str(name),
            )


def _frame_schema(example: Any) -> pa.Schema:
    """Return the schema of the files, given a frame like all partitions; refuse unknown types."""
    try:
        return pa.Schema.from_pandas(example, preserve_index=False).remove_metadata()
    except pa.ArrowException:
        untyped = [str(name) for name, dtype in example.dtypes.items() if str(dtype) == "object"]
        raise InputError(
            f"{name_columns(untyped)} of the Dask DataFrame: the type of the values is unknown. Set"
            " it with astype, then run again.",
            code="type-unknown",
            columns=tuple(untyped),
        ) from None


@worker_task
def _write_partition(partition: Any, path: str, schema: pa.Schema) -> None:
    try:
        table = pa.Table.from_pandas(partition, schema=schema, preserve_index=False)
    except (pa.ArrowException, KeyError, OverflowError):
        raise InputError(
            _type_message(partition, schema), code="partition-of-another-type"
        ) from None
    write_parquet(path, table.replace_schema_metadata(None))


def _type_message(partition: Any, schema: pa.Schema) -> str:
    """Return a message that names the wrong column; Arrow's own message may contain a value."""
    column = "A column"
    for field in schema:
        try:
            pa.Table.from_pandas(partition[[field.name]], pa.schema([field]), preserve_index=False)
        except (pa.ArrowException, KeyError, OverflowError):
            column = f"Column {field.name!r}"
            break
    return (
        f"{column} has another type in a partition than in the Dask DataFrame. Set the type with"
        " astype, then run again."
    )
