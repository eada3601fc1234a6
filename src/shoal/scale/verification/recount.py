"""Count the equivalence classes of released files again, one file at a time."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal import _progress as progress
from shoal.errors import ColumnError
from shoal.frame import tables
from shoal.frame.codes import codes, keys, value_codes
from shoal.frame.roles import columns_with, name_columns
from shoal.frame.types import Type
from shoal.metrics import classes, l_diversity
from shoal.scale.sources.chunks import canonical_table, read_columns, read_footer
from shoal.scale.statistics.confidential_columns import ConfidentialColumn
from shoal.scale.statistics.hashes import Hashes, record_hashes
from shoal.scale.statistics.value_counts import count_values, merge_values

if TYPE_CHECKING:
    from shoal.plan import Plan

GREATEST_HASH = np.uint64(2**64 - 1)
MAX_HASHES = 2**22  # hashes that are compared between files; they take 32 MB


class Recount(NamedTuple):
    """Counts on the files of a release.

    ``smallest`` is the size of the smallest class of any file, and ``n_classes`` the number of
    classes, file by file. Among ``n_compared`` classes, ``n_split`` are in more than one file;
    ``is_sample`` is True if only a sample of the classes was compared.
    """

    smallest: int
    n_classes: int
    n_compared: int
    n_split: int
    is_sample: bool


def recount(
    paths: Sequence[str], quasi_identifiers: Sequence[str], max_hashes: int = MAX_HASHES
) -> Recount:
    """Count the classes of records with equal quasi-identifiers, and how many span files.

    One file is in memory at a time, and 64-bit hashes of the classes of the files before it. If
    there are more than ``max_hashes`` classes, only those with the smallest hashes are kept and
    compared: a sample that does not depend on the order of the files. A class in two files is
    counted as two classes, so the smallest class is never overestimated.
    """
    smallest, n_classes, largest_hash = 0, 0, GREATEST_HASH
    hashes_of_files: list[Hashes] = []
    for n_done, path in enumerate(paths):
        progress.report("counting", n_done, len(paths))
        sizes, hashes = _count_file(path, quasi_identifiers)
        if not len(sizes):
            continue
        n_classes += len(sizes)
        smallest = min(smallest or int(sizes.min()), int(sizes.min()))
        hashes_of_files.append(hashes[hashes <= largest_hash])
        while sum(map(len, hashes_of_files)) > max_hashes:
            largest_hash = largest_hash // np.uint64(2)
            hashes_of_files = [hashes[hashes <= largest_hash] for hashes in hashes_of_files]
    all_hashes = np.concatenate([np.empty(0, np.uint64), *hashes_of_files])
    n_files = np.unique(all_hashes, return_counts=True)[1]
    n_split, is_sample = int((n_files > 1).sum()), bool(largest_hash < GREATEST_HASH)
    return Recount(smallest, n_classes, len(n_files), n_split, is_sample)


def recount_constraints(paths: Sequence[str], plan: "Plan") -> tuple[float | None, float | None]:
    """Return the least diversity and the greatest distance of a class, if they are guaranteed.

    Units are not in the files. If k counts units, only distinct values are counted, by records: an
    upper bound, since counting units never gives more distinct values.

    Parameters
    ----------
    paths : list of str
        The files of the release; all records of a class are in one file.
    plan : Plan
        The plan of the release, of one step.

    Returns
    -------
    tuple of float or None
        Diversity and distance; None for what is not guaranteed or cannot be counted.
    """
    step, confidential = plan.steps[0], columns_with(plan.roles, "confidential")
    by_units = step.unit_column is not None
    checks_diversity = step.diversity is not None and (
        not by_units or step.diversity_kind == "distinct"
    )
    checks_closeness = step.closeness is not None and not by_units
    if not checks_diversity and not checks_closeness:
        return None, None
    columns = _confidential_columns(paths, confidential, plan.types) if checks_closeness else []
    names = list(dict.fromkeys([*step.columns, *step.strata, *confidential]))
    diversities: list[float] = []
    distances: list[float] = []
    for n_done, path in enumerate(paths):
        progress.report("counting", n_done, len(paths))
        table = canonical_table(read_columns(path, names))
        if not len(table):
            continue
        frame = tables.open_frame(table)
        labels = classes(codes(frame, [*step.columns, *step.strata]))
        if checks_diversity:
            values = value_codes(frame, confidential)
            diversities.append(
                float(l_diversity(labels[:, None], values)[step.diversity_kind].min())
            )
        distances += [
            float(column.distances(labels, column.read(table)).max()) for column in columns
        ]
    return min(diversities, default=None), max(distances, default=None)


def _confidential_columns(
    paths: Sequence[str], names: Sequence[str], types: Mapping[str, Type]
) -> list[ConfidentialColumn]:
    """Return the confidential columns of all files with the frequencies of their values."""
    counts = [count_values(canonical_table(read_columns(path, names)), names) for path in paths]
    return [
        ConfidentialColumn.from_counts(name, value_counts, types)
        for name, value_counts in merge_values(counts).items()
    ]


def _count_file(path: str, quasi_identifiers: Sequence[str]) -> tuple[NDArray[np.int64], Hashes]:
    """Return the sizes of the classes of a file, and the distinct hashes of its records."""
    absent = [name for name in quasi_identifiers if name not in read_footer(path).schema.names]
    if absent:
        verb = "is" if len(absent) == 1 else "are"
        raise ColumnError(
            f"{name_columns(absent)} {verb} not in every file, so classes cannot be counted.",
            code="no-such-column",
            columns=tuple(absent),
        )
    table = read_columns(path, quasi_identifiers)
    if not len(table):
        return np.empty(0, np.int64), np.empty(0, np.uint64)
    class_of = classes(keys(tables.open_frame(table), quasi_identifiers))
    return np.bincount(class_of), np.unique(record_hashes(table, quasi_identifiers))
