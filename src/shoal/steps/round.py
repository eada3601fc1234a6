"""Round values to multiples of a base."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

import numpy as np

from shoal._params import Above, RandomState
from shoal.errors import InputError
from shoal.frame import tables
from shoal.frame.roles import as_list
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.steps._step import Step, StepResult, as_integers_if_whole


class Round(Step):
    """Round the values of columns to multiples of a base.

    Rounding to the nearest multiple [HDF12]_ reveals each value to within half the base. Random
    rounding [NS72]_ rounds up with a probability equal to the distance from the multiple below,
    as a share of the base: it is unbiased, and reveals each value to within the whole base.
    Multiples of the base stay as they are.

    The step guarantees nothing about persons: a record that was unique may still be unique.

    Parameters
    ----------
    columns : list of str
        Columns to mask, all numeric.
    base : float
        Number whose multiples are released, above 0.
    mode : {"nearest", "random"}, default="nearest"
        ``"nearest"`` rounds to the nearest multiple (a value halfway between two multiples goes to
        the even multiple), ``"random"`` to one of the two neighbouring multiples.
    random_state : int, Generator, RandomState or None
        Seed of random rounding; if None, one is drawn and recorded in the plan of the release.

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
        mode: Literal["nearest", "random"] = "nearest",
        random_state: RandomState = None,
    ):
        self.columns = as_list(columns)
        self.base = base
        self.mode = mode
        self.random_state = random_state
        self._validate()

    @property
    def keeps_classes(self) -> bool:
        """Whether equal values stay equal, which is so unless they are rounded at random."""
        return self.mode == "nearest"

    @property
    def is_random(self) -> bool:
        """Whether rounding is random."""
        return self.mode == "random"

    @property
    def guarantee(self) -> str:
        """What the step guarantees, in sentences for the report."""
        precision = "half a base" if self.mode == "nearest" else "a base"
        return (
            f"The values are multiples of {self.base:g}: each is known to within {precision}, and"
            " nothing is guaranteed about persons."
        )

    def apply(
        self, frame: Frame, confidential: Sequence[str], types: Mapping[str, Type] | None = None
    ) -> StepResult:
        """Return the masked values of ``frame``."""
        del confidential, types
        with np.errstate(over="ignore"):
            quotients = tables.matrix(frame, self.columns) / self.base
        if not np.isfinite(quotients).all():
            raise InputError(
                f"base={self.base:g} is too small for the values: their multiples do not fit into a"
                " float64. Use a larger base.",
                code="base-too-small",
                base=self.base,
            )
        if self.mode == "nearest":
            multiples = np.rint(quotients)
        else:
            uniform = np.random.default_rng(self.random_state).random(quotients.shape)
            below = np.floor(quotients)
            multiples = below + (uniform < quotients - below)
        masked = multiples * self.base + 0.0  # no negative zero
        return StepResult(
            {
                name: as_integers_if_whole(column, frame, name)
                for name, column in zip(self.columns, masked.T, strict=True)
            }
        )
