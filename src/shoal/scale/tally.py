"""One pass over the table: moments, values and a sample, all exact and in no order."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.frame import tables
from shoal.scale.exact import UNIT, exact_squares, exact_sum
from shoal.scale.keys import content_keys
from shoal.scale.pieces import Piece, batches
from shoal.scale.sample import Sample
from shoal.scale.weights import Units, Weighed, Weights, joined_weights, weigh

GREATEST = 1e150  # beyond it, squares do not fit into a float64
MOST_VALUES = 100_000  # different values of a column that is no number, or of strata
COUNT = "\0count"  # a name that no column has


@dataclass(frozen=True)
class Moments:
    """Exact moments of a column of numbers.

    Parameters
    ----------
    known : int
        Number of values that are there.
    holes : int
        Number of missing ones.
    total, squares : int
        Sum of the values and of their squares, in units of `shoal.scale.exact.UNIT`.
    least, most : float
        Their extremes.
    """

    known: int = 0
    holes: int = 0
    total: int = 0
    squares: int = 0
    least: float = math.inf
    most: float = -math.inf

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> Self:
        """Return the moments of a column; what is not a number is missing."""
        known = values[~np.isnan(values)]
        if not len(known):
            return cls(holes=len(values))
        holes = len(values) - len(known)
        sums = exact_sum(known), exact_squares(known)
        return cls(len(known), holes, *sums, float(known.min()), float(known.max()))

    def __add__(self, other: "Moments") -> "Moments":
        return Moments(
            self.known + other.known,
            self.holes + other.holes,
            self.total + other.total,
            self.squares + other.squares,
            min(self.least, other.least),
            max(self.most, other.most),
        )

    @property
    def mean(self) -> float:
        """The mean, rounded once; 0 where there are no values."""
        return float(self.total * UNIT / self.known) if self.known else 0.0

    @property
    def deviation(self) -> float:
        """The population standard deviation; 0 where all values are the same."""
        if self.least >= self.most:
            return 0.0
        variance = self.squares * UNIT / self.known - Fraction(self.total * UNIT, self.known) ** 2
        return math.sqrt(variance)


@dataclass(frozen=True, eq=False)
class Wanted:
    """What a pass over the table looks for.

    Parameters
    ----------
    numbers : list of str
        Columns of numbers.
    words : list of str
        Columns of other kinds.
    strata : list of str
        Columns that split the records.
    needed : list of str
        Columns whose missing values drop a record.
    share : float
        Share of the different records in the sample.
    seed : int
        Which records these are.
    weight : str, optional
        The column of survey weights.
    weighted : bool
        Whether weights set the units of distances.
    """

    numbers: Sequence[str]
    words: Sequence[str]
    strata: Sequence[str]
    needed: Sequence[str]
    share: float
    seed: int
    weight: str | None = None
    weighted: bool = False

    @property
    def columns(self) -> list[str]:
        """All columns that make a record what it is: equal in these, equal in the sample."""
        return [*self.numbers, *self.words, *(n for n in self.strata if n not in self.words)]


@dataclass(frozen=True, eq=False)
class Tally:
    """What was counted of some records.

    Parameters
    ----------
    records : int
        Number of records, without those dropped.
    moments : dict
        Moments of the columns of numbers.
    values : dict
        Of every other column the different values with their counts.
    strata : pyarrow.Table or None
        The different strata with their counts.
    sample : Sample or None
        Different records that were chosen by their values.
    weights : Weights
        What was counted of the survey weights.
    weighed : dict
        Of each column what its values weigh, where that sets the units of distances.
    """

    records: int = 0
    moments: Mapping[str, Moments] = field(default_factory=dict)
    values: Mapping[str, pa.Table] = field(default_factory=dict)
    strata: pa.Table | None = None
    sample: Sample | None = None
    weights: Weights = Weights()
    weighed: Mapping[str, Units | Weighed] = field(default_factory=dict)


def tally_piece(piece: Piece, wanted: Wanted) -> Tally:
    """Count the records of one piece."""
    columns = [*wanted.columns, *([] if wanted.weight is None else [wanted.weight])]
    parts = batches(piece, columns, wanted.needed)
    return merged(_tally(table, wanted) for table in parts)


def merged(tallies: Iterable[Tally]) -> Tally:
    """Return what was counted of several parts together; their order does not matter."""
    found = list(tallies)
    if len(found) == 1:
        return found[0]
    moments: dict[str, Moments] = {}
    for tally in found:
        moments |= {n: moments.get(n, Moments()) + one for n, one in tally.moments.items()}
    names = list(dict.fromkeys(name for tally in found for name in tally.values))
    counted = {
        name: _joined([t.values[name] for t in found if name in t.values], [name]) for name in names
    }
    strata = [tally.strata for tally in found if tally.strata is not None]
    samples = [tally.sample for tally in found if tally.sample is not None]
    return Tally(
        sum(tally.records for tally in found),
        moments,
        counted,
        _joined(strata, strata[0].column_names[:-1]) if strata else None,
        Sample.joined(samples) if samples else None,
        sum((tally.weights for tally in found), Weights()),
        joined_weights([tally.weighed for tally in found]),
    )


def _tally(table: pa.Table, wanted: Wanted) -> Tally:
    frame = tables.open_frame(table)
    moments = {}
    for name in wanted.numbers:
        values = tables.numbers(frame, name)
        moments[name] = Moments.of(values)
        if max(-moments[name].least, moments[name].most) > GREATEST:
            raise InputError(
                f"Column {name!r} holds values beyond {GREATEST:g}. Rescale it.",
                code="values-too-large",
                column=name,
            )
    keys = content_keys(table, wanted.columns, wanted.seed)
    seen = table.select(wanted.columns)
    weights, weighed = Weights(), {}
    if wanted.weight is not None:
        found = tables.numbers(frame, wanted.weight)
        weights = Weights.of(found)
        if wanted.weighted:
            used = np.where(found > 0, found, 0.0)  # others are refused when all are counted
            weighed = weigh(table, wanted.numbers, wanted.words, used)
    return Tally(
        len(table),
        moments,
        {name: _counted(table, [name]) for name in wanted.words},
        _counted(table, wanted.strata) if wanted.strata else None,
        Sample.of(seen, keys, wanted.share),
        weights,
        weighed,
    )


def _counted(table: pa.Table, columns: Sequence[str]) -> pa.Table:
    """Return the different values of columns with their counts; refuse too many."""
    once = pa.array(np.ones(len(table), np.int64))
    return _joined([table.select(list(columns)).append_column(COUNT, once)], columns)


def _joined(counted: Sequence[pa.Table], columns: Sequence[str]) -> pa.Table:
    both = pa.concat_tables(counted).group_by(list(columns)).aggregate([(COUNT, "sum")])
    if len(both) > MOST_VALUES:
        what = " and ".join(map(repr, columns))
        raise InputError(
            f"{what}: more than {MOST_VALUES:,} different values, too many to keep in one list."
            " Use a coarser column, or declare numbers as numeric.",
            code="too-many-values",
        )
    return both.rename_columns([*columns, COUNT])
