"""CV-MDAV, slow and readable."""

from math import sqrt

from twins.mdav import farthest, labels_of, mean, nearest, squared


def cvmdav(X, k, gamma):
    remaining, groups = list(range(len(X))), []
    while len(remaining) >= 2 * k:
        may_extend = len(remaining) >= 3 * k
        r = farthest(X, remaining, mean(X, remaining))
        y = nearest(X, remaining, X[r], 2 * k)
        group, candidates = y[:k], y[k:]
        remaining = [i for i in remaining if i not in group]
        for c in candidates if may_extend else []:
            if len(group) == 2 * k - 1:
                break
            neighbourhood = nearest(X, remaining, X[c], k + 1)
            to_group = sqrt(squared(X[c], mean(X, group)))
            if to_group < gamma * sqrt(squared(X[c], mean(X, neighbourhood))):
                group.append(c)
                remaining.remove(c)
        groups.append(group)
    groups.append(remaining)
    return labels_of(groups, len(X))
