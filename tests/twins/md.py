"""MD, slow and readable: all pairs in every round."""

from itertools import combinations

from twins.leftovers import assign_leftovers
from twins.mdav import labels_of, mean, nearest, squared


def farthest_pair(X, records):
    """Return the two records farthest apart; the first such pair in a tie."""
    return max(combinations(sorted(records), 2), key=lambda pair: squared(X[pair[0]], X[pair[1]]))


def md(X, k, grow="centroid"):
    remaining, groups = list(range(len(X))), []
    while len(remaining) >= 2 * k:
        pair = farthest_pair(X, remaining)
        remaining = [i for i in remaining if i not in pair]
        for seed in pair:
            group = [seed]
            while len(group) < k:
                point = mean(X, group) if grow == "centroid" else X[seed]
                group += nearest(X, remaining, point, 1)
                remaining.remove(group[-1])
            groups.append(group)
    assign_leftovers(X, groups, remaining, k)
    return labels_of(groups, len(X))
