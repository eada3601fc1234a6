"""Values become multiples of a base."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

import numpy as np

from shoal._params import Above, RandomState
from shoal.errors import InputError
from shoal.frame import tables
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.steps._step import Outcome, Step, as_whole, named


class Round(Step):
    """Round the values of some columns to multiples of a base.

    Rounding to the nearest multiple is known to everybody [HDF12]_: it tells the value
    to half a base. Random rounding [NS72]_ goes up with a chance that is the
    distance to the multiple below, as a share of the base: right on average, and
    it tells the value to a whole base. Multiples stay as they are.

    Nothing is promised about persons: a record that was unique may still be.

    Parameters
    ----------
    columns : list of str
        Columns to mask, all numeric.
    base : float
        What the released values are multiples of, above 0.
    way : str
        To the ``"nearest"`` multiple (halves to the even one), or ``"random"`` to one of
        the two neighbours.
    random_state : int, Generator, RandomState or None
        Seed of random rounding; where None, one is drawn and noted in the release's
        plan.

    References
    ----------
    .. [HDF12] Hundepool, A., Domingo-Ferrer, J., Franconi, L., Giessing, S., Schulte
       Nordholt, E., Spicer, K. and de Wolf, P.-P. (2012). Statistical disclosure
       control. Wiley.
    .. [NS72] Nargundkar, M. S. and Saveland, W. (1972). Random-rounding to prevent
       statistical disclosures. Proceedings of the Social Statistics Section, American
       Statistical Association, 382-385.
    """

    name = "round"
    paper = "HDF12"

    def __init__(
        self,
        columns: Sequence[str],
        base: Annotated[float, Above(0)],
        *,
        way: Literal["nearest", "random"] = "nearest",
        random_state: RandomState = None,
    ):
        self.columns = named(columns)
        self.base = base
        self.way = way
        self.random_state = random_state
        self._settle()

    @property
    def draws(self) -> bool:
        """Whether rounding is random."""
        return self.way == "random"

    @property
    def guarantee(self) -> str:
        """What the step promises, in sentences for the report."""
        known = "half a base" if self.way == "nearest" else "a base"
        return (
            f"The values are multiples of {self.base:g}: each is known to {known}, and nothing is"
            " promised about persons."
        )

    def apply(
        self, frame: Frame, confidential: Sequence[str], types: Mapping[str, Type] | None = None
    ) -> Outcome:
        """Return the masked values of ``frame``."""
        del confidential, types
        with np.errstate(over="ignore"):
            units = tables.matrix(frame, self.columns) / self.base
        if not np.isfinite(units).all():
            raise InputError(
                f"base={self.base:g} is too small for the values: their multiples do not fit into a"
                " float64.",
                code="base-too-small",
                base=self.base,
            )
        if self.way == "nearest":
            steps = np.rint(units)
        else:
            draws = np.random.default_rng(self.random_state).random(units.shape)
            steps = np.floor(units) + (draws < units - np.floor(units))
        masked = steps * self.base + 0.0  # no negative zero
        return Outcome(
            {
                name: as_whole(column, frame, name)
                for name, column in zip(self.columns, masked.T, strict=True)
            }
        )
