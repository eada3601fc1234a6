"""Random numbers are added to the values."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from shoal._params import Above, Between, RandomState
from shoal.frame import tables
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.geometry import deviation, zscore
from shoal.steps._step import Outcome, Step, as_whole, named

Matrix = NDArray[np.float64]


class AddNoise(Step):
    """Add normal noise to the values of some columns [Ki86]_.

    The noise of a column has the mean 0 and ``amount`` times its variance. It is
    independent from column to column, or has the correlations of the columns, so
    that those of the masked ones are, on average, the original ones.

    Nothing is promised about persons: the noise is as large for those who stand
    out as for all others, so who stands out may still be found; `linkage` and
    `interval_disclosure` show how well.

    Parameters
    ----------
    columns : list of str
        Columns to mask, all numeric.
    amount : float
        Variance of the noise as a share of that of the column, above 0.
    kind : str
        ``"independent"`` noise, or ``"correlated"`` as the columns are.
    spread : str
        ``"grows"``: variances become 1 + amount times as large, on average.
        ``"kept"``: the noisy values are drawn together around the mean so that, on
        average, the variances are the original ones.
    decimals : int, optional
        Round the released values to so many decimals; 0 keeps whole numbers whole.
    random_state : int, Generator, RandomState or None
        Seed of the draws; where None, one is drawn and noted in the release's plan.

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
        self.columns = named(columns)
        self.amount = amount
        self.kind = kind
        self.spread = spread
        self.decimals = decimals
        self.random_state = random_state
        self._settle()

    @property
    def guarantee(self) -> str:
        """What the step promises, in sentences for the report."""
        return (
            f"Noise of {self.amount:g} times the variance was added. That hinders who looks for a"
            " person and promises nothing, least of all for those who stand out."
        )

    def apply(
        self, frame: Frame, confidential: Sequence[str], types: Mapping[str, Type] | None = None
    ) -> Outcome:
        """Return the masked values of ``frame``."""
        del confidential, types
        X = tables.matrix(frame, self.columns)
        draws = np.random.default_rng(self.random_state).standard_normal(X.shape)
        shape = np.diag(deviation(X)) if self.kind == "independent" else _root(X)
        noise = np.sqrt(self.amount) * draws @ shape
        shrunk = 1 / np.sqrt(1 + self.amount) if self.spread == "kept" else 1.0
        mean = X.mean(axis=0)
        masked = mean + shrunk * (X - mean + noise)
        if self.decimals is not None:
            masked = np.round(masked, self.decimals) + 0.0  # no negative zero
        return Outcome(
            {
                name: as_whole(column, frame, name) if self.decimals is not None else column
                for name, column in zip(self.columns, masked.T, strict=True)
            }
        )


def _root(X: Matrix) -> Matrix:
    """Return a matrix R with ``R'R`` the covariances of the columns, be they dependent or not."""
    Z = zscore(X)
    values, vectors = np.linalg.eigh(Z.T @ Z / len(Z))
    return np.asarray(np.sqrt(np.maximum(values, 0))[:, None] * vectors.T * deviation(X))
