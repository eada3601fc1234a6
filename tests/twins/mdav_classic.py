"""MDAV as first described, slow and readable."""

from twins.mdav import farthest, labels_of, mean, nearest


def mdav_classic(X, k):
    remaining, groups = list(range(len(X))), []
    while len(remaining) >= 2 * k:
        r = farthest(X, remaining, mean(X, remaining))
        s = farthest(X, remaining, X[r])
        for point in (X[r], X[s]):
            groups.append(nearest(X, remaining, point, k))
            remaining = [i for i in remaining if i not in groups[-1]]
    if len(remaining) >= k:
        groups.append(remaining)
    else:
        grouped = [i for group in groups for i in group]
        near = {i: nearest(X, grouped, X[i], 1)[0] for i in remaining}
        for i in remaining:
            next(group for group in groups if near[i] in group).append(i)
    return labels_of(groups, len(X))
