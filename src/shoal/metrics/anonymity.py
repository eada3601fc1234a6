"""How many records look alike in what is released."""

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.metrics._base import Labels, measure

MIX = np.uint64(0x9E3779B97F4A7C15)  # odd, so that no two keys of one column are mixed up


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
    if released.shape[1] == 1 and released.dtype.kind in "iu":
        return ranks(released[:, 0])
    mixed = np.zeros(len(released), np.uint64)
    for column in released.T:
        mixed = (mixed ^ _key(column)) * MIX
        mixed ^= mixed >> np.uint64(32)
    order = np.argsort(mixed)
    new = np.diff(mixed[order], prepend=~mixed[order[:1]]) != 0
    found = np.empty(len(released), np.int64)
    found[order] = np.cumsum(new) - 1
    model = order[new][found]  # some record of the same class
    if all(np.array_equal(key[model], key) for key in map(_key, released.T)):
        return found
    return _classes_by_column(released)


def ranks(values: NDArray[np.generic]) -> Labels:
    """Number the different values in their order, counted from 0; one number per record."""
    if values.dtype.kind in "iu":
        least, most = int(values.min()), int(values.max())
        if most - least < 4 * len(values) and most < 2**63:  # counting takes less than sorting
            place = values.astype(np.int64) - least
            there = np.bincount(place) > 0
            return np.asarray((np.cumsum(there) - 1)[place])
    return np.asarray(np.unique(values, return_inverse=True)[1], np.int64)


def _key(column: NDArray[np.generic]) -> NDArray[np.uint64]:
    """Return numbers of 64 bits, equal where the values are equal."""
    if column.dtype == np.float64:
        number = column.astype(np.float64) + 0.0  # no negative zero
        number[np.isnan(number)] = np.nan
        return np.asarray(number.view(np.uint64))
    if column.dtype.kind in "biu":
        return column.astype(np.uint64)
    return ranks(column).astype(np.uint64)


def _classes_by_column(released: NDArray[np.generic]) -> Labels:
    """Number the classes column by column: slower, and sure where two keys were mixed up."""
    found = np.zeros(len(released), np.int64)
    for column in released.T:
        code = ranks(column)
        found = ranks(found * (code.max() + 1) + code)
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
        The *k* that the release attains, at least 1; 1 means that some record is
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
    released: NDArray[np.generic],
    population: NDArray[np.generic] | None = None,
    units: Labels | None = None,
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
    units : ndarray of shape (n_records,), optional
        The unit of each record as a number: the size of a class is then the number of its
        units, and the attacker says whose record it is.

    Returns
    -------
    dict
        ``prosecutor``, ``journalist`` and ``marketer``, in (0, 1]. 1 means that the
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
    size = _sizes(label, units)[label]
    people = size if population is None else np.asarray(population)
    if people.shape != size.shape or not (people >= size).all():
        raise InputError(
            "'population' must say for each record how many people look like it, at least as many"
            " as records do.",
            code="population-unusable",
        )
    # Summed class by class, so that the order of the records does not matter.
    chances = np.sort(1 / people)
    return {
        "prosecutor": float(1 / size.min()),
        "journalist": float(1 / people.min()),
        "marketer": float(chances.mean()),
    }


def _sizes(label: Labels, units: Labels | None) -> Labels:
    """Return the size of each class, in units where there are some."""
    if units is None:
        return np.bincount(label)
    number = int(units.max()) + 1
    return np.bincount(np.unique(label * number + units) // number)
