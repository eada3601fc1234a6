"""V-MDAV, slow and readable."""

from math import sqrt

from twins.leftovers import assign_leftovers
from twins.mdav import farthest, labels_of, mean, nearest, squared


def vmdav(X, k, gamma):
    remaining, groups = list(range(len(X))), []
    centre = mean(X, remaining)
    while len(remaining) >= 2 * k:
        group = nearest(X, remaining, X[farthest(X, remaining, centre)], k)
        remaining = [i for i in remaining if i not in group]
        while len(group) < 2 * k - 1:
            d_in, e = min((min(squared(X[i], X[m]) for m in group), i) for i in remaining)
            d_out = min(squared(X[i], X[e]) for i in remaining if i != e)
            if not sqrt(d_in) < gamma * sqrt(d_out):
                break
            group.append(e)
            remaining.remove(e)
        groups.append(group)
    assign_leftovers(X, groups, remaining, k)
    return labels_of(groups, len(X))
