"""Swap values of similar rank."""

from collections.abc import Mapping, Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from shoal._kernels.rank_swap import swap_partners
from shoal._params import Above, Between, RandomState
from shoal.errors import InputError
from shoal.frame import tables
from shoal.frame.replacement import RowGather
from shoal.frame.roles import as_list
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.steps._step import Step, StepResult


class RankSwap(Step):
    """Swap each value with one of similar rank, column by column [Mo96]_.

    The values of a column are ranked, equal values in random order. In ascending order, each value
    that was not swapped yet is swapped with one of the next p per cent, all equally likely. The
    distribution of each column stays exactly as it is, and no value moves by more ranks than p
    per cent of the records.

    The step guarantees nothing about persons: an attacker who knows several columns of a person
    may recognise the record with the nearest values, as `linkage` measures.

    Parameters
    ----------
    columns : list of str
        Columns to mask, all numeric.
    percent : float
        Maximum difference between the ranks of two swapped values, in per cent of the records;
        above 0 and at most 100.
    random_state : int, Generator, RandomState or None
        Seed; if None, one is drawn and recorded in the plan of the release.

    References
    ----------
    .. [Mo96] Moore, R. A. (1996). Controlled data-swapping techniques for masking
       public use microdata sets. Research Report RR 96-04, U.S. Bureau of the Census.
    """

    name = "rank-swap"
    paper = "Mo96"

    def __init__(
        self,
        columns: Sequence[str],
        percent: Annotated[float, Above(0), Between(0, 100)],
        *,
        random_state: RandomState = None,
    ):
        self.columns = as_list(columns)
        self.percent = percent
        self.random_state = random_state
        self._validate()

    @property
    def guarantee(self) -> str:
        """What the step guarantees, in sentences for the report."""
        return (
            f"Each value was swapped with one at most {self.percent:g} % of the ranks away. That"
            " makes it harder to recognise a person and guarantees nothing."
        )

    def apply(
        self, frame: Frame, confidential: Sequence[str], types: Mapping[str, Type] | None = None
    ) -> StepResult:
        """Return the masked values of ``frame``."""
        del confidential, types
        X = tables.matrix(frame, self.columns)
        window = int(self.percent * len(X) / 100 + 1e-9)
        if window < 1:
            raise InputError(
                f"percent={self.percent:g} of {len(X):,} records is less than one rank, so no value"
                f" would move. Raise it to at least {100 / len(X):.4g}.",
                code="no-value-moves",
                percent=self.percent,
            )
        rng = np.random.default_rng(self.random_state)
        none_missing = np.zeros(len(X), bool)
        return StepResult(
            {
                name: RowGather(swap_ranks(column, window, rng), none_missing)
                for name, column in zip(self.columns, X.T, strict=True)
            }
        )


def swap_ranks(
    column: NDArray[np.float64], window: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return for each record the record whose value it gets, at most ``window`` ranks away."""
    order = np.lexsort((rng.random(len(column)), column))
    source = np.empty(len(column), np.int64)
    source[order] = order[swap_partners(window, rng.random(len(column)))]
    return source
