"""Values beyond a threshold become one."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from shoal._params import Above, Between
from shoal.errors import InputError, PlanError
from shoal.frame import tables
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.steps._step import Outcome, Step, as_whole, named
from shoal.steps.aggregate import exact_mean

LEAST = 3  # fewer records would tell their values by the mean or by the threshold
Share = Annotated[float, Above(0), Between(0, 0.5)] | None


class TopBottomCode(Step):
    """Replace the greatest or the least values of some columns by one value [HDF12]_.

    What lies beyond a threshold becomes the threshold, or the mean of all values
    beyond it, which keeps the mean of the column. The threshold is given, or it is the
    value that a share of the records reaches. All other values stay as they are.

    Nothing is promised about persons but that they do not stand out by this
    column alone.

    Parameters
    ----------
    columns : list of str
        Columns to mask, all numeric.
    top : float, optional
        Greatest value that is released as it is, in the units of the columns.
    bottom : float, optional
        Least value that is released as it is.
    top_share : float, optional
        Share of the records at the top to code, above 0 and at most 0.5; equal values
        are coded with them. It needs at least three records.
    bottom_share : float, optional
        The same at the bottom.
    replacement : str
        ``"threshold"``, or the ``"mean"`` of the coded values, which needs at least
        three records beyond a threshold, or none.

    References
    ----------
    .. [HDF12] Hundepool, A., Domingo-Ferrer, J., Franconi, L., Giessing, S., Schulte
       Nordholt, E., Spicer, K. and de Wolf, P.-P. (2012). Statistical disclosure
       control. Wiley.
    """

    name = "top-bottom-code"
    paper = "HDF12"

    def __init__(
        self,
        columns: Sequence[str],
        *,
        top: float | None = None,
        bottom: float | None = None,
        top_share: Share = None,
        bottom_share: Share = None,
        replacement: Literal["threshold", "mean"] = "threshold",
    ):
        self.columns = named(columns)
        self.top = top
        self.bottom = bottom
        self.top_share = top_share
        self.bottom_share = bottom_share
        self.replacement = replacement
        self._settle()
        self._check()

    @property
    def guarantee(self) -> str:
        """What the step promises, in sentences for the report."""
        return (
            "The values beyond a threshold became one: nobody stands out by one of these columns"
            " alone. All other values are released as they are, and nothing is promised about them."
        )

    def apply(
        self, frame: Frame, confidential: Sequence[str], types: Mapping[str, Type] | None = None
    ) -> Outcome:
        """Return the masked values of ``frame``."""
        del confidential, types
        X = tables.matrix(frame, self.columns)
        values: dict[str, Any] = {}
        for name, column in zip(self.columns, X.T, strict=True):
            masked = self._coded(-column, name, "bottom", self.bottom, self.bottom_share)
            masked = self._coded(-masked, name, "top", self.top, self.top_share) + 0.0
            values[name] = as_whole(masked, frame, name)
        return Outcome(values)

    def _coded(
        self,
        column: NDArray[np.float64],
        name: str,
        end: str,
        limit: float | None,
        share: float | None,
    ) -> NDArray[np.float64]:
        """Return the column with its greatest values coded; the bottom is the top upside down."""
        if share is not None:
            number = int(np.ceil(share * len(column) - 1e-9))
            if number < LEAST:
                raise InputError(
                    f"{end}_share={share:g} of {len(column)} records is {number}; fewer than"
                    f" {LEAST} would be given away. Ask for at least {LEAST / len(column):.4g}.",
                    code="share-too-small",
                    end=end,
                    share=share,
                )
            threshold = float(np.sort(column)[-number])
            beyond = column >= threshold
        elif limit is not None:
            threshold = limit if end == "top" else -limit
            beyond = column > threshold
        else:
            return column
        if self.replacement == "threshold" or not beyond.any():
            return np.where(beyond, threshold, column)
        if beyond.sum() < LEAST:
            raise InputError(
                f"Column {name!r} has {beyond.sum()} values beyond {end}, and their mean would give"
                f' them away. Move {end} inwards, or use `replacement="threshold"`.',
                code="mean-gives-away",
                column=name,
                end=end,
            )
        return np.where(beyond, exact_mean(column[beyond]), column)

    def _check(self) -> None:
        ends = {"top": (self.top, self.top_share), "bottom": (self.bottom, self.bottom_share)}
        for end, given in ends.items():
            if None not in given:
                raise PlanError(
                    f"{end} and {end}_share both say where to code. Choose one.",
                    code="two-thresholds",
                    end=end,
                )
        if all(given == (None, None) for given in ends.values()):
            raise PlanError(
                "The step codes nothing. Give top, bottom, top_share or bottom_share.",
                code="nothing-coded",
            )
        if self.top is not None and self.bottom is not None and self.bottom >= self.top:
            raise PlanError(
                f"bottom={self.bottom:g} is not below top={self.top:g}.", code="bottom-above-top"
            )
