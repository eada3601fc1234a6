"""Minimal sample uniques by refining partitions of the records, column by column.

A partition keeps only groups of two or more records: a record that is unique on some columns is
unique on any more columns too, where it has no further minimal sample unique.
"""

import numpy as np

from shoal._kernels._compile import compiled

NO_ENTRY = np.int64(-1)


@compiled
def refine(
    records,
    starts,
    n_groups,
    codes,
    counts,
    next_position,
    finer_records,
    finer_starts,
    unique_records,
):
    """Split each group of a partition by the codes of a column.

    ``records[starts[g] : starts[g + 1]]`` are the records of group g. The new groups of two or
    more records are written to ``finer_records`` and ``finer_starts``, the other records to
    ``unique_records``. ``counts`` and ``next_position`` have an entry for each code; ``counts`` is
    0 before and after. Return the number of new groups and of unique records.
    """
    n_finer, n_unique, position = 0, 0, 0
    finer_starts[0] = 0
    for g in range(n_groups):
        for i in range(starts[g], starts[g + 1]):
            counts[codes[records[i]]] += 1
        for i in range(starts[g], starts[g + 1]):
            code = codes[records[i]]
            if counts[code] > 1:  # the first record of the code: reserve positions for all
                next_position[code] = position
                position += counts[code]
                n_finer += 1
                finer_starts[n_finer] = position
                counts[code] = -counts[code]
            if counts[code] < 0:
                finer_records[next_position[code]] = records[i]
                next_position[code] += 1
            else:
                unique_records[n_unique] = records[i]
                n_unique += 1
        for i in range(starts[g], starts[g + 1]):
            counts[codes[records[i]]] = 0
    return n_finer, n_unique


@compiled
def store_minimal_uniques(
    unique_records,
    n_unique,
    columns,
    columns_with_value,
    last_entry,
    masks,
    previous_entry,
    n_entries,
):
    """Store ``columns``, as bits, for each unique record that no stored subset makes unique.

    ``last_entry[record]`` is the last entry of a record, ``previous_entry`` that before each
    entry. ``columns_with_value`` has the bits of the columns with a value for each record: a set
    with a missing value is not stored. Return the number of entries.
    """
    for i in range(n_unique):
        record = unique_records[i]
        if columns_with_value[record] & columns != columns:
            continue
        entry = last_entry[record]
        while entry != NO_ENTRY and masks[entry] & columns != masks[entry]:
            entry = previous_entry[entry]
        if entry == NO_ENTRY:
            masks[n_entries] = columns
            previous_entry[n_entries] = last_entry[record]
            last_entry[record] = n_entries
            n_entries += 1
    return n_entries


@compiled
def add_scores(last_entry, masks, previous_entry, weights, n_columns, scores, contributions):
    """Add the weight of each entry to the score of its record and to all of its columns."""
    for record in range(last_entry.shape[0]):
        entry = last_entry[record]
        while entry != NO_ENTRY:
            size = 0
            for column in range(n_columns):
                size += (masks[entry] >> column) & 1
            scores[record] += weights[size]
            for column in range(n_columns):
                if (masks[entry] >> column) & 1:
                    contributions[record, column] += weights[size]
            entry = previous_entry[entry]
