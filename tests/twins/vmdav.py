"""V-MDAV, slow and readable."""

from math import sqrt

from twins.leftovers import assign_leftovers
from twins.mdav import farthest, labels_of, mean, nearest, squared


def vmdav(X, k, gamma):
    left, groups = list(range(len(X))), []
    centre = mean(X, left)
    while len(left) >= 2 * k:
        group = nearest(X, left, X[farthest(X, left, centre)], k)
        left = [i for i in left if i not in group]
        while len(group) < 2 * k - 1:
            d_in, e = min((min(squared(X[i], X[m]) for m in group), i) for i in left)
            d_out = min(squared(X[i], X[e]) for i in left if i != e)
            if not sqrt(d_in) < gamma * sqrt(d_out):
                break
            group.append(e)
            left.remove(e)
        groups.append(group)
    assign_leftovers(X, groups, left, k)
    return labels_of(groups, len(X))
