"""Add random noise to numeric columns."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from shoal._params import Above, Between, RandomState
from shoal.frame import tables
from shoal.frame.roles import as_list
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.geometry import standard_deviation, zscore
from shoal.steps._step import Step, StepResult, as_integers_if_whole

Matrix = NDArray[np.float64]


class AddNoise(Step):
    """Add normal noise to the values of columns [Ki86]_.

    The noise of a column has mean 0 and ``amount`` times the variance of the column. It is
    independent between columns, or has the same correlations as the columns, so that the masked
    columns keep their correlations on average.

    The step guarantees nothing about persons. Noise is no larger for outliers than for all
    other records, so outliers may still be recognised; `linkage` and `interval_disclosure`
    measure how often this happens.

    Parameters
    ----------
    columns : list of str
        Columns to mask, all numeric.
    amount : float
        Variance of the noise as a multiple of the variance of the column, above 0.
    kind : {"independent", "correlated"}, default="independent"
        Whether the noise is independent between columns or correlated like the columns.
    spread : {"grows", "kept"}, default="grows"
        ``"grows"``: variances become 1 + amount times as large, on average.
        ``"kept"``: the noisy values are shrunk towards the mean, so that on average the
        variances are the original ones.
    decimals : int, optional
        Number of decimals to round the released values to; 0 keeps whole numbers whole.
    random_state : int, Generator, RandomState or None
        Seed; if None, one is drawn and recorded in the plan of the release.

    References
    ----------
    .. [Ki86] Kim, J. J. (1986). A method for limiting disclosure in microdata based on
       random noise and transformation. Proceedings of the Section on Survey
       Research Methods, American Statistical Association, 370-374.
    """

    name = "add-noise"
    paper = "Ki86"

    def __init__(
        self,
        columns: Sequence[str],
        amount: Annotated[float, Above(0)],
        *,
        kind: Literal["independent", "correlated"] = "independent",
        spread: Literal["grows", "kept"] = "grows",
        decimals: Annotated[int, Between(-15, 15)] | None = None,
        random_state: RandomState = None,
    ):
        self.columns = as_list(columns)
        self.amount = amount
        self.kind = kind
        self.spread = spread
        self.decimals = decimals
        self.random_state = random_state
        self._validate()

    @property
    def guarantee(self) -> str:
        """What the step guarantees, in sentences for the report."""
        return (
            f"Noise of {self.amount:g} times the variance was added. That makes it harder to"
            " recognise a person and guarantees nothing, least of all for outliers."
        )

    def apply(
        self, frame: Frame, confidential: Sequence[str], types: Mapping[str, Type] | None = None
    ) -> StepResult:
        """Return the masked values of ``frame``."""
        del confidential, types
        X = tables.matrix(frame, self.columns)
        normal = np.random.default_rng(self.random_state).standard_normal(X.shape)
        is_independent = self.kind == "independent"
        noise_factor = np.diag(standard_deviation(X)) if is_independent else _covariance_factor(X)
        noise = np.sqrt(self.amount) * normal @ noise_factor
        shrinkage = 1 / np.sqrt(1 + self.amount) if self.spread == "kept" else 1.0
        means = X.mean(axis=0)
        masked = means + shrinkage * (X - means + noise)
        if self.decimals is not None:
            masked = np.round(masked, self.decimals) + 0.0  # no negative zero
        return StepResult(
            {
                name: as_integers_if_whole(column, frame, name)
                if self.decimals is not None
                else column
                for name, column in zip(self.columns, masked.T, strict=True)
            }
        )


def _covariance_factor(X: Matrix) -> Matrix:
    """Return a matrix R such that ``R'R`` is the covariance matrix, which may be singular."""
    Z = zscore(X)
    eigenvalues, eigenvectors = np.linalg.eigh(Z.T @ Z / len(Z))
    return np.asarray(
        np.sqrt(np.maximum(eigenvalues, 0))[:, None] * eigenvectors.T * standard_deviation(X)
    )
