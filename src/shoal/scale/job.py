"""What every task must know, kept in a file that all workers read."""

import os
import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, wraps
from itertools import pairwise
from pathlib import Path
from typing import ParamSpec, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.errors import FileError, ShoalError
from shoal.plan.thresholds import Thresholds
from shoal.scale.book import Book
from shoal.scale.slices import appearing
from shoal.scale.tree import Tree
from shoal.steps import Microaggregate

P = ParamSpec("P")
R = TypeVar("R")
Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Merged:
    """What became of strata of fewer than k records.

    Parameters
    ----------
    into : ndarray of shape (n_strata,)
        The number of what each stratum is part of now.
    shown : ndarray of shape (n_strata,)
        The stratum whose values its records show.
    """

    into: Codes
    shown: Codes


@dataclass(frozen=True, eq=False)
class Strata:
    """The strata of a table, each with its cuts.

    Parameters
    ----------
    columns : list of str
        The columns whose values make them; none where the table is not split.
    values : list of pyarrow.Array
        The different values of each column.
    numbers : ndarray of shape (n_strata,)
        The places of its values as one number, of each stratum; ascending.
    trees : list of Tree
        The cuts of each stratum; of small ones that were merged, those of all together.
    merged : Merged, optional
        What became of strata that were too small.
    """

    columns: Sequence[str]
    values: Sequence[pa.Array]
    numbers: Codes
    trees: Sequence[Tree]
    merged: Merged | None = None

    @property
    def starts(self) -> Codes:
        """The number of the first cell of each stratum; a cell is a leaf of its cuts."""
        return np.cumsum([0, *(tree.n_leaves for tree in self.trees)])

    @property
    def of_each(self) -> list[list[int]]:
        """The cells of each stratum."""
        starts = self.starts.tolist()
        return [list(range(start, stop)) for start, stop in pairwise(starts)]

    def of(self, table: pa.Table) -> Codes:
        """Return the stratum of each record; merged ones are one."""
        own = np.searchsorted(self.numbers, self.joined(table))
        return own if self.merged is None else self.merged.into[own]

    def shown(self, table: pa.Table) -> pa.Table:
        """Return records with the values that they show in the columns of strata."""
        if self.merged is None:
            return table
        own = np.searchsorted(self.numbers, self.joined(table))
        places = self.places(self.numbers[self.merged.shown[own]])
        for name, known, place in zip(self.columns, self.values, places, strict=True):
            at = table.column_names.index(name)
            values = known.take(pa.array(place)).cast(table.schema.field(at).type)
            table = table.set_column(at, table.schema.field(at), values)
        return table

    def places(self, number: Codes) -> list[Codes]:
        """Return the places of the values in each column that a number stands for."""
        found: list[Codes] = []
        for known in reversed(self.values):
            number, place = np.divmod(number, len(known) + 1)
            found.insert(0, place)
        return found

    def joined(self, table: pa.Table) -> Codes:
        """Return the places of the values of each record as one number."""
        return joined(table, self.columns, self.values)

    def cells(self, table: pa.Table, Z: NDArray[np.float64]) -> Codes:
        """Return the cell of each record."""
        stratum, starts = self.of(table), self.starts
        found = np.full(len(Z), -1)
        for at in np.unique(stratum):
            rows = np.flatnonzero(stratum == at)
            found[rows] = starts[at] + self.trees[at].leaves(Z[rows])
        return found


def joined(table: pa.Table, columns: Sequence[str], values: Sequence[pa.Array]) -> Codes:
    """Return one number per record for the places of its values among all values."""
    number = np.zeros(len(table), np.int64)
    for name, known in zip(columns, values, strict=True):
        array = table.column(name).combine_chunks()
        place = pc.index_in(array, value_set=known, skip_nulls=False)
        number = number * (len(known) + 1) + place.to_numpy(zero_copy_only=False)
    return number


@dataclass(frozen=True, eq=False)
class Job:
    """What is done to the records of a large table, after the first pass over it.

    Parameters
    ----------
    step : Microaggregate
        The step.
    book : Book
        How columns are read.
    strata : Strata
        Where records belong.
    released : pyarrow.Schema
        What leaves, with its types.
    known : list of str
        Columns that an attacker may know.
    confidential : list of str
        Confidential columns.
    needed : list of str
        Columns whose missing values drop a record.
    n_parts : int
        Number of files of the release.
    asked : float
        Share of the records that an attacker looks for.
    seed : int
        Which records these are.
    thresholds : Thresholds
        From where on figures become findings.
    """

    step: Microaggregate
    book: Book
    strata: Strata
    released: pa.Schema
    known: Sequence[str]
    confidential: Sequence[str]
    needed: Sequence[str]
    n_parts: int
    asked: float
    seed: int
    thresholds: Thresholds

    @property
    def others(self) -> list[str]:
        """The columns that leave unchanged and are neither strata, confidential nor weights."""
        apart = (*self.known, *self.confidential, self.step.weight)
        return [name for name in self.released.names if name not in apart]

    @property
    def columns(self) -> list[str]:
        """The columns to read: those that leave, and the weights."""
        names = [*self.released.names, *([] if self.step.weight is None else [self.step.weight])]
        return list(dict.fromkeys(names))


def save_job(job: Job, path: Path) -> None:
    """Keep a job where workers find it."""
    with appearing(path) as part:
        part.write_bytes(pickle.dumps(job))


@lru_cache(maxsize=1)
def load_job(path: str) -> Job:
    """Return a job; a worker reads it once."""
    job: Job = pickle.loads(Path(path).read_bytes())
    return job


def task(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function run on a worker: what the disk refuses is said clearly, memory given back."""

    @wraps(function)
    def run(*arguments: P.args, **options: P.kwargs) -> R:
        try:
            return function(*arguments, **options)
        except ShoalError:
            raise
        except OSError as error:
            reason = (os.strerror(error.errno) if error.errno else "the disk said no").lower()
            raise FileError(
                f"A worker could not write: {reason}. Nothing was released.", code="cannot-write"
            ) from None
        finally:
            pa.default_memory_pool().release_unused()

    return run


def counted(sizes: NDArray[np.int64]) -> Mapping[int, int]:
    """Return how many groups or classes there are of each size."""
    size, number = np.unique(sizes, return_counts=True)
    return dict(zip(size.tolist(), number.tolist(), strict=True))
