"""CV-MDAV, slow and readable."""

from math import sqrt

from twins.mdav import farthest, labels_of, mean, nearest, squared


def cvmdav(X, k, gamma):
    living, groups = list(range(len(X))), []
    while len(living) >= 2 * k:
        may_extend = len(living) >= 3 * k
        r = farthest(X, living, mean(X, living))
        y = nearest(X, living, X[r], 2 * k)
        group, candidates = y[:k], y[k:]
        living = [i for i in living if i not in group]
        for c in candidates if may_extend else []:
            if len(group) == 2 * k - 1:
                break
            neighbourhood = nearest(X, living, X[c], k + 1)
            to_group = sqrt(squared(X[c], mean(X, group)))
            if to_group < gamma * sqrt(squared(X[c], mean(X, neighbourhood))):
                group.append(c)
                living.remove(c)
        groups.append(group)
    groups.append(living)
    return labels_of(groups, len(X))
