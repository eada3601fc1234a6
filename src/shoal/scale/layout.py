"""Cells become units that are grouped together, and units become blocks that one worker takes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.scale.book import Book
from shoal.scale.job import Strata, joined
from shoal.scale.pieces import sorted_by
from shoal.scale.tally import COUNT, Tally
from shoal.scale.tree import grow

FLOOR = 8  # a unit holds at least this part of a full one, if its stratum does

Unit = list[int]
Codes = NDArray[np.int64]


def open_strata(tally: Tally, columns: Sequence[str]) -> tuple[Strata, Codes]:
    """Return the strata, in the order of their values and without cuts, and their records."""
    if not columns:
        return Strata((), (), np.zeros(1, np.int64), ()), np.array([tally.records])
    strata: pa.Table = tally.strata
    values = [_values(strata, name) for name in columns]
    number = joined(strata, columns, values)
    order = np.argsort(number)
    counts = strata.column(COUNT).to_numpy()[order]
    return Strata(list(columns), values, number[order], ()), counts


def cut_strata(tally: Tally, book: Book, strata: Strata, counts: Codes, most: int) -> Strata:
    """Return the strata with cuts into cells of about ``most`` records.

    Parameters
    ----------
    tally : Tally
        What was counted of the whole table, with the sample.
    book : Book
        How columns are read.
    strata : Strata
        The strata; those that were merged are cut together.
    counts : ndarray of shape (n_strata,)
        Records of each, before they were merged.
    most : int
        Records in a cell.

    Returns
    -------
    Strata
        The strata with their cuts.
    """
    sample = tally.sample
    assert sample is not None  # there are at least k records
    Z, weights = book.space(sample.table, book.read(sample.table)), sample.weights
    if strata.merged is not None:
        counts = np.bincount(strata.merged.into, counts).astype(np.int64)
    of = strata.of(sample.table)
    trees = []
    for at, count in enumerate(counts):
        inside = of == at
        trees.append(grow(Z[inside], most, weights[inside] if count > most else None))
    return replace(strata, trees=trees)


def units_of(
    cells_of: Sequence[Sequence[int]], records: Mapping[int, int], k: int, most: int
) -> list[Unit]:
    """Join cells with the next ones until none is too small; units never cross a stratum.

    Parameters
    ----------
    cells_of : list of list of int
        The cells of each stratum, near ones side by side.
    records : dict
        Exact number of records in each cell.
    k : int
        Least number of records in a group.
    most : int
        Records in a cell, by the sample.

    Returns
    -------
    list of list of int
        The cells of each unit, at least k records in all.
    """
    floor = max(k, most // FLOOR)
    found: list[Unit] = []
    for cells in cells_of:
        inside: list[Unit] = [[]]
        for cell in cells:
            if sum(records.get(one, 0) for one in inside[-1]) >= floor:
                inside.append([])
            inside[-1].append(cell)
        if len(inside) > 1 and sum(records.get(one, 0) for one in inside[-1]) < floor:
            last = inside.pop()
            inside[-1] += last
        found += inside
    return found


def blocks_of(units: Sequence[Unit], records: Mapping[int, int], most: int) -> list[list[Unit]]:
    """Pack units that follow each other into blocks of up to ``most`` records."""
    blocks: list[list[Unit]] = []
    held = 0
    for unit in units:
        size = sum(records.get(cell, 0) for cell in unit)
        if not blocks or held + size > most:
            blocks.append([])
            held = 0
        blocks[-1].append(unit)
        held += size
    return blocks


def _values(strata: pa.Table, name: str) -> pa.Array:
    column = strata.select([name]).group_by([name]).aggregate([]).column(name)
    return sorted_by(pa.table({name: column}), []).column(name).combine_chunks()
