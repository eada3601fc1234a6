"""Minimal sample uniques (MSUs) by refining partitions of the records, column by column.

An MSU of a record is a set of columns on which it is unique, while it is not unique on any part of
the set (Elliot et al., 2005). A partition keeps only groups of two or more records: a record that
is unique on some columns is unique on any more columns too, where it has no further MSU.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.constants import NONE


class RecordGroups(NamedTuple):
    """Groups of records that are equal on some columns: ``records[starts[g] : starts[g + 1]]``."""

    records: np.ndarray  # (n_records of all groups,)
    starts: np.ndarray  # (n_groups + 1,)


class CodeScratch(NamedTuple):
    """Scratch space by code; ``counts`` is 0 between two calls."""

    counts: np.ndarray  # (n_codes,)
    next_position: np.ndarray  # (n_codes,)


class MinimalUniques(NamedTuple):
    """The MSUs found so far, as a linked list of entries for each record.

    ``column_bits`` is the set of columns of each entry, as bits. ``last_entry`` is the last entry
    of each record and ``previous_entry`` that before each entry, or NONE. ``n_entries[0]`` counts
    them.
    """

    last_entry: np.ndarray  # (n_records,)
    column_bits: np.ndarray  # (capacity,)
    previous_entry: np.ndarray  # (capacity,)
    n_entries: np.ndarray  # (1,)


@compiled
def refine(groups, codes, scratch, finer, unique_records):
    """Split groups of records by the codes of a column.

    The new groups of two or more records are written to ``finer``, the other records to
    ``unique_records``. Return the number of new groups and of unique records.
    """
    counts, next_position = scratch.counts, scratch.next_position
    n_finer, n_unique, next_free = 0, 0, 0
    finer.starts[0] = 0
    for group in range(groups.starts.shape[0] - 1):
        start, stop = groups.starts[group], groups.starts[group + 1]
        for position in range(start, stop):
            counts[codes[groups.records[position]]] += 1
        for position in range(start, stop):
            record = groups.records[position]
            code = codes[record]
            if counts[code] > 1:  # the first record of the code: reserve positions for all
                next_position[code] = next_free
                next_free += counts[code]
                n_finer += 1
                finer.starts[n_finer] = next_free
                counts[code] = -counts[code]
            if counts[code] < 0:
                finer.records[next_position[code]] = record
                next_position[code] += 1
            else:
                unique_records[n_unique] = record
                n_unique += 1
        for position in range(start, stop):
            counts[codes[groups.records[position]]] = 0
    return n_finer, n_unique


@compiled
def store_minimal_uniques(uniques, records, columns, columns_with_value):
    """Store ``columns``, as bits, for each unique record that no stored subset makes unique.

    ``columns_with_value`` has the bits of the columns with a value for each record: a set
    with a missing value is not stored.
    """
    for record in records:
        if columns_with_value[record] & columns != columns:
            continue
        entry = uniques.last_entry[record]
        while entry != NONE and uniques.column_bits[entry] & columns != uniques.column_bits[entry]:
            entry = uniques.previous_entry[entry]
        if entry == NONE:
            new_entry = uniques.n_entries[0]
            uniques.column_bits[new_entry] = columns
            uniques.previous_entry[new_entry] = uniques.last_entry[record]
            uniques.last_entry[record] = new_entry
            uniques.n_entries[0] += 1


@compiled
def add_scores(uniques, weights, scores, contributions):
    """Add the weight of each entry to the score of its record and to all of its columns.

    The weight depends on the number of columns.
    """
    n_columns = contributions.shape[1]
    for record in range(scores.shape[0]):
        entry = uniques.last_entry[record]
        while entry != NONE:
            columns, size = uniques.column_bits[entry], 0
            for column in range(n_columns):
                size += (columns >> column) & 1
            scores[record] += weights[size]
            for column in range(n_columns):
                if (columns >> column) & 1:
                    contributions[record, column] += weights[size]
            entry = uniques.previous_entry[entry]
