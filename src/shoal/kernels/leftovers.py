"""What becomes of the records that no group was formed around: label -1 until now."""

import numpy as np

from shoal.kernels._compile import compiled
from shoal.kernels.pool import add_exactly


@compiled
def close_group(labels):
    """Make the left-overs the last group."""
    last = labels.max() + 1
    for i in range(labels.shape[0]):
        if labels[i] < 0:
            labels[i] = last


@compiled
def group_means(X, labels, groups):
    """Return the centroid and the size of each group; left-overs count for none."""
    totals = np.zeros((groups, X.shape[1], 2))
    sizes = np.zeros(groups, np.int64)
    for i in range(X.shape[0]):
        if labels[i] >= 0:
            sizes[labels[i]] += 1
            for j in range(X.shape[1]):
                add_exactly(totals[labels[i], j], X[i, j])
    centroids = np.zeros((groups, X.shape[1]))
    for g in range(groups):
        if sizes[g] > 0:
            for j in range(X.shape[1]):
                centroids[g, j] = totals[g, j, 0] / sizes[g]
    return centroids, sizes


@compiled
def nearest_group(centroids, sizes, point):
    """Return the group with the nearest centroid, empty ones apart; ties go to the lowest."""
    best, least = -1, np.inf
    for g in range(centroids.shape[0]):
        if sizes[g] == 0:
            continue
        distance = 0.0
        for j in range(point.shape[0]):
            gap = point[j] - centroids[g, j]
            distance += gap * gap
        if best < 0 or distance < least:
            best, least = g, distance
    return best


@compiled
def join_nearest(X, labels):
    """Let each left-over join the group with the nearest centroid; the centroids stay frozen."""
    centroids, sizes = group_means(X, labels, labels.max() + 1)
    for i in range(X.shape[0]):
        if labels[i] < 0:
            labels[i] = nearest_group(centroids, sizes, X[i])
