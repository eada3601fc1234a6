"""Changes in correlations and principal components."""

import numpy as np

from shoal.errors import InputError
from shoal.metrics._array_types import Matrix, Values
from shoal.metrics._measure import measure
from shoal.metrics._scaling import scaling_exponent, varying_columns

CHUNK_SIZE = 4096  # records processed at a time, so that intermediate results stay in the cache
ROUNDING_TOLERANCE = 1e-9  # shares of the variance that differ by less are equal up to rounding


def correlations(X: Matrix) -> Matrix:
    """Return the correlation matrix; a constant column has the correlation 0 with all others."""
    p = X.shape[1]
    exponents = np.zeros(p, np.int64)
    means = np.zeros(p)
    norms = np.full(p, np.inf)  # norms of the centred columns; infinite for a constant column
    for j in np.flatnonzero((X[0] != X).any(axis=0)):
        exponents[j] = scaling_exponent(X[:, j])
        column = np.ldexp(X[:, j], -exponents[j]) if exponents[j] else X[:, j]
        means[j] = column.mean()
        norms[j] = np.sqrt(((column - means[j]) ** 2).sum())
    R = np.zeros((p, p))
    for start in range(0, len(X), CHUNK_SIZE):
        chunk = X[start : start + CHUNK_SIZE]
        directions = ((np.ldexp(chunk, -exponents) if exponents.any() else chunk) - means) / norms
        R += directions.T @ directions
    np.fill_diagonal(R, 1.0)
    return R


def first_principal_component(X: Matrix) -> tuple[Values, float]:
    """Return the first principal component and the share of the variance that it explains.

    Parameters
    ----------
    X : ndarray of shape (n_records, n_columns)
        The table.

    Returns
    -------
    loadings : ndarray of shape (n_columns,)
        Correlation of each column with the component: the eigenvector times the square root of
        the eigenvalue. The sign of the whole vector is arbitrary.
    explained_share : float
        The largest eigenvalue divided by the number of columns, in (0, 1].
    """
    eigenvalues, eigenvectors = np.linalg.eigh(correlations(X))
    p = len(eigenvalues)
    if p > 1 and eigenvalues[-1] - eigenvalues[-2] < ROUNDING_TOLERANCE * p:
        raise InputError(
            "The first component is not determined: two components explain the same share of the"
            " variation.",
            code="component-undetermined",
        )
    return eigenvectors[:, -1] * np.sqrt(eigenvalues[-1]), float(eigenvalues[-1] / p)


@measure(kind="utility", better="lower")
def correlation_change(original: Matrix, masked: Matrix) -> dict[str, float]:
    """Mean and standard deviation of the changes of the correlations of masked columns [MD99]_.

    With the correlations :math:`r_{ij}` of the original and :math:`r'_{ij}` of the masked columns,
    the change of a pair of columns is

    .. math:: |r'_{ij} - r_{ij}|.

    The standard deviation is computed with the number of pairs minus one. A column that is constant
    in the original is in no pair; a constant masked column has a correlation of 0 with all others.

    Parameters
    ----------
    original : ndarray of shape (n_records, n_columns)
        Original values of the masked columns.
    masked : ndarray of shape (n_records, n_columns)
        Their masked values, in the same order of records.

    Returns
    -------
    dict
        ``mean`` and ``sd`` over all pairs, in [0, 2]. 0 means that every correlation was kept, or
        that there is no pair; a mean of 2 means that every correlation changed from -1 to 1 or the
        reverse. ``sd`` is 0 for fewer than two pairs.

    References
    ----------
    .. [MD99] Mateo-Sanz, J. M. and Domingo-Ferrer, J. (1999). A method for
       data-oriented multivariate microaggregation. Statistical Data Protection,
       89-99. Office for Official Publications of the European Communities.

    Examples
    --------
    >>> original = np.array([[0.0, 0.0], [1.0, 1.0]])
    >>> change = correlation_change(original, np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> round(change["mean"], 6), change["sd"]
    (2.0, 0.0)
    """
    varying = varying_columns(original, masked)
    pairs = np.triu_indices(int(varying.sum()), 1)
    change = np.abs(correlations(masked[:, varying]) - correlations(original[:, varying]))[pairs]
    return {
        "mean": float(change.mean()) if len(change) else 0.0,
        "sd": float(change.std(ddof=1)) if len(change) > 1 else 0.0,
    }


