"""Centroid-based MDAV, slow and readable."""

from twins.mdav import farthest, labels_of, mean, nearest


def centroid_mdav(X, k):
    living, groups = list(range(len(X))), []
    while len(living) >= 2 * k:
        r = farthest(X, living, mean(X, living))
        groups.append(nearest(X, living, X[r], k))
        living = [i for i in living if i not in groups[-1]]
    groups.append(living)
    return labels_of(groups, len(X))
