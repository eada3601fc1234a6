"""TFRP, slow and readable."""

from twins.leftovers import join_nearest_centroid
from twins.mdav import farthest, labels_of, nearest
from twins.second_phase import second_phase


def first_phase(X, k):
    least, greatest = [X.min()] * X.shape[1], [X.max()] * X.shape[1]
    remaining, groups = list(range(len(X))), []
    while len(remaining) >= k:
        point = least if len(groups) % 2 == 0 else greatest
        group = nearest(X, remaining, X[farthest(X, remaining, point)], k)
        groups.append(group)
        remaining = [i for i in remaining if i not in group]
    join_nearest_centroid(X, groups, remaining)
    return labels_of(groups, len(X))


def tfrp(X, k):
    return second_phase(X, first_phase(X, k), k, first_phase)
