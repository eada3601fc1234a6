"""Each value changes places with one of nearly the same rank."""

from collections.abc import Mapping, Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from shoal._kernels.rank_swap import partners
from shoal._params import Above, Between, RandomState
from shoal.errors import InputError
from shoal.frame import tables
from shoal.frame.tables import Frame, RowGather
from shoal.frame.types import Type
from shoal.steps._step import Outcome, Step, named


class RankSwap(Step):
    """Let each value change places with one whose rank is near, column by column [Mo96]_.

    The values of a column are ranked, equal ones in random order. From the lowest on,
    each that has not changed places yet does so with one of the next p per cent, any
    of them being equally likely. The distribution of each column stays exactly as it
    is, and no value moves by more ranks than p per cent of the records.

    Nothing is promised about persons: who knows several columns of somebody may find
    the record by looking near by, as `linkage` shows.

    Parameters
    ----------
    columns : list of str
        Columns to mask, all numeric.
    percent : float
        Greatest difference of two ranks that change places, in per cent of the
        records, above 0 and at most 100.
    random_state : int, Generator, RandomState or None
        Seed of the draws; where None, one is drawn and noted in the release's plan.

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
        self.columns = named(columns)
        self.percent = percent
        self.random_state = random_state
        self._settle()

    @property
    def guarantee(self) -> str:
        """What the step promises, in sentences for the report."""
        return (
            f"Each value changed places with one at most {self.percent:g} % of the ranks away. That"
            " hinders who looks for a person and promises nothing."
        )

    def apply(
        self, frame: Frame, confidential: Sequence[str], types: Mapping[str, Type] | None = None
    ) -> Outcome:
        """Return the masked values of ``frame``."""
        del confidential, types
        X = tables.matrix(frame, self.columns)
        window = int(self.percent * len(X) / 100 + 1e-9)
        if window < 1:
            raise InputError(
                f"percent={self.percent:g} of {len(X)} records is less than one rank, so no value"
                f" would move. Ask for at least {100 / len(X):.4g}.",
                code="no-value-moves",
                percent=self.percent,
            )
        rng, no_hole = np.random.default_rng(self.random_state), np.zeros(len(X), bool)
        return Outcome(
            {
                name: RowGather(swap_ranks(column, window, rng), no_hole)
                for name, column in zip(self.columns, X.T, strict=True)
            }
        )


def swap_ranks(
    column: NDArray[np.float64], window: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return for each record the one whose value it gets, at most ``window`` ranks away."""
    order = np.lexsort((rng.random(len(column)), column))
    source = np.empty(len(column), np.int64)
    source[order] = order[partners(window, rng.random(len(column)))]
    return source
