"""MDAV1, slow and readable."""

from twins.leftovers import join_nearest_centroid
from twins.mdav import farthest, form_group, labels_of, mean


def mdav1(X, k):
    remaining, groups = list(range(len(X))), []

    while len(remaining) >= 2 * k:
        r = farthest(X, remaining, mean(X, remaining))
        s = farthest(X, remaining, X[r])
        form_group(X, remaining, groups, X[r], k)
        form_group(X, remaining, groups, X[s], k)
    if len(remaining) >= k:
        form_group(X, remaining, groups, X[farthest(X, remaining, mean(X, remaining))], k)
    join_nearest_centroid(X, groups, remaining)
    return labels_of(groups, len(X))
