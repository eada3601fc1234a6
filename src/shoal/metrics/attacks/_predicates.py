"""Predicates: conditions on columns, read off released records or drawn at random."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal import _progress as progress
from shoal._kernels.predicates import AT_LEAST, AT_MOST, EQUAL, NO_CONDITION, count_matches
from shoal.metrics._base import Labels, Matrix
from shoal.metrics.attacks._setting import Setting
from shoal.metrics.attacks._tables import Column

TRIES = 20  # predicates to try for each one that is wanted
FEWER_TRIES = 5  # in long tables
LONG = 100_000  # classes
STRIDE = 500  # predicates tried at a time
CHUNK = 50  # predicates that a thread evaluates at a time


@dataclass(frozen=True, eq=False)
class Predicates:
    """Conjunctions of conditions on columns, one a row.

    Parameters
    ----------
    columns : ndarray of shape (n_predicates, n_conditions)
        Column of each condition; `NO_CONDITION` where a predicate has fewer.
    operators : ndarray of shape (n_predicates, n_conditions)
        `EQUAL`, `AT_MOST` or `AT_LEAST`.
    values : ndarray of shape (n_predicates, n_conditions)
        Value that the column is compared with.
    """

    columns: Labels
    operators: Labels
    values: Matrix

    def __len__(self) -> int:
        return len(self.columns)

    def take(self, rows: NDArray[np.generic]) -> "Predicates":
        """Return some of the predicates."""
        return Predicates(self.columns[rows], self.operators[rows], self.values[rows])

    def count(self, table: Matrix, n_jobs: int) -> Labels:
        """Return how many records of a table meet each predicate, counting to 2."""
        counts = np.zeros(len(self), np.int64)

        def evaluate(start: int) -> None:
            part = slice(start, start + CHUNK)
            parts = self.columns[part], self.operators[part], self.values[part]
            count_matches(table, *parts, 2, counts[part])

        with ThreadPoolExecutor(n_jobs) as pool:
            list(pool.map(evaluate, range(0, len(self), CHUNK)))
        return counts


def concatenate(predicates: Predicates, other: Predicates) -> Predicates:
    """Return the predicates of both."""
    width = max(predicates.columns.shape[1], other.columns.shape[1])

    def padded(part: NDArray[np.generic], filling: float) -> NDArray[np.generic]:
        extra = ((0, 0), (0, width - part.shape[1]))
        return np.pad(part, extra, constant_values=filling)

    parts = [
        [padded(p.columns, NO_CONDITION), padded(p.operators, EQUAL), padded(p.values, 0)]
        for p in (predicates, other)
    ]
    return Predicates(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def rare_values(setting: Setting, names: Sequence[str]) -> Predicates:
    """Return predicates of one column that match a single class of released records."""
    members = setting.classes(names)
    columns, operators, values = [], [], []
    for i, name in enumerate(names):
        column = setting.tables.released[name][members.first].astype(np.float64)
        distinct, occurrences = np.unique(column, return_counts=True)  # NaN counts as one value
        rare = distinct[occurrences == 1]
        sides = [EQUAL] * len(rare)
        if setting.tables.is_number(name):
            known = np.flatnonzero(~np.isnan(distinct))
            for operator, edge in ((AT_MOST, known[:1]), (AT_LEAST, known[-1:])):
                unique_values = edge[occurrences[edge] == 1]
                rare = np.append(rare, distinct[unique_values])
                sides += [operator] * len(unique_values)
        columns.append(np.full(len(rare), i))
        operators.append(np.array(sides, np.int64))
        values.append(rare)
    parts = (np.concatenate(part)[:, np.newaxis] for part in (columns, operators, values))
    return Predicates(*parts)


def from_records(
    setting: Setting,
    name: str,
    names: tuple[str, ...],
    width: int,
    number: int,
    rng: np.random.Generator,
) -> tuple[Predicates, int]:
    """Return predicates of released records that match one class, and how many were tried."""
    table = matrix(setting.tables.released, names, setting.classes(names).first)
    is_number = np.array([setting.tables.is_number(column) for column in names])
    medians = np.array([_median(column) for column in table.T])
    none = np.zeros((0, width), np.int64)
    predicates = Predicates(none, none, none.astype(np.float64))
    tries, most = 0, (TRIES if len(table) < LONG else FEWER_TRIES) * number
    while len(predicates) < number and tries < most:
        n = min(STRIDE, most - tries)
        columns = _random_columns(len(names), width, n, rng)
        values = table[rng.integers(len(table), size=n)[:, np.newaxis], columns]
        sides = np.where(values > medians[columns], AT_LEAST, AT_MOST)
        sides[~is_number[columns] | np.isnan(values)] = EQUAL
        drawn = Predicates(columns, sides, values)
        before = len(predicates)
        predicates = _drop_duplicates(
            concatenate(predicates, drawn.take(drawn.count(table, setting.n_jobs) == 1))
        )
        tries += n
        progress.report(f"attacks: {name}", min(len(predicates), number), number)
        if len(predicates) == before and len(table) < STRIDE:
            break  # a short table has no others
    return predicates.take(np.arange(min(number, len(predicates)))), tries


def random_predicates(
    setting: Setting, names: tuple[str, ...], width: int, rng: np.random.Generator
) -> Predicates:
    """Return predicates with random columns and operators, and values of random records."""
    released, n = setting.tables.released, setting.n_attacks
    columns = _random_columns(len(names), width, n, rng)
    rows = rng.integers(setting.n_released, size=columns.shape)
    values = np.empty(columns.shape)
    sides = rng.choice([AT_MOST, AT_LEAST], size=columns.shape)
    for i, name in enumerate(names):
        in_column = columns == i
        values[in_column] = released[name][rows[in_column]]
        if not setting.tables.is_number(name):
            sides[in_column] = EQUAL
    return Predicates(columns, sides, values)


def matrix(table: dict[str, Column], names: Sequence[str], rows: Labels | None = None) -> Matrix:
    """Return columns as a matrix of float64, column by column in memory."""
    columns = [table[name] if rows is None else table[name][rows] for name in names]
    return np.asfortranarray(np.column_stack(columns), np.float64)


def _median(column: Matrix) -> float:
    known = column[~np.isnan(column)]
    return float(np.median(known)) if len(known) else np.nan


def _random_columns(number: int, width: int, n: int, rng: np.random.Generator) -> Labels:
    """Return ``width`` different columns in ascending order for each of n predicates."""
    return np.sort(np.argsort(rng.random((n, number)), axis=1)[:, :width], axis=1)


def _drop_duplicates(predicates: Predicates) -> Predicates:
    """Return each predicate once, in the order of the first of its kind."""
    parts = predicates.columns, predicates.operators, predicates.values
    rows = np.ascontiguousarray(np.column_stack([part.astype(np.float64) for part in parts]))
    key = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
    return predicates.take(np.sort(np.unique(key, return_index=True)[1]))
