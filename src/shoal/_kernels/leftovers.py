"""Assignment of leftovers, the records that are in no group and have the label -1."""

from collections.abc import Callable

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.compensated_sum import add_record, write_mean
from shoal._kernels.constants import NONE
from shoal._kernels.distances import squared_distance, squared_row_distance


@compiled
def join_nearest_centroid(X, labels):
    """Assign each leftover to the group with the nearest centroid; the centroids stay fixed."""
    n_groups = 0
    for label in labels:
        n_groups = max(n_groups, label + 1)
    centroids, sizes = group_centroids(X, labels, n_groups)
    for record in range(X.shape[0]):
        if labels[record] < 0:
            labels[record] = nearest_group(centroids, sizes, X[record])


@compiled
def join_nearest_record(X, labels):
    """Assign each leftover to the group of the nearest grouped record; ties go to the lowest."""
    has_group = labels >= 0
    for record in range(X.shape[0]):
        if has_group[record]:
            continue
        best, least = NONE, np.inf
        for other in range(X.shape[0]):
            if has_group[other]:
                square = squared_row_distance(X, record, X, other)
                if best < 0 or square < least:
                    best, least = other, square
        labels[record] = labels[best]


def assign_leftovers(
    X: np.ndarray,
    labels: np.ndarray,
    k: int,
    join: Callable[[np.ndarray, np.ndarray], None] = join_nearest_centroid,
) -> None:
    """Make ``k`` or more leftovers the last group; assign fewer to other groups by ``join``."""
    is_leftover = labels < 0
    if is_leftover.sum() >= k:
        labels[is_leftover] = labels.max() + 1
    else:
        join(X, labels)


@compiled
def group_centroids(X, labels, n_groups):
    """Return the centroid and the size of each group; leftovers belong to none."""
    totals = np.zeros((n_groups, X.shape[1], 2))
    sizes = np.zeros(n_groups, np.int64)
    for record in range(X.shape[0]):
        if labels[record] >= 0:
            sizes[labels[record]] += 1
            add_record(totals[labels[record]], X[record])
    centroids = np.zeros((n_groups, X.shape[1]))
    for group in range(n_groups):
        if sizes[group] > 0:
            write_mean(totals[group], sizes[group], centroids[group])
    return centroids, sizes


@compiled
def nearest_group(centroids, sizes, point):
    """Return the non-empty group with the nearest centroid; ties go to the lowest."""
    best, least = NONE, np.inf
    for group in range(centroids.shape[0]):
        if sizes[group] == 0:
            continue
        square = squared_distance(centroids, group, point)
        if best < 0 or square < least:
            best, least = group, square
    return best
