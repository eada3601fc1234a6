"""CV-MDAV, slow and readable."""

from math import sqrt

from twins.mdav import farthest, labels_of, mean, nearest, squared


def cvmdav(X, k, gamma):
    left, groups = list(range(len(X))), []
    while len(left) >= 2 * k:
        extending = len(left) >= 3 * k
        r = farthest(X, left, mean(X, left))
        y = nearest(X, left, X[r], 2 * k)
        group, candidates = y[:k], y[k:]
        left = [i for i in left if i not in group]
        for c in candidates if extending else []:
            if len(group) == 2 * k - 1:
                break
            own_kind = nearest(X, left, X[c], k + 1)
            to_group = sqrt(squared(X[c], mean(X, group)))
            if to_group < gamma * sqrt(squared(X[c], mean(X, own_kind))):
                group.append(c)
                left.remove(c)
        groups.append(group)
    groups.append(left)
    return labels_of(groups, len(X))
