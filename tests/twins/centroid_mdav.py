"""Centroid-based MDAV, slow and readable."""

from twins.mdav import farthest, labels_of, mean, nearest


def centroid_mdav(X, k):
    remaining, groups = list(range(len(X))), []
    while len(remaining) >= 2 * k:
        r = farthest(X, remaining, mean(X, remaining))
        groups.append(nearest(X, remaining, X[r], k))
        remaining = [i for i in remaining if i not in groups[-1]]
    groups.append(remaining)
    return labels_of(groups, len(X))
