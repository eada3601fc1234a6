"""Minimal sample uniques by refining partitions of the records, column by column.

A partition keeps only groups of two or more records: a record that is unique on some columns is
unique on any more columns too, where it has no further minimal sample unique.
"""

import numpy as np

from shoal._kernels._compile import compiled

NO_ENTRY = np.int64(-1)


@compiled
def refine(records, starts, groups, codes, counts, slots, finer, finer_starts, singles):
    """Split each group of a partition by the codes of a column.

    ``records`` holds the records of all groups, ``starts[g]`` the first of group g and
    ``starts[groups]`` the end. The groups of two or more records are written to ``finer`` and
    ``finer_starts``, records that are alone to ``singles``. ``counts`` and ``slots`` have an entry
    for each code; ``counts`` is 0 before and after. Returns the number of groups and of singles.
    """
    n_groups, n_singles, position = 0, 0, 0
    finer_starts[0] = 0
    for g in range(groups):
        for i in range(starts[g], starts[g + 1]):
            counts[codes[records[i]]] += 1
        for i in range(starts[g], starts[g + 1]):
            code = codes[records[i]]
            if counts[code] > 1:  # the first record of the code: reserve places for all
                slots[code] = position
                position += counts[code]
                n_groups += 1
                finer_starts[n_groups] = position
                counts[code] = -counts[code]
            if counts[code] < 0:
                finer[slots[code]] = records[i]
                slots[code] += 1
            else:
                singles[n_singles] = records[i]
                n_singles += 1
        for i in range(starts[g], starts[g + 1]):
            counts[codes[records[i]]] = 0
    return n_groups, n_singles


@compiled
def add_minimal(singles, n_singles, columns, usable, newest, masks, earlier, used):
    """Store ``columns``, as bits, for each single record that no stored subset makes unique.

    ``newest[record]`` is the last entry of a record, ``earlier`` leads from an entry to the one
    before. ``usable`` has the bits of the columns with a value for each record: a set with a
    missing value is not stored. Returns the number of entries.
    """
    for i in range(n_singles):
        record = singles[i]
        if usable[record] & columns != columns:
            continue
        entry = newest[record]
        while entry != NO_ENTRY and masks[entry] & columns != masks[entry]:
            entry = earlier[entry]
        if entry == NO_ENTRY:
            masks[used] = columns
            earlier[used] = newest[record]
            newest[record] = used
            used += 1
    return used


@compiled
def add_scores(newest, masks, earlier, weights, n_columns, scores, contributions):
    """Add the weight of each entry to the score of its record and to all of its columns."""
    for record in range(newest.shape[0]):
        entry = newest[record]
        while entry != NO_ENTRY:
            size = 0
            for column in range(n_columns):
                size += (masks[entry] >> column) & 1
            scores[record] += weights[size]
            for column in range(n_columns):
                if (masks[entry] >> column) & 1:
                    contributions[record, column] += weights[size]
            entry = earlier[entry]
