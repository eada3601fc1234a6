"""Random columns: ties, duplicates, constants, extremes, missing values, text that misleads.

Values are drawn so that a leak shows: unusual ones are planted and searched for in messages.
"""

import datetime as dt
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Rng = np.random.Generator
Values = list[Any]

MARK = "Qz9"  # begins every ordinary word of the tables
NUMBER = 73918465  # planted among numbers
DAY = dt.date(1873, 11, 29)  # planted among dates
TELLTALES = (MARK, "7391846", "1873-11-29")  # no message may hold one of these

MISLEADING = (
    "yes", "yes ", " yes", "Yes", "", "NA", "nan", "None", "1", "1.0", "01", "-0", "1e3", "TRUE",
    "ä", "日本", "=1+1", "-", ".", "a,b", 'a"b', "a;b", "a\tb", "two\nlines", "x" * 300, "'", "\\N",
)  # fmt: skip

CONFUSABLE = ("yes", "yes ", "no", "no ", "")  # some formats do not tell these apart


@dataclass(frozen=True)
class Column:
    """A column as plain Python values, None where one is missing.

    Parameters
    ----------
    name : str
        Its name.
    kind : str
        ``"float"``, ``"whole"``, ``"text"``, ``"category"``, ``"ordered"``, ``"boolean"``,
        ``"date"`` or ``"moment"``.
    values : list
        The values.
    """

    name: str
    kind: str
    values: Values

    @property
    def numeric(self) -> bool:
        """Whether the column holds numbers."""
        return self.kind in ("float", "whole")

    @property
    def missing(self) -> int:
        """How many values are missing."""
        return sum(value is None for value in self.values)

    @property
    def distinct(self) -> list[Any]:
        """The different values, in the order of their first record."""
        return list(dict.fromkeys(value for value in self.values if value is not None))


def _floats(rng: Rng, n: int) -> Values:
    kinds: list[Callable[[], Any]] = [
        lambda: rng.normal(size=n),
        lambda: rng.normal(size=n),
        lambda: rng.normal(50, 20, size=n).round(2),
        lambda: rng.integers(0, 4, n) / 10,
        lambda: np.repeat(rng.normal(size=n), 5)[:n],
        lambda: np.full(n, rng.normal()),
        lambda: np.exp(rng.normal(10, 2, n)),
        lambda: rng.standard_cauchy(n) ** 3,
        lambda: rng.normal(size=n) * 10.0 ** rng.choice([140, 200, 290, 299]),
        lambda: rng.normal(size=n) * 10.0 ** -rng.choice([100, 161, 200, 308, 320]),
        lambda: 1e9 + rng.normal(size=n),
        lambda: rng.normal() + 1e-9 * rng.normal(size=n),
        lambda: rng.choice([0.0, -0.0, 1.0], n),
        lambda: rng.normal(size=n) + 1e12 * (np.arange(n) == 1),
        lambda: rng.integers(1, 9, n) * 0.1,
    ]
    weights = np.array([6, 6, 6, 4, 3, 1, 3, 1, 1, 1, 1, 1, 1, 1, 2], float)
    values = kinds[rng.choice(len(kinds), p=weights / weights.sum())]().tolist()
    if rng.random() < 0.01:
        values[rng.integers(n)] = math.inf
    if rng.random() < 0.2:
        values[rng.integers(n)] = NUMBER + 0.25
    return list(values)


def _whole(rng: Rng, n: int) -> Values:
    kinds: list[Callable[[], Any]] = [
        lambda: rng.integers(0, 3, n),
        lambda: rng.integers(18, 90, n),
        lambda: rng.integers(-100, 100, n),
        lambda: np.full(n, 7),
        lambda: rng.integers(0, 10**6, n),
        lambda: 2**53 - rng.integers(1, 4, n),
        lambda: rng.integers(-(2**62), 2**62, n),
        lambda: np.arange(n),
    ]
    weights = np.array([6, 6, 4, 1, 3, 0.5, 0.3, 1], float)
    values = kinds[rng.choice(len(kinds), p=weights / weights.sum())]().tolist()
    if rng.random() < 0.2:
        values[rng.integers(n)] = NUMBER
    return list(values)


def _words(rng: Rng, n: int) -> Values:
    number = int(rng.choice([1, 2, 3, 4, 8, n], p=[0.05, 0.25, 0.25, 0.2, 0.15, 0.1]))
    draw = rng.random()
    if draw > 0.85:
        pool = list(CONFUSABLE[: max(2, number)])
    elif draw < 0.3:
        pool = rng.choice(MISLEADING, min(number, len(MISLEADING)), replace=False).tolist()
    else:
        pool = [f"{MARK}{chr(97 + at % 26)}{at // 26 or ''}" for at in range(number)]
    return [pool[at] for at in rng.integers(0, len(pool), n)]


