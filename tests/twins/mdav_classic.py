"""MDAV as first described, slow and readable."""

from twins.mdav import farthest, labels_of, mean, nearest


def mdav_classic(X, k):
    left, groups = list(range(len(X))), []
    while len(left) >= 2 * k:
        r = farthest(X, left, mean(X, left))
        s = farthest(X, left, X[r])
        for point in (X[r], X[s]):
            groups.append(nearest(X, left, point, k))
            left = [i for i in left if i not in groups[-1]]
    if len(left) >= k:
        groups.append(left)
    else:
        grouped = [i for group in groups for i in group]
        near = {i: nearest(X, grouped, X[i], 1)[0] for i in left}
        for i in left:
            next(group for group in groups if near[i] in group).append(i)
    return labels_of(groups, len(X))
