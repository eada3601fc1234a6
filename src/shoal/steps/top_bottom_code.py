"""Replace extreme values by a threshold or by their mean."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from shoal._params import Above, Between
from shoal._text import count
from shoal.errors import InputError, PlanError
from shoal.frame import tables
from shoal.frame.roles import as_list
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.steps._step import Step, StepResult, as_integers_if_whole
from shoal.steps.microaggregation.aggregates import exact_mean

MIN_CODED = 3  # coded records: the mean or the threshold of fewer would reveal their values
Share = Annotated[float, Above(0), Between(0, 0.5)] | None


class TopBottomCode(Step):
    """Replace the largest or the smallest values of columns by one value [HDF12]_.

    Values beyond a threshold are replaced by the threshold, or by their mean, which keeps the
    mean of the column. The threshold is given, or is the value that a share of the records
    reaches. All other values stay as they are.

    The step guarantees nothing about persons except that the coded values at an end of a column
    do not differ.

    Parameters
    ----------
    columns : list of str
        Columns to mask, all numeric.
    top : float, optional
        Largest value that is released unchanged, in the units of the columns.
    bottom : float, optional
        Smallest value that is released unchanged, in the units of the columns.
    top_share : float, optional
        Share of the records to code at the top, above 0 and at most 0.5, and at least three
        records. Records with the same value as a coded record are coded too.
    bottom_share : float, optional
        Share of the records to code at the bottom, with the same limits.
    replacement : {"threshold", "mean"}, default="threshold"
        The value that replaces coded values: the threshold, or the mean of the coded values, which
        needs at least three records beyond a threshold unless there are none.

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
        self.columns = as_list(columns)
        self.top = top
        self.bottom = bottom
        self.top_share = top_share
        self.bottom_share = bottom_share
        self.replacement = replacement
        self._validate()
        self._check_thresholds()

    @property
    def keeps_classes(self) -> bool:
        """Whether equal values stay equal, which is always so: each value has one code."""
        return True

    @property
    def guarantee(self) -> str:
        """What the step guarantees, in sentences for the report."""
        is_coded = {
            "greatest": self.top is not None or self.top_share is not None,
            "least": self.bottom is not None or self.bottom_share is not None,
        }
        coded_ends = " and the ".join(end for end in is_coded if is_coded[end])
        other_sentences = [
            f" The {end} values were not coded." for end in is_coded if not is_coded[end]
        ]
        return (
            f"The {coded_ends} values of each column, those beyond a threshold, were replaced by"
            f" one value{' at each end' if not other_sentences else ''}, so that the column does"
            f" not tell these records apart.{''.join(other_sentences)} All other values are"
            " released unchanged, and nothing is guaranteed about them."
        )

    @property
    def former_guarantees(self) -> tuple[str, ...]:
        """The sentences of earlier versions."""
        return (
            "The values beyond a threshold were replaced by one value: nobody is an outlier in one"
            " of these columns alone. All other values are released unchanged, and nothing is"
            " guaranteed about them.",
        )

    def apply(
        self, frame: Frame, confidential: Sequence[str], types: Mapping[str, Type] | None = None
    ) -> StepResult:
        """Return the masked values of ``frame``."""
        del confidential, types
        X = tables.matrix(frame, self.columns)
        values: dict[str, Any] = {}
        for name, column in zip(self.columns, X.T, strict=True):
            masked = self._code_top(-column, name, "bottom", self.bottom, self.bottom_share)
            masked = self._code_top(-masked, name, "top", self.top, self.top_share) + 0.0
            values[name] = as_integers_if_whole(masked, frame, name)
        return StepResult(values)

    def _code_top(
        self,
        column: NDArray[np.float64],
        name: str,
        end: str,
        limit: float | None,
        share: float | None,
    ) -> NDArray[np.float64]:
        """Return the column with its largest values coded; negate a column to code its bottom."""
        if share is not None:
            n_coded = int(np.ceil(share * len(column) - 1e-9))
            if n_coded < MIN_CODED:
                raise InputError(
                    f"{end}_share={share:g} of {len(column):,} records is {n_coded:,}; coding fewer"
                    f" than {MIN_CODED} would reveal their values. Use a share of at least"
                    f" {MIN_CODED / len(column):.4g}.",
                    code="share-too-small",
                    end=end,
                    share=share,
                )
            threshold = float(np.sort(column)[-n_coded])
            is_coded = column >= threshold
        elif limit is not None:
            threshold = limit if end == "top" else -limit
            is_coded = column > threshold
        else:
            return column
        if self.replacement == "threshold" or not is_coded.any():
            return np.where(is_coded, threshold, column)
        if is_coded.sum() < MIN_CODED:
            change = "Lower" if end == "top" else "Raise"
            raise InputError(
                f"Column {name!r} has {count(int(is_coded.sum()), 'value')} beyond `{end}`, and the"
                f" mean of fewer than {MIN_CODED} would reveal them. {change} `{end}`, or use"
                ' `replacement="threshold"`.',
                code="mean-gives-away",
                column=name,
                end=end,
            )
        return np.where(is_coded, exact_mean(column[is_coded]), column)

    def _check_thresholds(self) -> None:
        """Refuse two thresholds for one end, no threshold at all, or thresholds that cross."""
        ends = {"top": (self.top, self.top_share), "bottom": (self.bottom, self.bottom_share)}
        for end, thresholds in ends.items():
            if None not in thresholds:
                raise PlanError(
                    f"`{end}` and `{end}_share` both set the threshold. Choose one.",
                    code="two-thresholds",
                    end=end,
                )
        if all(thresholds == (None, None) for thresholds in ends.values()):
            raise PlanError(
                "The step codes nothing. Give `top`, `bottom`, `top_share` or `bottom_share`.",
                code="nothing-coded",
            )
        if self.top is not None and self.bottom is not None and self.bottom >= self.top:
            raise PlanError(
                f"bottom={self.bottom:g} is not below top={self.top:g}. Change one.",
                code="bottom-above-top",
            )