def _booleans(rng: Rng, n: int) -> Values:
    return (rng.random(n) < rng.choice([0.0, 0.1, 0.5])).tolist()


def _dates(rng: Rng, n: int) -> Values:
    width = int(rng.choice([1, 5, 400, 30000]))
    days = [dt.date(1950, 1, 1) + dt.timedelta(int(d)) for d in rng.integers(0, width, n)]
    if rng.random() < 0.2:
        days[rng.integers(n)] = DAY
    return list(days)


def _moments(rng: Rng, n: int) -> Values:
    start = dt.datetime(1970, 1, 2, 3, 4, 5)
    unit = rng.choice(["days", "hours", "seconds", "milliseconds", "microseconds"])
    steps = rng.integers(0, int(rng.choice([2, 50, 10**6])), n)
    if unit == "days":
        steps = steps % 20000
    return [start + dt.timedelta(**{str(unit): int(step)}) for step in steps]


KINDS: dict[str, tuple[float, Callable[[Rng, int], Values]]] = {
    "float": (5, _floats),
    "whole": (5, _whole),
    "text": (3, _words),
    "category": (1.5, _words),
    "ordered": (1, _words),
    "boolean": (1, _booleans),
    "date": (1, _dates),
    "moment": (0.7, _moments),
}
MISSING = (0.0, 0.05, 0.3, 1.0)  # shares of values that are missing
MISSING_WEIGHTS = (0.72, 0.15, 0.12, 0.01)


def draw_column(rng: Rng, name: str, n: int, kinds: tuple[str, ...] = tuple(KINDS)) -> Column:
    """Draw a column of one of some kinds."""
    weights = np.array([KINDS[kind][0] for kind in kinds])
    kind = kinds[rng.choice(len(kinds), p=weights / weights.sum())]
    values = KINDS[kind][1](rng, n)
    share = rng.choice(MISSING, p=MISSING_WEIGHTS)
    is_missing = rng.random(n) < share
    return Column(
        name, kind, [None if out else v for v, out in zip(values, is_missing, strict=True)]
    )


NAMES = ("age", "wage", "height", "region", "sex", "job", "school", "born", "seen")
ODD_NAMES = ("a b", "ä", "k", "0", "x.y", "class", "index", "COUNT", "_n", "value")
LENGTHS = (1025, 1030, 2050)  # just above the blocks of the neighbour index


def draw_columns(rng: Rng, *, odd_names: bool = True) -> list[Column]:
    """Draw a table: mostly 2 to 60 records and two to seven columns."""
    n = int(rng.choice(LENGTHS)) if rng.random() < 0.01 else int(rng.integers(2, 61))
    names = list(rng.permutation(NAMES))[: int(rng.integers(2, 8))]
    if rng.random() < 0.15 and odd_names:
        names[0] = str(rng.choice(ODD_NAMES))
    columns = [draw_column(rng, str(name), n) for name in names]
    if rng.random() < 0.3:  # records that occur several times
        source = rng.integers(0, max(1, n // 2), n)
        columns = [Column(c.name, c.kind, [c.values[at] for at in source]) for c in columns]
    return [*columns, *_survey_columns(rng, n)]


def _survey_columns(rng: Rng, n: int) -> list[Column]:
    """Draw weights, households and persons with several records, each for some tables."""
    columns = []
    if rng.random() < 0.15:
        persons = np.sort(rng.integers(0, max(2, int(n / rng.choice([1.5, 3, 6]))), n))
        persons = persons if rng.random() < 0.3 else rng.permutation(persons)
        texts = [f"{MARK}p{person}" for person in persons]
        columns.append(Column("person", "text", texts) if rng.random() < 0.5
                     else Column("person", "whole", persons.tolist()))  # fmt: skip
    if rng.random() < 0.1:
        weights = np.exp(rng.normal(size=n)) if rng.random() < 0.7 else rng.integers(1, 4, n)
        columns.append(Column("w", "float", weights.astype(float).tolist()))
    if rng.random() < 0.08:
        houses = rng.integers(0, max(2, n // 2), n)
        texts = [f"{MARK}h{house}" for house in houses]
        columns.append(Column("hh", "text", texts) if rng.random() < 0.5
                     else Column("hh", "whole", houses.tolist()))  # fmt: skip
    return columns
