"""MDAV1, slow and readable."""

from twins.leftovers import join_nearest_centroid
from twins.mdav import farthest, labels_of, mean, nearest


def mdav1(X, k):
    left, groups = list(range(len(X))), []

    def take(point):
        group = nearest(X, left, point, k)
        groups.append(group)
        for i in group:
            left.remove(i)

    while len(left) >= 2 * k:
        r = farthest(X, left, mean(X, left))
        s = farthest(X, left, X[r])
        take(X[r])
        take(X[s])
    if len(left) >= k:
        take(X[farthest(X, left, mean(X, left))])
    join_nearest_centroid(X, groups, left)
    return labels_of(groups, len(X))
