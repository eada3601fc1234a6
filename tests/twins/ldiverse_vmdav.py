"""V-MDAV with l values in each group, slow and readable."""

from math import sqrt

from twins.leftovers import join_nearest_centroid
from twins.mdav import farthest, labels_of, mean, nearest, squared


def ldiverse_vmdav(X, k, diversity, values, gamma):
    left, groups = list(range(len(X))), []
    centre = mean(X, left)

    def enough(records):
        return len(records) >= k and len({values[i] for i in records}) >= diversity

    while enough(left):
        near = nearest(X, left, X[farthest(X, left, centre)], len(left))
        group = near[:k]
        for i in near[k:]:
            held = {values[j] for j in group}
            if len(held) < diversity and values[i] not in held:
                group.append(i)
        rest = [i for i in left if i not in group]
        while len(group) < 2 * k - 1 and len(rest) > 1:
            d_in, e = min((min(squared(X[i], X[m]) for m in group), i) for i in rest)
            d_out = min(squared(X[i], X[e]) for i in rest if i != e)
            if not sqrt(d_in) < gamma * sqrt(d_out):
                break
            group.append(e)
            rest.remove(e)
        groups.append(group)
        left = rest
    join_nearest_centroid(X, groups, left)
    return labels_of(groups, len(X))
