"""V-MDAV with l values in each group, slow and readable."""

from math import sqrt

from twins.leftovers import join_nearest_centroid
from twins.mdav import farthest, labels_of, mean, nearest, squared


def ldiverse_vmdav(X, k, diversity, values, gamma):
    remaining, groups = list(range(len(X))), []
    centre = mean(X, remaining)

    def enough(records):
        return len(records) >= k and len({values[i] for i in records}) >= diversity

    while enough(remaining):
        near = nearest(X, remaining, X[farthest(X, remaining, centre)], len(remaining))
        group = near[:k]
        for i in near[k:]:
            group_values = {values[j] for j in group}
            if len(group_values) < diversity and values[i] not in group_values:
                group.append(i)
        ungrouped = [i for i in remaining if i not in group]
        while len(group) < 2 * k - 1 and len(ungrouped) > 1:
            d_in, e = min((min(squared(X[i], X[m]) for m in group), i) for i in ungrouped)
            d_out = min(squared(X[i], X[e]) for i in ungrouped if i != e)
            if not sqrt(d_in) < gamma * sqrt(d_out):
                break
            group.append(e)
            ungrouped.remove(e)
        groups.append(group)
        remaining = ungrouped
    join_nearest_centroid(X, groups, remaining)
    return labels_of(groups, len(X))
