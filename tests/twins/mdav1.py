"""MDAV1, slow and readable."""

from twins.leftovers import join_nearest_centroid
from twins.mdav import farthest, form_group, labels_of, mean


def mdav1(X, k):
    living, groups = list(range(len(X))), []

    while len(living) >= 2 * k:
        r = farthest(X, living, mean(X, living))
        s = farthest(X, living, X[r])
        form_group(X, living, groups, X[r], k)
        form_group(X, living, groups, X[s], k)
    if len(living) >= k:
        form_group(X, living, groups, X[farthest(X, living, mean(X, living))], k)
    join_nearest_centroid(X, groups, living)
    return labels_of(groups, len(X))
