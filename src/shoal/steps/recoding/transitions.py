"""Transition matrices of post-randomisation (PRAM): check, compute and record them, and draw."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal._text import count
from shoal.errors import PlanError
from shoal.frame.notation.texts import text_of

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Codes = NDArray[np.int64]
Category = tuple[str | None, ...]  # one text for each column, or None for a missing value

TOLERANCE = 1e-6  # maximum difference between the sum of a row and 1


@dataclass(frozen=True, eq=False)
class Transitions:
    """How one column, or several jointly, changed in one stratum.

    Parameters
    ----------
    columns : list of str
        The column, or the columns that change jointly.
    stratum : tuple of str or None
        The values of the columns that split the strata, or an empty tuple without strata.
    categories : list of tuple of str or None
        The original categories, each with a value for every column.
    released : list of tuple of str or None
        The released categories.
    matrix : ndarray of shape (n_categories, n_released)
        Probability that each original category is released as each released one.
    counts : ndarray of shape (n_categories, n_released)
        Number of records for which this happened. It must not be published.
    """

    columns: Sequence[str]
    stratum: Category
    categories: Sequence[Category]
    released: Sequence[Category]
    matrix: Matrix
    counts: Codes

    @property
    def frequencies(self) -> Codes:
        """Number of records of each original category."""
        return np.asarray(self.counts.sum(axis=1))

    @property
    def stay_probabilities(self) -> Vector:
        """Probability that a record of each category keeps it."""
        return self._diagonal(self.matrix).astype(np.float64)

    @property
    def n_unchanged(self) -> int:
        """Number of records that kept their category."""
        return int(self._diagonal(self.counts).sum())

    def _diagonal(self, matrix: Matrix | Codes) -> NDArray[Any]:
        """Return the entry of each category in its own column, or 0 if it is never released."""
        position = {category: i for i, category in enumerate(self.released)}
        return np.array(
            [
                matrix[i, position[category]] if category in position else 0
                for i, category in enumerate(self.categories)
            ]
        )

    def to_dict(self, *, within: Sequence[str] = ()) -> dict[str, Any]:
        """Return the transitions as plain data; the categories of a single column are texts."""
        is_single = len(self.columns) == 1
        return {
            "columns": list(self.columns),
            "stratum": dict(zip(within, self.stratum, strict=True)),
            "categories": [
                category[0] if is_single else list(category) for category in self.categories
            ],
            "released": [
                category[0] if is_single else list(category) for category in self.released
            ],
            "matrix": self.matrix.tolist(),
            "frequencies": self.frequencies.tolist(),
            "expected": (self.frequencies[:, np.newaxis] * self.matrix).tolist(),
            "counts": self.counts.tolist(),
        }


def uniform_matrix(n: int, stay: float) -> Matrix:
    """Return the matrix that keeps a category with probability ``stay``.

    All other categories are equally likely.

    Examples
    --------
    >>> uniform_matrix(3, 0.5)
    array([[0.5 , 0.25, 0.25],
           [0.25, 0.5 , 0.25],
           [0.25, 0.25, 0.5 ]])
    """
    if n == 1:
        return np.ones((1, 1))
    matrix = np.full((n, n), (1 - stay) / (n - 1))
    np.fill_diagonal(matrix, stay)
    return matrix


def invariant_matrix(first_stage: Matrix, frequencies: Codes) -> Matrix:
    """Return the invariant matrix of two stages [KWG97]_.

    The second stage draws a category from the distribution of the original categories, given the
    result of the first stage. The expected frequencies are therefore the original ones:
    ``frequencies @ matrix`` equals ``frequencies``.

    Parameters
    ----------
    first_stage : ndarray of shape (n_categories, n_intermediate)
        Matrix of the first stage; its rows sum to one.
    frequencies : ndarray of shape (n_categories,)
        Number of records of each category, all positive.

    Returns
    -------
    ndarray of shape (n_categories, n_categories)
        The product of both stages; its rows sum to one.

    References
    ----------
    .. [KWG97] Kooiman, P., Willenborg, L. and Gouweleeuw, J. (1997). PRAM: a method for
       disclosure limitation of microdata. Research paper 9705, Statistics Netherlands.

    Examples
    --------
    >>> invariant_matrix(uniform_matrix(2, 0.5), np.array([3, 1]))
    array([[0.75, 0.25],
           [0.75, 0.25]])
    """
    joint = first_stage * frequencies[:, np.newaxis]
    intermediate_totals = joint.sum(axis=0)
    second_stage = (
        joint[:, intermediate_totals > 0] / intermediate_totals[intermediate_totals > 0]
    ).T
    return np.asarray(first_stage[:, intermediate_totals > 0] @ second_stage)


def draw_categories(matrix: Matrix, codes: Codes, uniform: Vector) -> Codes:
    """Return the new category of each record, drawn with a uniform number in [0, 1) for each."""
    cumulative = matrix.cumsum(axis=1)
    cumulative /= cumulative[:, -1:]
    new_codes = np.empty(len(codes), np.int64)
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=len(matrix)))
    for row, start, end in zip(cumulative, [0, *ends[:-1]], ends, strict=True):
        members = order[start:end]
        new_codes[members] = np.searchsorted(row, uniform[members], side="right")
    return new_codes


def to_plain_matrix(entry: Any, subject: str) -> dict[str, Any]:
    """Return a matrix as categories and rows; refuse rows that are not probabilities.

    A mapping of categories to mappings is accepted too; categories that it leaves out have the
    probability 0. A category is a text, or a list of texts if columns change jointly.
    """
    if not isinstance(entry, Mapping):
        raise _malformed_error(subject)
    if set(entry) != {"categories", "rows"}:
        entry = _from_mapping(entry, subject)
    categories = [
        _category(category, subject) for category in _check_list(entry["categories"], subject)
    ]
    try:
        rows = np.array(entry["rows"], np.float64)
    except (TypeError, ValueError):
        raise _malformed_error(subject) from None
    if rows.shape != (len(categories), len(categories)) or not len(rows):
        raise _malformed_error(subject)
    if len({str(category) for category in categories}) < len(categories):
        raise _repeated_category_error(subject)
    is_wrong = ~(np.isfinite(rows) & (rows >= 0)).all(axis=1)
    is_wrong |= ~(np.abs(rows.sum(axis=1) - 1) <= TOLERANCE)
    if is_wrong.any():
        raise PlanError(
            f"{int(is_wrong.sum()):,} of {len(rows):,} rows of the matrix of {subject} are not"
            f" probabilities that sum to 1; the first is row {int(np.argmax(is_wrong)) + 1}."
            " Correct them.",
            code="matrix-not-stochastic",
            row=int(np.argmax(is_wrong)) + 1,
        )
    return {"categories": categories, "rows": rows.tolist()}


def _from_mapping(entry: Mapping[Any, Any], subject: str) -> dict[str, Any]:
    """Return a mapping of categories to mappings as categories and rows."""
    if not all(isinstance(row, Mapping) for row in entry.values()):
        raise _malformed_error(subject)
    rows = {
        text_of(category): {text_of(new): probability for new, probability in row.items()}
        for category, row in entry.items()
    }
    if len(rows) < len(entry):
        raise _repeated_category_error(subject)
    unknown_categories = {category for row in rows.values() for category in row} - set(rows)
    if unknown_categories:
        raise PlanError(
            f"The matrix of {subject} leads to"
            f" {count(len(unknown_categories), 'category', 'categories')} without a row. Add the"
            " missing rows.",
            code="matrix-malformed",
        )
    return {
        "categories": list(rows),
        "rows": [[row.get(category, 0.0) for category in rows] for row in rows.values()],
    }


def _category(category: Any, subject: str) -> Any:
    """Return a category as text, or a joint category as a list of texts."""
    if isinstance(category, list | tuple):
        return [_category(text, subject) for text in category]
    if not isinstance(category, str | int | float):
        raise _malformed_error(subject)
    return text_of(category)


def _check_list(entry: Any, subject: str) -> Sequence[Any]:
    if not isinstance(entry, list | tuple):
        raise _malformed_error(subject)
    return entry


def _repeated_category_error(subject: str) -> PlanError:
    return PlanError(
        f"The matrix of {subject} names a category twice. Name each category once.",
        code="matrix-malformed",
    )


def _malformed_error(subject: str) -> PlanError:
    return PlanError(
        f"The matrix of {subject} must be a mapping of categories to mappings of categories to"
        " probabilities, or categories = [...] with rows = [[...], ...] of the same length.",
        code="matrix-malformed",
    )