@measure(kind="utility", better="lower", per="quasi-identifier")
def loadings_change(original: Matrix, masked: Matrix) -> Values:
    """Change of the loading of each column on the first principal component [MD99]_.

    The component is computed from the correlation matrix; the loading of a column is its
    correlation with the component. With the loadings :math:`a_j` of the original and :math:`a'_j`
    of the masked columns, the change is

    .. math:: |a'_j - a_j|.

    The sign of the component of the masked table is chosen to agree with the component of the
    original. A table is refused if its first component is not determined, because another component
    explains as much of the variance.

    Parameters
    ----------
    original : ndarray of shape (n_records, n_columns)
        Original values of the masked columns.
    masked : ndarray of shape (n_records, n_columns)
        Their masked values, in the same order of records.

    Returns
    -------
    ndarray of shape (n_columns,)
        In [0, 2]. 0 means that the loading was kept, 1 that it changed from 0 to 1 or the reverse,
        2 that it changed from -1 to 1 or the reverse. An unchanged constant column gives 0.

    References
    ----------
    .. [MD99] Mateo-Sanz, J. M. and Domingo-Ferrer, J. (1999). A method for
       data-oriented multivariate microaggregation. Statistical Data Protection,
       89-99. Office for Official Publications of the European Communities.

    Examples
    --------
    >>> original = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 1.0]])
    >>> loadings_change(original, original)
    array([0., 0.])
    """
    varying = varying_columns(original, masked)
    change = np.zeros(len(varying))
    if varying.any():
        original_loadings, _ = first_principal_component(original[:, varying])
        masked_loadings, _ = first_principal_component(masked[:, varying])
        change[varying] = np.abs(
            _align_sign(masked_loadings, original_loadings) - original_loadings
        )
    return change


@measure(kind="utility", better="lower", unit="%")
def explained_change(original: Matrix, masked: Matrix) -> float:
    r"""Change of the variance explained by the first component, in percentage points [MD99]_.

    The component is computed from the correlation matrix. Columns that are constant in the original
    are left out.

    With the largest eigenvalues :math:`\lambda_1` of the original and :math:`\lambda'_1` of the
    masked correlation matrix of p columns, the change is

    .. math:: 100 \cdot \frac{|\lambda'_1 - \lambda_1|}{p}.

    Parameters
    ----------
    original : ndarray of shape (n_records, n_columns)
        Original values of the masked columns.
    masked : ndarray of shape (n_records, n_columns)
        Their masked values, in the same order of records.

    Returns
    -------
    float
        In [0, 100). 0 means that the first component explains the same share of the variance in
        both tables, :math:`100 (1 - 1/p)` that p uncorrelated columns became perfectly correlated,
        or the reverse.

    References
    ----------
    .. [MD99] Mateo-Sanz, J. M. and Domingo-Ferrer, J. (1999). A method for
       data-oriented multivariate microaggregation. Statistical Data Protection,
       89-99. Office for Official Publications of the European Communities.

    Examples
    --------
    >>> original = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> explained_change(original, np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 1.0], [1.0, 1.0]]))
    50.0
    """
    varying = varying_columns(original, masked)
    if not varying.any():
        return 0.0
    change = _eigenvalues(masked[:, varying])[-1] - _eigenvalues(original[:, varying])[-1]
    return float(100 * abs(change) / varying.sum())


@measure(kind="utility", better="lower")
def eigenvalue_change(original: Matrix, masked: Matrix) -> float:
    r"""Change of the eigenvalues of the correlation matrix, relative to its maximum.

    The eigenvalues :math:`\lambda_i` of the original and :math:`\lambda'_i` of the masked matrix
    are sorted. The sum of their absolute differences is divided by its maximum for p columns:

    .. math:: \frac{1}{2 (p - 1)} \sum_{i=1}^{p} |\lambda'_i - \lambda_i|.

    Columns that are constant in the original are left out.

    Parameters
    ----------
    original : ndarray of shape (n_records, n_columns)
        Original values of the masked columns.
    masked : ndarray of shape (n_records, n_columns)
        Their masked values, in the same order of records.

    Returns
    -------
    float
        In [0, 1]. 0 means that the eigenvalues were kept, or that there is only one column; 1 means
        that uncorrelated columns became perfectly correlated, or the reverse.

    Examples
    --------
    >>> original = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> eigenvalue_change(original, np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 1.0], [1.0, 1.0]]))
    1.0
    """
    varying = varying_columns(original, masked)
    if varying.sum() < 2:
        return 0.0
    changes = _eigenvalues(masked[:, varying]) - _eigenvalues(original[:, varying])
    return float(np.abs(changes).sum() / (2 * (varying.sum() - 1)))


def _eigenvalues(X: Matrix) -> Values:
    """Return the eigenvalues of the correlation matrix in ascending order."""
    return np.asarray(np.linalg.eigvalsh(correlations(X)))


def _align_sign(loadings: Values, reference: Values) -> Values:
    """Return loadings with the sign of ``reference``, judged by the first if orthogonal."""
    product = loadings @ reference
    if abs(product) < ROUNDING_TOLERANCE:
        product = loadings[0] * reference[0]
    return -loadings if product < 0 else loadings
