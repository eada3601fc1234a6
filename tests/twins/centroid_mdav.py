"""Centroid-based MDAV, slow and readable."""

from twins.mdav import farthest, labels_of, mean, nearest


def centroid_mdav(X, k):
    left, groups = list(range(len(X))), []
    while len(left) >= 2 * k:
        r = farthest(X, left, mean(X, left))
        groups.append(nearest(X, left, X[r], k))
        left = [i for i in left if i not in groups[-1]]
    groups.append(left)
    return labels_of(groups, len(X))
