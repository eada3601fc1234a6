"""Predicates: conditions on columns, taken from released records or drawn at random."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from shoal import _progress as progress
from shoal._kernels.predicate_counts import AT_LEAST, AT_MOST, EQUAL, NO_CONDITION, count_matches
from shoal.metrics._array_types import AnyValues, Codes, Counts, Mask, Matrix, Rows
from shoal.metrics.attacks._setting import AttackSetting
from shoal.metrics.attacks._tables import Column

TRIES_PER_PREDICATE = 20  # predicates tried, at most, for each predicate wanted
TRIES_PER_PREDICATE_IN_LONG_TABLE = 5  # fewer, since each try takes time proportional to the length
LONG_TABLE = 100_000  # a table with at least this many released classes is long
STRIDE = 500  # predicates tried at a time
CHUNK = 50  # predicates that a thread evaluates at a time


@dataclass(frozen=True, eq=False)
class Predicates:
    """Conjunctions of conditions on columns, one in each row.

    Parameters
    ----------
    columns : ndarray of shape (n_predicates, n_conditions)
        Column of each condition, or `NO_CONDITION` if a predicate has fewer conditions.
    operators : ndarray of shape (n_predicates, n_conditions)
        `EQUAL`, `AT_MOST` or `AT_LEAST`.
    values : ndarray of shape (n_predicates, n_conditions)
        Value that the column is compared with.
    """

    columns: Codes
    operators: Codes
    values: Matrix

    def __len__(self) -> int:
        return len(self.columns)

    def take(self, rows: Rows | Mask) -> "Predicates":
        """Return the predicates in the given rows."""
        return Predicates(self.columns[rows], self.operators[rows], self.values[rows])

    def count(self, table: Matrix, n_jobs: int) -> Counts:
        """Return for each predicate how many records of a table meet it; 2 means several."""
        counts = np.zeros(len(self), np.int64)

        def evaluate(start: int) -> None:
            chunk = slice(start, start + CHUNK)
            conditions = (self.columns[chunk], self.operators[chunk], self.values[chunk])
            count_matches(table, *conditions, 2, counts[chunk])

        with ThreadPoolExecutor(n_jobs) as pool:
            list(pool.map(evaluate, range(0, len(self), CHUNK)))
        return counts


def concatenate(first: Predicates, second: Predicates) -> Predicates:
    """Return the predicates of both, padded to the same number of conditions."""
    n_conditions = max(first.columns.shape[1], second.columns.shape[1])

    def pad(array: AnyValues, fill_value: float) -> AnyValues:
        padding = ((0, 0), (0, n_conditions - array.shape[1]))
        return np.pad(array, padding, constant_values=fill_value)

    padded_arrays = [
        [pad(p.columns, NO_CONDITION), pad(p.operators, EQUAL), pad(p.values, 0)]
        for p in (first, second)
    ]
    return Predicates(*(np.concatenate(arrays) for arrays in zip(*padded_arrays, strict=True)))


def rare_value_predicates(setting: AttackSetting, names: Sequence[str]) -> Predicates:
    """Return predicates of one column that match a single class of released records.

    These are equality with a value that only one class has, and ``AT_MOST`` the smallest and
    ``AT_LEAST`` the largest number, if only one class has this number.
    """
    released_classes = setting.classes(names)
    columns, operators, values = [], [], []
    for i, name in enumerate(names):
        column = setting.tables.released[name][released_classes.representatives].astype(np.float64)
        distinct, occurrences = np.unique(column, return_counts=True)  # NaN counts as one value
        column_values = distinct[occurrences == 1]
        column_operators = [EQUAL] * len(column_values)
        if setting.tables.is_quantitative(name):
            numbers = np.flatnonzero(~np.isnan(distinct))
            for operator, extreme in ((AT_MOST, numbers[:1]), (AT_LEAST, numbers[-1:])):
                unique_extreme = extreme[occurrences[extreme] == 1]
                column_values = np.append(column_values, distinct[unique_extreme])
                column_operators += [operator] * len(unique_extreme)
        columns.append(np.full(len(column_values), i))
        operators.append(np.array(column_operators, np.int64))
        values.append(column_values)
    arrays = (np.concatenate(chunks)[:, np.newaxis] for chunks in (columns, operators, values))
    return Predicates(*arrays)


def predicates_from_records(
    setting: AttackSetting,
    attack_name: str,
    columns: tuple[str, ...],
    n_conditions: int,
    n_wanted: int,
    rng: np.random.Generator,
) -> tuple[Predicates, int]:
    """Return predicates taken from released records that match one class, and how many were tried.

    A category becomes the condition ``EQUAL``. A number becomes ``AT_LEAST`` if it is above the
    median of its column, and ``AT_MOST`` otherwise.
    """
    table = as_matrix(setting.tables.released, columns, setting.classes(columns).representatives)
    is_quantitative = np.array([setting.tables.is_quantitative(name) for name in columns])
    medians = np.array([_median(column) for column in table.T])
    no_columns = np.zeros((0, n_conditions), np.int64)
    predicates = Predicates(no_columns, no_columns, no_columns.astype(np.float64))
    is_long = len(table) >= LONG_TABLE
    tries_per_predicate = TRIES_PER_PREDICATE_IN_LONG_TABLE if is_long else TRIES_PER_PREDICATE
    max_tries = tries_per_predicate * n_wanted
    n_tries = 0
    while len(predicates) < n_wanted and n_tries < max_tries:
        n_drawn = min(STRIDE, max_tries - n_tries)
        drawn_columns = _random_columns(len(columns), n_conditions, n_drawn, rng)
        values = table[rng.integers(len(table), size=n_drawn)[:, np.newaxis], drawn_columns]
        operators = np.where(values > medians[drawn_columns], AT_LEAST, AT_MOST)
        operators[~is_quantitative[drawn_columns] | np.isnan(values)] = EQUAL
        drawn_predicates = Predicates(drawn_columns, operators, values)
        n_before = len(predicates)
        matches_one_class = drawn_predicates.count(table, setting.options.n_jobs) == 1
        predicates = _drop_duplicates(
            concatenate(predicates, drawn_predicates.take(matches_one_class))
        )
        n_tries += n_drawn
        progress.report(f"attacks: {attack_name}", min(len(predicates), n_wanted), n_wanted)
        if len(predicates) == n_before and len(table) < STRIDE:
            break  # a short table probably has no further predicates
    return predicates.take(np.arange(min(n_wanted, len(predicates)))), n_tries


def random_predicates(
    setting: AttackSetting, names: tuple[str, ...], n_conditions: int, rng: np.random.Generator
) -> Predicates:
    """Return predicates with random columns and operators, and values of random records."""
    released = setting.tables.released
    columns = _random_columns(len(names), n_conditions, setting.options.n_attacks, rng)
    rows = rng.integers(setting.n_released, size=columns.shape)
    values = np.empty(columns.shape)
    operators = rng.choice([AT_MOST, AT_LEAST], size=columns.shape)
    for i, name in enumerate(names):
        in_column = columns == i
        values[in_column] = released[name][rows[in_column]]
        if not setting.tables.is_quantitative(name):
            operators[in_column] = EQUAL
    return Predicates(columns, operators, values)


def as_matrix(table: dict[str, Column], names: Sequence[str], rows: Rows | None = None) -> Matrix:
    """Return columns as a matrix of float64 with contiguous columns."""
    columns = [table[name] if rows is None else table[name][rows] for name in names]
    return np.asfortranarray(np.column_stack(columns), np.float64)


def _median(column: Matrix) -> float:
    present_values = column[~np.isnan(column)]
    return float(np.median(present_values)) if len(present_values) else np.nan


def _random_columns(
    n_columns: int, n_conditions: int, n_predicates: int, rng: np.random.Generator
) -> Codes:
    """Return ``n_conditions`` different columns in ascending order for each predicate."""
    return np.sort(
        np.argsort(rng.random((n_predicates, n_columns)), axis=1)[:, :n_conditions], axis=1
    )


def _drop_duplicates(predicates: Predicates) -> Predicates:
    """Return each predicate once, in the order of first occurrence."""
    arrays = predicates.columns, predicates.operators, predicates.values
    rows = np.ascontiguousarray(np.column_stack([array.astype(np.float64) for array in arrays]))
    keys = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
    return predicates.take(np.sort(np.unique(keys, return_index=True)[1]))
