"""MDAV as first described, slow and readable."""

from twins.mdav import farthest, labels_of, mean, nearest


def mdav_classic(X, k):
    living, groups = list(range(len(X))), []
    while len(living) >= 2 * k:
        r = farthest(X, living, mean(X, living))
        s = farthest(X, living, X[r])
        for point in (X[r], X[s]):
            groups.append(nearest(X, living, point, k))
            living = [i for i in living if i not in groups[-1]]
    if len(living) >= k:
        groups.append(living)
    else:
        grouped = [i for group in groups for i in group]
        near = {i: nearest(X, grouped, X[i], 1)[0] for i in living}
        for i in living:
            next(group for group in groups if near[i] in group).append(i)
    return labels_of(groups, len(X))
