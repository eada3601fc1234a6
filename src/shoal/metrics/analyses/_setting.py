"""The input of all analyses: columns of both tables, weights and options."""

from dataclasses import dataclass, replace
from zlib import crc32

import numpy as np

from shoal.metrics._array_types import Rows, Values
from shoal.metrics.analyses._column_pairs import SIDES, ColumnPair, Side


@dataclass(frozen=True, kw_only=True)
class AnalysisOptions:
    """Options of a run of analyses.

    Parameters
    ----------
    n_resamples : int
        Number of bootstrap samples.
    n_queries : int
        Number of random queries.
    max_records : int
        Maximum number of records of the sample that propensity scores and predictions use.
    min_group : int
        Minimum number of records of a group that may be shown.
    seed : int
        Seed of all random numbers.
    n_jobs : int
        Number of threads.
    """

    n_resamples: int
    n_queries: int
    max_records: int
    min_group: int
    seed: int
    n_jobs: int


@dataclass(frozen=True, eq=False)
class AnalysisSetting:
    """Tables and options of a run of analyses.

    Parameters
    ----------
    pairs : dict of str to ColumnPair
        Columns of both tables by name.
    columns : tuple of str
        Columns to analyse, without the weights.
    targets : tuple of str
        Columns to predict from the others.
    formulas : tuple of str
        Regression models.
    weights : dict of str to ndarray, optional
        Survey weights of each table.
    aligned : bool
        Whether both tables have the same records in the same order.
    options : AnalysisOptions
        Options of the analyses.
    """

    pairs: dict[str, ColumnPair]
    columns: tuple[str, ...]
    targets: tuple[str, ...]
    formulas: tuple[str, ...]
    weights: dict[Side, Values] | None
    aligned: bool
    options: AnalysisOptions

    @property
    def selected_pairs(self) -> list[ColumnPair]:
        """The columns to analyse."""
        return [self.pairs[name] for name in self.columns]

    @property
    def numeric_pairs(self) -> list[ColumnPair]:
        """The numeric columns to analyse."""
        return [pair for pair in self.selected_pairs if pair.kind == "number"]

    def size(self, side: Side) -> int:
        """Return the number of records of a table."""
        return len(next(iter(self.pairs.values())).values_of(side))

    def weights_of(self, side: Side) -> Values:
        """Return the weights of a table, which are all 1 without a column of weights."""
        return np.ones(self.size(side)) if self.weights is None else self.weights[side]

    def rng(self, purpose: str) -> np.random.Generator:
        """Return a separate generator for each purpose, so that analyses are independent."""
        return np.random.default_rng([self.options.seed, crc32(purpose.encode())])

    def select_rows(self, original_rows: Rows, masked_rows: Rows) -> "AnalysisSetting":
        """Return the setting for the given rows of each table."""
        pairs = {name: pair.take(original_rows, masked_rows) for name, pair in self.pairs.items()}
        weights = self.weights
        if weights is not None:
            weights = {
                "original": weights["original"][original_rows],
                "masked": weights["masked"][masked_rows],
            }
        return replace(self, pairs=pairs, weights=weights)

    def sample(self, purpose: str) -> "AnalysisSetting":
        """Return the setting for at most ``max_records`` random records of each table."""
        max_records = self.options.max_records
        rng = self.rng(f"{purpose}, sample")
        if all(self.size(side) <= max_records for side in SIDES):
            return self
        rows = []
        for side in SIDES:
            n = self.size(side)
            is_short = n <= max_records
            rows.append(
                np.arange(n) if is_short else np.sort(rng.choice(n, max_records, replace=False))
            )
        return self.select_rows(rows[0], rows[0] if self.aligned else rows[1])
