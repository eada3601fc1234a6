"""How many records look alike in what is released."""

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.measure._base import Labels, measure


def classes(released: NDArray[np.generic]) -> Labels:
    """Number the sets of records that look alike in all columns of ``released``.

    Parameters
    ----------
    released : ndarray of shape (n_records, n_columns)
        Released values, or numbers that stand for them.

    Returns
    -------
    ndarray of shape (n_records,)
        The class of each record, counted from 0.
    """
    found = np.zeros(len(released), np.int64)
    for column in released.T:
        values, code = np.unique(column, return_inverse=True)
        found = np.unique(found * len(values) + code, return_inverse=True)[1]
    return found


@measure(kind="risk", better="higher", unit="records")
def smallest_class(released: NDArray[np.generic]) -> int:
    """Size of the smallest set of records that look alike.

    It is counted on the released values, not on the groups the algorithm says
    it made, so it also holds for data masked elsewhere.

    Parameters
    ----------
    released : ndarray of shape (n_records, n_columns)
        The released quasi-identifiers, or numbers that stand for their values.

    Returns
    -------
    int
        The *k* that the release attains, at least 1; 1 says that some record is
        unique.

    Examples
    --------
    >>> smallest_class(np.array([[1, 2], [1, 2], [3, 4], [3, 4], [3, 4]]))
    2
    """
    return int(np.bincount(classes(released)).min())


@measure(kind="risk", better="neither", unit="classes")
def class_sizes(released: NDArray[np.generic]) -> dict[int, int]:
    """Count the sets of records that look alike, by their size.

    Parameters
    ----------
    released : ndarray of shape (n_records, n_columns)
        The released quasi-identifiers, or numbers that stand for their values.

    Returns
    -------
    dict
        Size of a class to the number of classes of that size, smallest first.

    Examples
    --------
    >>> class_sizes(np.array([[1, 2], [1, 2], [3, 4], [3, 4], [3, 4]]))
    {2: 1, 3: 1}
    """
    sizes, counts = np.unique(np.bincount(classes(released)), return_counts=True)
    return {int(size): int(count) for size, count in zip(sizes, counts, strict=True)}


@measure(kind="risk", better="lower")
def reidentification(
    released: NDArray[np.generic], population: NDArray[np.generic] | None = None
) -> dict[str, float]:
    """Chance that an attacker picks the right record, for three attackers [ED08]_.

    The prosecutor knows that a person is in the table and goes for the record
    easiest to find: 1 / (size of the smallest class). The journalist does the same
    without that knowledge: 1 / (size in the population of the rarest class). The
    marketer goes for as many records as possible: the mean over records of
    1 / (size in the population of its class).

    Parameters
    ----------
    released : ndarray of shape (n_records, n_columns)
        The released quasi-identifiers, or numbers that stand for their values.
    population : ndarray of shape (n_records,), optional
        How many people of the population look like each record, those of the table
        among them. By default the table is the population; then the journalist
        knows what the prosecutor knows.

    Returns
    -------
    dict
        ``prosecutor``, ``journalist`` and ``marketer``, in (0, 1]. 1 says that the
        record (the marketer: every record) can be picked for certain; 1/n that all
        records look alike.

    References
    ----------
    .. [ED08] El Emam, K. and Dankar, F. K. (2008). Protecting privacy using
       k-anonymity. Journal of the American Medical Informatics Association 15(5),
       627-637.

    Examples
    --------
    >>> reidentification(np.array([[1], [1], [3], [3], [3]]))
    {'prosecutor': 0.5, 'journalist': 0.5, 'marketer': 0.4}
    """
    label = classes(released)
    size = np.bincount(label)[label]
    people = size if population is None else np.asarray(population)
    if people.shape != size.shape or not (people >= size).all():
        raise InputError(
            "'population' must say for each record how many people look like it, at least as many"
            " as records do."
        )
    # Summed class by class, so that the order of the records does not matter.
    chances = np.sort(1 / people)
    return {
        "prosecutor": float(1 / size.min()),
        "journalist": float(1 / people.min()),
        "marketer": float(chances.mean()),
    }
