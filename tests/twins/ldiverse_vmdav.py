"""V-MDAV with l values in each group, slow and readable."""

from math import sqrt

from twins.leftovers import join_nearest_centroid
from twins.mdav import farthest, labels_of, mean, nearest, squared


def ldiverse_vmdav(X, k, diversity, values, gamma):
    living, groups = list(range(len(X))), []
    centre = mean(X, living)

    def enough(records):
        return len(records) >= k and len({values[i] for i in records}) >= diversity

    while enough(living):
        near = nearest(X, living, X[farthest(X, living, centre)], len(living))
        group = near[:k]
        for i in near[k:]:
            group_values = {values[j] for j in group}
            if len(group_values) < diversity and values[i] not in group_values:
                group.append(i)
        remaining = [i for i in living if i not in group]
        while len(group) < 2 * k - 1 and len(remaining) > 1:
            d_in, e = min((min(squared(X[i], X[m]) for m in group), i) for i in remaining)
            d_out = min(squared(X[i], X[e]) for i in remaining if i != e)
            if not sqrt(d_in) < gamma * sqrt(d_out):
                break
            group.append(e)
            remaining.remove(e)
        groups.append(group)
        living = remaining
    join_nearest_centroid(X, groups, living)
    return labels_of(groups, len(X))
